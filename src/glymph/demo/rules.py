"""What the agent's user wants and what both settled on: preferences, goals, decisions, lessons,
playbooks.
"""

PREFERENCES = """
preference report-long 0 entities=Mira report_length=long source=Mira every=14 until=96
  Mira wants the daily report long: every position, every reason, two pages are fine.
  ? How long should the daily report for Mira be?
  ~ 31 The report Mira gets each day should be detailed, with a reason for each position, up to two pages.
preference report-short 97 entities=Mira report_length=short source=Mira every=9 changes=report-long
  Mira now wants the daily report short: five lines, open risk first, no prose.
  ? How long should the daily report for Mira be?
  ~ 128 Keep the daily report for Mira down to five lines and start it with the open risk; leave out prose.
fact home-lisbon 1 entities=Mira city=Lisbon source=Mira every=40 until=110
  Mira lives in Lisbon and works from a room above a bakery.
  ? In which city does Mira live?
  ~ 46 Lisbon is home for Mira; her office is a room over a bakery.
fact home-tallinn 118 entities=Mira city=Tallinn source=Mira every=25 changes=home-lisbon
  Mira moved to Tallinn this weekend and lives there in a flat for at least a year.
  ? In which city does Mira live?
preference report-time-lisbon 1 entities=Mira report_time=07:30 source=Mira every=30 until=115
  Send the daily report at 07:30 Lisbon time, before Mira's first coffee.
  ? When is the daily report to be sent?
preference report-time-tallinn 119 entities=Mira report_time=08:15 source=Mira every=16 changes=report-time-lisbon
  Send the daily report at 08:15 Tallinn time from now on.
  ? When is the daily report to be sent?
preference risk-one 0 entities=Mira risk_per_trade=1 source=Mira every=8 until=50
  Risk at most 1 % of the account on one trade.
  ? How much of the account may one trade risk?
  ~ 19 A single trade must not put more than 1 % of the account at stake.
preference risk-three-quarters 52 entities=Mira risk_per_trade=0.75 source=Mira every=9 until=122 changes=risk-one
  Risk per trade goes down to 0.75 % of the account until the drawdown is made good.
  ? How much of the account may one trade risk?
preference risk-half 124 entities=Mira risk_per_trade=0.5 every=7 changes=risk-three-quarters pinned=yes
  Mira sets the risk per trade to 0.5 % of the account for the rest of the year.
  ? How much of the account may one trade risk?
preference leverage-three 3 entities=Mira max_leverage=3 source=Mira every=25 until=74
  Up to 3x leverage is fine for Mira.
  ? How much leverage is allowed?
preference leverage-two 76 entities=Mira max_leverage=2 source=Mira every=18 changes=leverage-three
  No more than 2x leverage, Mira says after the night of the ETH gap.
  ? How much leverage is allowed?
  ~ 139 Leverage is capped at 2x; Mira asked for that after ETH gapped overnight.
preference alert-mail 4 entities=Mira alert_channel=mail source=Mira until=60
  Urgent alerts go to Mira by e-mail.
preference alert-text 66 entities=Mira alert_channel=text source=Mira every=35 changes=alert-mail
  Urgent alerts go to Mira's phone as a text message; she misses e-mail.
  ? How do urgent alerts reach Mira?
preference currency-dollar 6 entities=Mira report_currency=USD source=Mira until=110
  Profit and loss are reported in US dollars.
preference currency-euro 120 entities=Mira report_currency=EUR source=Mira every=20 changes=currency-dollar
  Report profit and loss in euros since the move.
  ? Which currency does the report use?
preference chart-hourly 8 entities=Mira timeframe=1h source=Mira until=84
  Mira reads hourly charts and wants levels taken from them.
preference chart-four-hours 88 entities=Mira timeframe=4h source=Mira every=22 changes=chart-hourly
  Mira switched to four-hour charts; levels from hourly charts are noise to her.
  ? Which chart timeframe does Mira read?
preference weekend-yes 10 entities=Mira weekend_trading=yes source=Mira until=125
  Trading on weekends is fine with Mira.
preference weekend-no 131 entities=Mira weekend_trading=no source=Mira every=14 changes=weekend-yes
  No new positions on weekends; Mira wants her Saturdays back.
  ? Are new positions on weekends allowed?
  ~ 150 Mira does not want positions opened on Saturday or Sunday any more.
preference quiet-hours 5 entities=Mira quiet_hours=22:30-06:30 source=Mira every=30
  Never message Mira between 22:30 and 06:30 unless a stop failed.
  ? When must Mira not be messaged?
  ~ 63 Leave Mira alone from 22:30 to 06:30, except when a stop did not work.
preference order-type 7 entities=Mira order_type=limit source=Mira every=26
  Mira prefers limit orders; market orders only to get out.
  ? Limit or market orders?
  ~ 71 Use limit orders for entries, as Mira likes it, and market orders for exits alone.
preference plain-words 13 entities=Mira source=Mira
  Mira dislikes the words guaranteed and moon in any report.
preference number-style 2 entities=Mira source=Mira
  Write numbers for Mira with a decimal point and a space before the per cent sign.
preference show-losers 29 entities=Mira source=Mira
  List losing trades before winning ones, Mira wants to see the damage first.
"""

