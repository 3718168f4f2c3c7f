"""What the agent knows and wonders about: facts, notes, curiosities, and events that happened
around it.
"""

FACTS = """
fact fees-january 0 maker=0.02 taker=0.05 entities=exchange until=80
  The exchange charges 0.02 % maker and 0.05 % taker on perpetual contracts.
  ~ 25 Perpetual contracts cost 0.05 % for takers and 0.02 % for makers at our exchange.
fact fees-april 84 maker=0.015 taker=0.045 entities=exchange every=20 changes=fees-january
  Since 30 March the exchange charges 0.015 % maker and 0.045 % taker on perpetual contracts.
  ? What are the maker and taker fees?
fact withdrawal-check 1 entities=exchange
  Withdrawals above 50,000 dollars wait for a manual check that takes up to six hours.
  ~ 83 A withdrawal of more than 50,000 dollars is checked by hand, which can take six hours.
fact rate-limit 3 entities=exchange every=40
  The exchange takes 20 order requests a second per account and answers 429 beyond that.
  ? How many order requests a second are allowed?
fact funding-times 4 every=18
  Funding is settled at 00:00, 08:00 and 16:00 UTC.
  ? At which hours is funding settled?
  ~ 55 The funding settlements happen at midnight, 08:00 and 16:00 UTC.
fact smallest-order 5
  The smallest order is 0.001 BTC or 0.01 ETH; for the other symbols it is 5 dollars.
fact account-start 0 every=50
  The trading account started the year with 48,500 dollars.
  ? With how much money did the account start?
fact ilse-books 2 entities=Ilse every=30
  Ilse keeps the books and needs the trade list by the third working day of each month.
  ? When does Ilse need the trade list?
  ~ 57 The trade list must reach Ilse, who does the accounts, by the third working day of the month.
fact tobias-risk 2 entities=risk-sheet risk_checker=Tobias risk_day=Monday until=100
  Tobias shares the desk and checks the risk sheet on Mondays.
fact noor-risk 103 entities=risk-sheet risk_checker=Noor risk_day=Tuesday every=18 changes=tobias-risk
  Tobias left the desk; Noor checks the risk sheet on Tuesdays now.
  ? Who checks the risk sheet?
fact mira-dog 11 entities=Mira
  Mira has a dog named Pepper that barks at price alerts.
fact mira-brother 45 entities=Mira,Joon
  Joon is Mira's younger brother and trades from his phone.
fact tax-year 20 entities=Ilse
  Ilse says that gains on positions held under a year are taxed at 28 % in Portugal.
fact tax-tallinn 123 entities=Ilse
  Ilse found that the Estonian rate is 22 % and that moving mid-year means two filings.
fact backup-limits 70 entities=second-venue
  The second venue has no stop orders on AVAX and charges 0.06 % taker.
fact clock-drift 26
  The machine's clock drifts 40 milliseconds a day; it is set anew at 03:00 UTC.
  ~ 96 At 03:00 UTC the clock of the machine is corrected; it is off by 40 milliseconds a day.
fact data-gap 32
  The price feed has a hole on 18 January between 02:10 and 02:37 UTC; rates for that night are guesses.
fact slippage-table 56
  Median slippage: 0.01 % on BTC and ETH, 0.03 % on SOL, 0.06 % on LINK and AVAX.
  ~ 106 Slippage in the median is 0.06 % on LINK and AVAX, 0.03 % on SOL, 0.01 % on BTC and ETH.
fact maintenance-window 42 entities=exchange every=33
  The exchange does maintenance on the second Tuesday of the month, 06:00 to 07:30 UTC.
  ? When is the exchange's maintenance window?
fact insurance-fund 50 entities=exchange
  The exchange's insurance fund covered all liquidation losses in February.
  ~ 64 All losses from liquidations in February were paid by the insurance fund of the exchange.
fact api-key-age 68 entities=exchange
  Trading keys expire after 90 days; the present one ends on 12 June.
fact api-key-new 157 entities=exchange changes=api-key-age
  The trading key was renewed on 11 June and ends on 9 September.
fact average-hold 85
  The average trade was open for 31 hours in the first quarter.
fact quarter-result 86
  The first quarter ended at plus 3.4 % after fees; February was its worst month with minus 1.9 %.
  ~ 93 Result of the first quarter after fees: plus 3.4 %, with February the worst month at minus 1.9 %.
fact btc-cycle 16 symbol=BTC entities=BTC
  BTC moved more than 3 % in a day on 21 of the last 90 days.
fact btc-weekly 40 symbol=BTC entities=BTC every=11
  The weekly BTC levels are kept in one sheet; the newest row is always the one that counts.
  ? Where are the weekly BTC levels kept?
fact btc-month-end 108 symbol=BTC entities=BTC
  BTC option expiry on the last Friday of a month pins the price within 1.5 % until 08:00 UTC.
  ~ 148 On the last Friday of the month BTC stays within 1.5 % until the options expire at 08:00 UTC.
fact eth-beta 18 symbol=ETH entities=ETH
  ETH moves 1.3 times as far as BTC on falling days and 1.1 times on rising ones.
fact eth-staking 52 symbol=ETH entities=ETH
  About 28 % of all ETH is staked, so the free float reacts faster than it did two years ago.
fact eth-hours 115 symbol=ETH entities=ETH every=23
  ETH has its widest hourly bars between 14:00 and 15:00 UTC.
  ? In which hour are the ETH bars widest?
fact sol-outage 28 symbol=SOL entities=SOL
  The SOL network stood still for five hours last year; perpetuals traded on and gapped 6 %.
fact sol-volume-hours 75 symbol=SOL entities=SOL every=13
  SOL volume doubles when the American session opens at 13:30 UTC.
  ? When does SOL volume pick up?
  ~ 121 At 13:30 UTC, with the opening in America, the volume in SOL is twice what it was.
fact sol-average 134 symbol=SOL entities=SOL
  A SOL bar counts as heavy volume from 1.5 times the mean of the 20 bars before it.
fact xrp-headlines 35 symbol=XRP entities=XRP
  XRP reacts to court headlines within two minutes and gives half of it back within the hour.
fact xrp-spread 79 symbol=XRP entities=XRP
  The XRP spread is one tick for most of the day and four ticks after 21:00 UTC.
fact ada-lag 37 symbol=ADA entities=ADA
  ADA starts moving about forty minutes after SOL does when the whole market rises.
fact ada-levels 94 symbol=ADA entities=ADA
  ADA respects round cents: 14 of 19 turns in March were within 0.3 % of one.
fact link-supply 43 symbol=LINK entities=LINK
  LINK unlocks come every quarter and weighed on the price for three days each time.
  ~ 89 Each quarter LINK tokens are unlocked and the price suffers for about three days.
fact link-case 62 symbol=LINK entities=LINK
  In chat exports the ticker LINK is easily taken for the word link; only upper case is the symbol.
fact avax-subnet 59 symbol=AVAX entities=AVAX
  AVAX jumps on subnet launches, most of all when the launch was announced less than a week before.
fact avax-spread 105 symbol=AVAX entities=AVAX
  The AVAX spread is 0.04 % in the European morning and 0.02 % in the American afternoon.
"""

