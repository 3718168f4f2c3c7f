"""Topics that fall silent after two months: a symbol that was given up, a project that nobody
finished.
"""

HEATMAP_LAST_DAY = 57

DOT = """
fact dot-auctions 2 symbol=DOT entities=DOT tags=dot every=9 until=50
  DOT parachain auctions lock tokens for 96 weeks, which thins the float around each auction.
  ? How do DOT parachain auctions change the float?
fact dot-unbonding 6 symbol=DOT entities=DOT tags=dot every=16 until=50
  Unstaking DOT takes 28 days, so forced sellers announce themselves a month ahead.
  ? How long does unstaking DOT take?
  ~ 21 It takes 28 days to unstake DOT; whoever must sell is visible a month before.
fact dot-spread 12 symbol=DOT entities=DOT tags=dot until=50
  The DOT spread is 0.09 %, three times that of SOL.
fact dot-calendar 9 symbol=DOT entities=DOT tags=dot until=50
  The next three DOT parachain auctions are on 22 January, 5 February and 19 February.
fact dot-inflation 26 symbol=DOT entities=DOT tags=dot until=50
  DOT issues about 8 % new tokens a year, most of it to stakers.
fact dot-correlation 33 symbol=DOT entities=DOT tags=dot until=50
  The correlation of DOT with ETH was 0.91 over the last thirty days.
curiosity dot-auction-drift 11 symbol=DOT entities=DOT tags=dot until=50
  Does DOT drift upwards in the five days before a parachain auction?
lesson dot-auction-fade 24 symbol=DOT entities=DOT tags=dot until=50 source=Mira
  The parachain auction of 22 January was bought for a week and sold in an hour. Fade the event, not the run.
playbook dot-play 27 symbol=DOT entities=DOT tags=dot trigger=auction direction=short until=50
  DOT auction playbook: short the first lower high after a parachain auction ends, stop 1.5 % above.
note dot-doubt 48 symbol=DOT entities=DOT tags=dot until=50
  Tobias doubts that DOT deserves a place on the list at all.
"""

HEATMAP = """
goal heatmap-goal 12 tags=heatmap project=heatmap source=Mira
  Have a funding heatmap of forty symbols on the second screen by the end of February.
decision heatmap-start 12 tags=heatmap project=heatmap every=12 until=52
  Build a funding heatmap: one row per symbol, one column per settlement, colour by rate.
  ? What is the funding heatmap supposed to show?
fact heatmap-source 14 tags=heatmap project=heatmap until=52 link=heatmap-start:part_of
  Funding history for the heatmap comes in pages of 200 rows and reaches back to 2023.
fact heatmap-colours 16 tags=heatmap project=heatmap every=20 until=52 link=heatmap-start:part_of
  Heatmap colours run from blue at minus 0.05 % to orange at plus 0.05 % per settlement.
  ? Which colours does the heatmap use?
  ~ 35 In the heatmap blue stands for minus 0.05 % and orange for plus 0.05 % of funding.
decision heatmap-storage 18 tags=heatmap project=heatmap until=52 link=heatmap-source:part_of
  Store the heatmap rows as one file per month; a database would be overkill.
note heatmap-sketch 20 tags=heatmap project=heatmap link=heatmap-start:part_of
  Mira drew the heatmap on a napkin: symbols down the side, time from left to right, today outlined.
event heatmap-first 23 tags=heatmap project=heatmap link=heatmap-storage:caused_by
  First heatmap on screen: 12 symbols, 90 settlements, drawn in 1.8 seconds.
decision heatmap-wider 28 tags=heatmap project=heatmap until=52 link=heatmap-first:caused_by
  Widen the heatmap to 40 symbols and draw only what changed.
lesson heatmap-limits 30 tags=heatmap project=heatmap until=52 link=heatmap-source:related_to
  Loading forty symbols at once hits the request limit. Fetch four at a time with a pause of a second.
curiosity heatmap-pattern 32 tags=heatmap project=heatmap link=heatmap-first:related_to
  Do whole rows of the heatmap turn orange a day before the market falls?
fact heatmap-gap 37 tags=heatmap project=heatmap until=52 link=heatmap-source:related_to
  Three symbols in the heatmap have no funding history before last October.
event heatmap-slow 43 tags=heatmap project=heatmap link=heatmap-wider:caused_by
  The heatmap with 40 symbols takes 11 seconds to draw. Too slow to look at.
decision heatmap-cut 45 tags=heatmap project=heatmap until=52 link=heatmap-slow:caused_by
  Cut the heatmap back to 20 symbols until drawing is faster.
note heatmap-unused 50 tags=heatmap project=heatmap link=heatmap-cut:related_to
  Mira opened the heatmap twice this month, both times by accident.
note heatmap-last 57 tags=heatmap project=heatmap link=heatmap-cut:related_to
  The heatmap task did not start today either; the screen shows the news instead.
"""