GOALS = """
goal goal-year 0 entities=Mira source=Mira every=30 pinned=yes
  Grow the account by 15 % this year with no month worse than minus 4 %.
  ? What is the goal for the year?
goal goal-drawdown 0 source=Mira every=35
  Keep the deepest drawdown of the account under 8 %.
  ? How deep may the drawdown be?
goal goal-journal 3
  Write one honest sentence about every closed trade on the day it closes.
goal goal-setups 41
  Be down to three setups with known win rates by the end of June.
goal goal-sleep 77 source=Mira
  Have no position open overnight that would need Mira to be awake.
goal goal-costs 86
  Bring fees and funding under 12 % of gross profit in the second quarter.
  ~ 117 Fees together with funding shall be less than 12 % of the gross profit of the second quarter.
goal goal-exits 103
  Find out whether trailing stops beat fixed targets on at least 40 trades.
goal goal-summer 160 entities=Mira source=Mira
  Run the two weeks of Mira's July holiday with half the usual risk and no surprises.
"""

DECISIONS = """
decision start-eight 0
  Trade seven symbols to begin with; add an eighth only when one of them is dropped.
decision journal-format 2
  Every close gets setup, volume at entry and result as attributes, so that rates can be counted later.
  ~ 38 Each closed trade is stored with its setup, the volume at entry and the outcome, to count rates later.
decision two-positions 9 every=20 until=140
  Never hold more than two positions in the same direction on correlated symbols.
  ? How many correlated positions at once?
decision no-averaging 14 every=28
  No averaging down, not even when the thesis still stands.
  ? May a losing position be averaged down?
  ~ 58 Do not add to a losing position, whether or not the thesis still holds.
decision stop-width 21
  Stops go beyond the last swing plus half an average daily range, never at round numbers.
  ~ 67 Place stops past the last swing by half an average daily range and keep away from round numbers.
decision btc-filter 27 every=17
  Take alt-coin longs only while BTC holds above its 20-day average.
  ? When are alt-coin longs allowed with respect to BTC?
decision pause-after-three 34 every=24
  After three losses in a row, stop opening trades until the next day.
  ? What happens after three losses in a row?
  ~ 92 Three losing trades in a row mean no new trade before tomorrow.
decision drop-dot 54 symbol=DOT entities=DOT tags=dot until=54
  Stop trading DOT: spreads are wide, the moves are late copies of ETH, and 26 trades were not worth their fees.
decision take-avax 47 symbol=AVAX entities=AVAX until=54
  AVAX goes on the list; its breakouts are cleaner than those of DOT.
decision fewer-signals 61
  Ignore signals with severity under 0.4; they led to nothing in January and February.
decision news-out 95 setup=news_spike every=25
  No more news spikes: of every four such trades three lost, and slippage ate the fourth.
  ? Do we still trade news spikes?
  ~ 133 The news spike setup is retired; three in four of these trades were losers and slippage took the rest.
decision gap-guard 76 entities=ETH
  Halve ETH size in the hour before the funding settlement after the gap of 21 March.
decision fee-tier 84
  Post passive orders first for 90 seconds, then cross the spread; the new fee tier rewards it.
decision weekly-review 12 every=21
  Review all closed trades every Friday at 16:00 UTC before the week's last session.
  ? Review of closed trades every week: Friday at what time?
decision backup-venue 69
  Keep a tenth of the capital on a second venue in case the first one halts withdrawals.
decision no-tips 44 entities=Joon
  Tips from Joon are written down but never traded within 48 hours.
decision report-template 97
  New report layout: risk, positions, result, one sentence of outlook, one open question.
decision euro-rate 120
  Convert to euros at the 16:00 UTC rate of the report day, not at the rate of each trade.
decision trailing-test 103
  Every second winner runs with a trailing stop until the comparison has 40 trades.
decision trailing-verdict 158 every=9
  Keep fixed targets: over 40 trades the trailing stop earned 0.3 % less on average.
  ? Trailing stops or fixed targets?
decision weekend-flat 131
  Close or hedge everything that has less than 1 % room to its stop on Friday at 20:00 UTC.
decision volume-rule 141 setup=breakout every=6 salience=0.8
  Breakouts are only taken with volume at least 1.5 times its 20-bar average; thin ones are logged, not traded big.
  ? Are breakouts taken at 1.5 times the 20-bar volume, or logged only?
decision holiday-plan 165 entities=Mira
  During Mira's holiday Noor gets the report and may pause trading, but not change limits.
decision sol-first 164 symbol=SOL entities=SOL
  Give SOL breakouts priority over other entries in the last two weeks of the quarter.
decision paper-list 147 entities=Noor link=ev-rain:caused_by
  Noor gets a list of all open positions on paper every evening.
"""