CURIOSITIES = """
curiosity moon-phase 8
  Does the phase of the moon show in volume? Joon swears it does. Somebody should count.
curiosity round-times 14
  Why do so many reversals fall on the minute 37 of an hour?
curiosity oil-btc 23
  BTC and oil fell on the same six days in January. Coincidence or a common seller?
curiosity volume-weather 31
  On rainy Sundays in Europe volume seems higher. Worth a small test.
curiosity stop-cluster 38 every=40
  Where do other traders put their stops? The dips under round numbers look like somebody knows.
  ? Where do other traders put their stops?
curiosity weekend-gap 48
  Do weekend gaps close more often when funding is negative on Friday?
curiosity eth-btc-ratio 53
  What does the ETH to BTC ratio do in the week after a rate decision?
curiosity sol-night 65
  Who trades SOL at 04:00 UTC? There is a burst of equal-sized orders every night.
curiosity holiday-volume 88
  Is the week before Easter always this quiet?
curiosity tick-sizes 81
  Would a larger tick size make LINK easier to trade?
curiosity ada-cents 94
  Why does ADA care about round cents and XRP not?
curiosity tired-eyes 89
  Do I see more setups late at night, or are there more of them?
curiosity fee-holiday 98
  How much volume was there only because of the fee change at the end of March?
curiosity pepper 107
  Does Pepper's barking predict volatility? Mira claims six out of eight.
curiosity half-life 113
  How long does a level stay useful? My guess is three weeks.
curiosity spread-signal 122
  Is a widening spread on the second venue an early sign of trouble on the first?
curiosity sol-eth-lead 129
  SOL led ETH twice this week. Has the order changed for good?
curiosity baltic-hours 127
  Does the report read differently now that it arrives an hour into Mira's morning?
curiosity trailing-why 159
  Why did trailing stops lose to fixed targets? Perhaps they give back too much in thin hours.
curiosity volume-threshold 143
  Is 1.5 times the average really the threshold, or would 1.3 do as well?
curiosity summer-lull 170
  Will the summer lull come with the solstice again? Last year volume halved on 24 June.
curiosity playbook-size 172
  Would a bigger size on the best setup help more than a fourth setup?
"""

NOTES = """
note reading-list 9
  Reading list from Tobias: a history of panics, a book on queues, nothing about charts.
note desk-move 19
  The desk moved to the window side. Mira says that the light is better for the mornings.
note coffee-bet 25 entities=Tobias
  Tobias bet a coffee that February would bring fewer trades than January.
note coffee-paid 55 entities=Tobias
  The coffee bet with Tobias is settled and paid.
note phone-number 36 entities=Mira
  Mira's spare phone is for alerts alone; calls go nowhere.
note bad-number 168
  The drawdown in May was 14 %.
note good-number 169
  The drawdown in May was 4.1 %; the 14 % in the earlier note was a slip.
note pepper-vet 78 entities=Mira
  Mira is at the vet with Pepper on Thursday afternoon; do not expect answers.
note easter-quiet 93
  Easter week: four trades planned, one taken, none regretted.
note farewell-tobias 102 entities=Tobias
  Tobias said farewell with a cake in the shape of a drawdown curve.
note noor-welcome 104 entities=Noor
  Noor asked for the list of all limits on her first day. Sent within the hour.
note flat-tallinn 119 entities=Mira
  The flat in Tallinn has a slow line until the technician comes on the 14th.
note line-fixed 130 entities=Mira
  The line in Tallinn is fixed: 8 milliseconds to the exchange's nearest door.
note garden 137 entities=Mira
  Mira grows tomatoes on the balcony and sends pictures on green days.
note noor-question 149 entities=Noor
  Noor asked why breakouts without volume are still taken at all. Good question.
note half-year 178
  Half a year of notes. The trades that hurt are all in here, and that is the point.
note holiday-dates 173 entities=Mira,Noor
  Mira is away from 11 to 25 July; Noor reads the reports.
"""

EVENTS = """
event ev-inflation-jan 9
  Inflation came in at 2.9 %, a tenth above forecast. BTC fell 2.2 % in eight minutes and recovered by noon.
event ev-feed-gap 13
  The price feed stopped for 27 minutes in the night. No orders were open.
event ev-rate-january 23
  The central bank left rates alone. The market had expected nothing else and moved 0.4 %.
event ev-maintenance-feb 36 entities=exchange
  Maintenance at the exchange ran 50 minutes over; two resting orders were lost and placed again.
event ev-three-stops 38
  Three alt-coin stops were hit within nine minutes after a liquidation wave in SOL.
event ev-coffee 53 entities=Tobias
  Counted the trades of the month for the bet. Tobias gets his coffee.
event ev-dot-delist 53 symbol=DOT entities=DOT tags=dot
  The second venue announced that it drops DOT perpetuals at the end of the month.
event ev-jobs-march 60
  Weak jobs report; the first move up was sold within half an hour.
event ev-gap-eth 75 symbol=ETH entities=ETH
  ETH gapped 3.4 % at 02:14 UTC when one market maker pulled its quotes. The stop filled 2.1 % lower.
event ev-fee-change 84 entities=exchange
  The new fee schedule is live since this morning.
event ev-withdrawals 68 entities=exchange
  Withdrawals were halted for three hours without a word. They resumed at 19:20 UTC.
event ev-xrp-court 91 symbol=XRP entities=XRP
  A court date for XRP was moved to the autumn; the price lost 5 % and took back 3 %.
event ev-tobias-leaves 102 entities=Tobias
  Last day of Tobias at the desk.
event ev-move 117 entities=Mira
  Mira's furniture left Lisbon today. Reports go to her phone until Monday.
event ev-rate-may 120
  The central bank cut by a quarter point. ETH rose 4 % before the press conference and fell 3 % during it.
event ev-line-down 124 entities=Mira
  The line in Tallinn was down from 09:00 to 15:40. The agent ran alone and opened nothing.
event ev-avax-launch 136 symbol=AVAX entities=AVAX
  A large subnet went live; AVAX rose 9 % in four hours on three times its usual volume.
event ev-inflation-may 128
  Inflation at 2.4 %, as expected. The quietest print of the year.
event ev-key-renewed 157 entities=exchange
  Trading key renewed, old key switched off, all services answered within a minute.
event ev-sol-upgrade 163 symbol=SOL entities=SOL
  The SOL network upgrade went through without a pause; volume has been heavy since.
event ev-quarter-end 176
  Quarter end: all statements reconciled with the exchange to the cent.
event ev-noor-drill 174 entities=Noor
  Noor paused and resumed trading in a drill. Everything stood still within two seconds.
event ev-rain 146
  A thunderstorm took the power for four minutes; the batteries held.
event ev-maintenance-june 155 entities=exchange
  Maintenance at the exchange ended ten minutes early for once.
"""