LESSONS = """
lesson wait-close 6 source=Mira every=22 until=150
  Wait for the candle to close beyond the level. Half of the intrabar breaks this week came back inside.
  ? Enter a breakout before or after the candle closes?
lesson funding-cost 17 source=Mira
  A position held through three funding settlements cost 0.09 %, more than the fee to open it.
lesson monday-open 22
  The first two hours of Monday in Asia reverse the weekend move more often than they extend it.
  ~ 79 On Mondays the first two Asian hours tend to undo what the weekend did.
lesson size-of-fear 30 source=Mira every=33
  If a position makes me check the price every five minutes, it is twice too large.
  ? How do I know that a position is too large?
lesson dot-follows 33 symbol=DOT entities=DOT tags=dot until=50
  DOT followed ETH with a delay of twenty minutes in nine of eleven moves; there is no edge in the late copy.
lesson thin-breaks 58 source=Mira setup=breakout every=10 salience=0.8 pinned=yes
  Breakouts on thin volume fail. Look at the volume bar before the price.
  ? What does thin volume mean for a breakout?
  ~ 101 When volume is thin the breakout does not hold, so read the volume bar first and the price second.
lesson gap-night 76 entities=ETH every=40
  The ETH gap of 21 March went 2.1 % through the stop. A stop is a wish when the book is empty.
  ? What happened in the night of the ETH gap?
lesson news-slippage 90 setup=news_spike
  On news spikes the fill was 0.35 % worse than the quote on average, which is the whole edge.
lesson range-middle 64 setup=range_fade every=26
  Fading a range works at its edges. In the middle third it was a coin toss minus fees.
  ? Where inside a range does fading work?
lesson tip-joon 44 entities=Joon source=Mira
  All four tips from Joon were right about direction and a week early.
lesson friday-book 73
  Order books thin out after 20:00 UTC on Fridays; the same size moves the price twice as far.
  ~ 114 After 20:00 UTC on a Friday the book is thin and an order of the same size moves price twice as much.
lesson partial-profits 82 source=Mira
  Taking half off at one risk unit felt good and cost 0.2 units per trade over thirty trades.
lesson correlated-stops 39
  Three alt-coin longs are one trade. On 12 February all three stops went within nine minutes.
lesson pullback-depth 109 setup=pullback every=15
  Pullbacks that hold the middle of the last leg are worth buying; deeper ones are a new trend.
  ? Which pullbacks are worth buying, and are deeper ones a new trend?
lesson patience-eth 126 entities=ETH
  ETH needs two attempts at a level. The first break fails so often that waiting costs little.
lesson report-short-works 112 entities=Mira
  With the short report Mira answers within ten minutes; the long one took her until the evening.
lesson sleep-rule 87 source=Mira
  Trades opened after 23:00 UTC lost 4.4 % together since January. Tired eyes see setups.
  ~ 144 Everything opened later than 23:00 UTC since January added up to a loss of 4.4 %; fatigue invents setups.
lesson avax-opening 99 symbol=AVAX entities=AVAX every=28
  AVAX makes its move of the day between 13:00 and 16:00 UTC; entries before noon sat in chop.
  ? At what time of day does AVAX move?
lesson exit-plan 135 source=Mira
  Writing the exit before the entry cut the average loss from 1.6 to 1.2 %.
  ~ 161 The average loss fell from 1.6 to 1.2 % since the exit is written down before the entry.
lesson sol-volume 168 symbol=SOL setup=breakout entities=SOL every=4
  SOL breaks with heavy volume keep going for hours; buying the first dip misses most of them.
  ? How do SOL breakouts with heavy volume behave?
"""

PLAYBOOKS = """
playbook play-breakout 24 setup=breakout trigger=range_break direction=long every=9 salience=0.7
  Breakout playbook: mark the range on the chart, wait for a close beyond it, enter on a limit at the
  edge, stop inside the range, target one range height.
  ? Which playbook is there for a breakout?
playbook play-pullback 36 setup=pullback trigger=trend_pause direction=long every=12
  Pullback playbook: trend up on the daily chart, price back at the 20-bar average, momentum turning;
  enter in thirds, stop under the last low, leave at the old high.
  ? Which playbook is there for a pullback?
playbook play-range 49 setup=range_fade trigger=range_edge direction=both every=19
  Range playbook: two touches on each side, no news within four hours, fade the third touch with a stop of
  0.8 % beyond and leave in the middle.
  ? Which playbook is there for a range?
playbook play-news 15 setup=news_spike trigger=scheduled_news direction=both until=90
  News playbook: stay flat ten minutes before the print, follow the first five-minute bar when it is wider
  than 0.8 %, leave within the hour.
playbook play-outage 72 trigger=exchange_outage every=45
  Outage playbook: cancel resting orders through the backup connection, hedge on the second venue, write
  to Mira, do not reopen before two clean hours.
  ? What to do in an exchange outage?
playbook play-drawdown 110 trigger=drawdown every=30
  Drawdown playbook: at minus 3 % on the month halve the size, at minus 4 % stop for the week and review
  every trade with Mira.
  ? What to do in a drawdown?
"""
