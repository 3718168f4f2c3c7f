"""The agent's ways of putting things: several for each kind of moment, filled in with figures of
the day.
"""

from __future__ import annotations

ENTRY = {
    "breakout": (
        "{Took} {symbol} at {entry} on the break {beyond} {level} after {hours} hours of tight range, {volume}.",
        "Breakout entry: {direction} {symbol} from {entry}, trigger {level}, {volume}.",
        "{symbol} closed {beyond} {level} for the first time in {hours} hours. {Took} it at {entry}; {volume}.",
        "The {hours}-hour range in {symbol} gave way at {level}. {Direction} at {entry} with {volume}.",
        "{Direction} {symbol} at {entry}: third test of {level} and nobody left to defend it. {Volume}.",
    ),
    "pullback": (
        "{Took} the pullback in {symbol} at {entry}, right where the 20-bar average sits.",
        "{symbol} came back to {level} after its run; {direction} at {entry} as momentum turned.",
        "Pullback entry in {symbol}, {direction} from {entry}. The last leg held its middle at {level}.",
        "Waited {hours} hours for {symbol} to rest. {Direction} now at {entry}, {volume}.",
    ),
    "range_fade": (
        "Faded the edge of the {symbol} range: {direction} at {entry}, {level} touched for the third time.",
        "{symbol} is going nowhere between its edges. {Direction} at {entry} against {level}.",
        "{Direction} {symbol} from {entry} with the range intact for {hours} hours and {volume}.",
        "Range trade in {symbol}: {direction} {entry}, out in the middle, wrong beyond {level}.",
    ),
    "news_spike": (
        "{Took} {symbol} at {entry} {minutes} minutes after the print; the first bar was {width} % wide.",
        "News spike in {symbol}: {direction} at {entry}, {volume}, in for an hour at most.",
        "The number surprised and {symbol} jumped through {level}. {Direction} at {entry}.",
        "Followed the headline: {direction} {symbol} from {entry}, filled {width} % worse than quoted.",
    ),
}

RISK = (
    "Stop {stop}, target {target}, {risk} % of the account at risk.",
    "Wrong at {stop}; first target {target}. Risk {risk} %.",
    "Sized for {risk} % risk with the stop at {stop}. Aiming for {target}.",
    "If {stop} trades I am out with {risk} % less; at {target} I take it.",
    "Stop goes to {stop}, {risk} % at stake, target {target}.",
)

BACKGROUND = (
    "Funding is flat, so the move is not crowded.",
    "BTC is quiet, which helps.",
    "The daily chart agrees, the hourly one is late.",
    "Open interest rose {width} % since the morning.",
    "Spread is normal and the book is even.",
    "Two other symbols show the same picture; this one is cleanest.",
    "Not my best idea this week, but by the rules.",
    "The level dates from last week and was respected twice.",
)

MODIFY = (
    "Moved the {symbol} stop to {stop} after {hours} hours; the trade can no longer lose more than half.",
    "{symbol}: target pulled in to {target}, the tape is getting heavy.",
    "Cut the {symbol} position by a third at {price}, the rest runs with the stop at {stop}.",
    "Stop on {symbol} up to the entry. From here it costs nothing to wait for {target}.",
    "Left the {symbol} stop alone but took the second target off at {price}.",
    "Raised the {symbol} target to {target}: momentum is stronger than planned.",
)

CLOSE_WIN = (
    "Closed {symbol} {direction} at {exit} for {pnl} % after {held}. {why}",
    "{symbol} reached {exit}: {pnl} % in {held}. {why}",
    "Took profit on the {symbol} {setup} at {exit}, {pnl} %. {why}",
    "Out of {symbol} at {exit} with {pnl} %, held for {held}. {why}",
    "{pnl} % on {symbol} {direction}, closed at {exit} after {held}. {why}",
)

CLOSE_LOSS = (
    "Stopped out of {symbol} at {exit}: {pnl} % after {held}. {why}",
    "{symbol} {direction} failed, closed at {exit} with {pnl} %. {why}",
    "Lost {lost} % on the {symbol} {setup}, out at {exit} after {held}. {why}",
    "Gave up on {symbol} at {exit}, {pnl} % in {held}. {why}",
    "{pnl} % on {symbol}: the {setup} did not work and I left at {exit}. {why}",
)

WHY = {
    ("breakout", "high", "win"): (
        "Volume stayed at {times} times its average and price never came back to the level.",
        "Heavy volume carried it; the first dip was {width} % and was bought at once.",
        "Every hour traded more than the one before. That is what a real break looks like.",
        "The crowd came in after the close beyond the level, {times} times the usual volume.",
    ),
    ("breakout", "high", "loss"): (
        "Volume was there, but BTC turned and took everything with it.",
        "A real break that met a headline {minutes} minutes later.",
        "Right volume, wrong hour: the book emptied before the American close.",
    ),
    ("breakout", "low", "win"): (
        "Thin volume all the way; lucky that nobody leaned against it.",
        "It crept there on {times} times average volume. I would not do that again.",
    ),
    ("breakout", "low", "loss"): (
        "Nobody followed: volume dried up {bars} bars after the break.",
        "Back inside the range within {bars} bars, on {times} times average volume.",
        "The break had no volume behind it and came back like the others.",
        "A thin break. The level was taken by a handful of orders and given back.",
    ),
    ("pullback", "", "win"): (
        "The average held to the tick and the old high did the rest.",
        "Buyers and sellers agreed on the level; the trend went on.",
        "Patience paid: the second third was filled at the low of the day.",
    ),
    ("pullback", "", "loss"): (
        "It was no pause but the end of the leg.",
        "The average gave way in one bar.",
        "Too deep a pullback; the middle of the leg was already lost when I entered.",
    ),
    ("range_fade", "", "win"): (
        "The edge held and price drifted back to the middle.",
        "Third touch, third refusal. Left in the middle as planned.",
        "The range is alive; {minutes} minutes at the edge and back.",
    ),
    ("range_fade", "", "loss"): (
        "The range broke on the very touch I faded.",
        "Entered too close to the middle, the edge was never tested.",
        "A slow grind through the edge, no spike to warn me.",
    ),
    ("news_spike", "", "win"): (
        "The first bar told the truth this time.",
        "Out before the second thoughts of the market came.",
    ),
    ("news_spike", "", "loss"): (
        "Half the move was gone at the fill and the rest at the stop.",
        "The spike was sold by somebody who had read the number better.",
        "Slippage of {width} % made a small loss a normal one.",
        "Up, down and away, all within {minutes} minutes.",
    ),
}

SIGNAL = {
    "volume_spike": (
        "{symbol} volume is {times} times its 20-bar average on the last bar, price {price}.",
        "Volume burst in {symbol}: {times} times normal within {minutes} minutes at {price}.",
    ),
    "divergence": (
        "{symbol} made a {width} % new extreme at {price}, momentum did not follow.",
        "Divergence on {symbol}: price {price} is further out, the oscillator stayed at {score}.",
    ),
    "funding": (
        "Funding on {symbol} is at {funding} % per settlement, the most extreme in {days} days.",
        "{symbol} funding flipped to {funding} % while price sits at {price}.",
    ),
    "level": (
        "{symbol} touches {level} for the {nth} time this week.",
        "{symbol} is {width} % away from {level}, which mattered twice before.",
    ),
    "open_interest": (
        "Open interest in {symbol} rose {share} % in {hours} hours with price flat at {price}.",
        "{symbol} open interest fell {share} % in one hour; somebody had to leave at {price}.",
    ),
    "correlation": (
        "{symbol} decoupled from BTC: correlation over {hours} hours is down to 0.{score}.",
        "{symbol} leads the market by {minutes} minutes this morning.",
    ),
    "flow": (
        "{share} million dollars of {symbol} went to the exchange within an hour.",
        "Large {symbol} withdrawals: {share} million dollars since midnight.",
    ),
    "book": (
        "Bids under {level} in the {symbol} book add up to {times} times the offers above it.",
        "An offer of {share} million dollars stands in {symbol} at {level}.",
    ),
}

WATCH = (
    "Watch {symbol} at {over}: a close above it opens the way to {up}.",
    "If {symbol} loses {under}, the next shelf is {down}.",
    "{symbol} must hold {under} until the weekly close, else the long idea is void.",
    "Set an alert on {symbol} {level}; a fast touch with heavy volume would be the trigger.",
    "Look at {symbol} again when funding is back under 0.0{score} % and price over {over}.",
    "{symbol} between {under} and {over}: do nothing until one of them goes.",
    "Sellers defended {over} in {symbol} twice. A third visit is worth being awake for.",
    "{symbol} bids sit at {under}; if they are pulled, {down} comes quickly.",
)

BULL = (
    "{symbol} is being collected between {low} and {price}; I expect {target} within {weeks} weeks.",
    "I am constructive on {symbol}: higher lows since {low}, and {target} is the natural magnet.",
    "{symbol} has turned. As long as {low} holds, {target} comes before any new low.",
    "The path of least resistance in {symbol} is up, with {target} as the goal for the next {weeks} weeks.",
)
BULL_WHY = (
    "Sellers at the old high are gone and funding is still negative.",
    "Dips are bought within the hour and spot leads the perpetuals.",
    "Exchange balances fell for {days} days in a row.",
    "The daily average turned up and the first test of it held.",
    "Bad news no longer moves it, which is the best news there is.",
)
BEAR = (
    "{symbol} is being handed out above {price}; I expect {target} within {weeks} weeks.",
    "I do not trust {symbol} here: lower highs since {high}, and {target} has not been tested.",
    "{symbol} has topped for now. Under {high} the next stop is {target}.",
    "Rallies in {symbol} are for selling; {target} is where I would look again, some {weeks} weeks out.",
)
BEAR_WHY = (
    "Every push up is weaker than the last and funding is rich.",
    "Perpetuals lead, spot does not follow.",
    "Tokens move to the exchange for the {nth} day running.",
    "The daily average turned down and served as a lid twice.",
    "Good news is sold within minutes.",
)
TURNED = (
    "I was wrong about {symbol}.",
    "The earlier view on {symbol} does not hold any more.",
    "Change of mind on {symbol}.",
    "What I wrote about {symbol} on {then} is over.",
)

MISSED = (
    "Missed {symbol}: it left {level} without me and ran {share} %. The alert was set one tick too far.",
    "Saw the {symbol} {setup}, waited for a better price and watched {share} % go by.",
    "No order in {symbol} at {level} because two longs were open already; it made {share} %.",
    "The {symbol} move of {share} % began while the feed was being restarted.",
)
PASSED = (
    "Passed on {symbol} at {level}: volume was {low_times} times average. It fell {share} % in {hours} hours.",
    "Did not chase {symbol} after the first {width} %; it gave all of it back.",
    "Left the {symbol} {setup} alone because the stop would have been too wide. It lost {share} %.",
    "Skipped {symbol} ahead of the print. Both directions were stopped out within {minutes} minutes.",
)

TURN = (
    "Mira asked why {symbol} was not traded today. Explained that {level} was never reached.",
    "Went through the {symbol} chart with Mira: support {low}, resistance {high}, nothing to do in between.",
    "An order on {symbol} was rejected for a wrong price step; sent again at {price} and filled.",
    "Compared {symbol} with {other} over {days} days: correlation 0.{score}, {other} moved first {several} times.",
    "Mira asked what a {share} % fall would do to the account: minus {width} % with stops, twice that without.",
    "Recounted the open risk: {risk} % across the book, most of it in {symbol}.",
    "Answered {who}'s question on {symbol} funding: {funding} % per settlement, {minutes} dollars a week for us.",
    "Read the release notes of the exchange; nothing that touches {symbol} or our orders.",
    "Walked through last week's {symbol} trades. The entries were fine, the exits {minutes} minutes late.",
    "Mira asked for the worst case on {symbol} tonight: {low}, which costs {width} % of the account.",
    "Tested the alert chain with a fake {symbol} price of {target}; it arrived after {minutes} seconds.",
    "Discussed with {who} whether {symbol} deserves a larger share. Left it as it is for {days} more days.",
    "Cleaned up resting orders: {several} old ones in {symbol} and {other} removed.",
    "Reconciled fills with the exchange: {minutes} trades, no differences, fees {width} % of volume.",
    "Mira sent a chart of {symbol} with a line at {level}. Agreed with the line, not with the arrow.",
    "Explained slippage on {symbol} to {who}: quoted {price}, filled {width} % away.",
    "Mira thinks that {symbol} at {price} is cheap. Showed her that it was cheaper on {several} days last month.",
    "Counted how often {symbol} closed beyond a level and came back within a day: {several} times in {days} days.",
    "{who} asked for the {symbol} position in plain words. Said: we lose {width} % at {low} and nothing else.",
    "Moved the {symbol} alert from {level} to {price}; it had gone off {several} times for nothing.",
    "Talked about sizing. {symbol} swings {share} % a day, so the position is smaller than in {other}.",
    "Mira was in a hurry: one line on {symbol}, one on {other}, done in {minutes} seconds.",
    "Looked for the reason of the {width} % dip in {symbol}. Found none and said so.",
    "Wrote down what would change my mind on {symbol}: a daily close at {level}, or funding over 0.0{score} %.",
    "{who} found a typing error in the report, {symbol} at {level} instead of {price}. Corrected and sent again.",
    "Simulated a stop at {low} on the last {days} {symbol} days: hit {several} times, recovered half of them.",
    "Asked Mira whether to keep {symbol} over the night. She said yes, with the stop at {low}.",
    "Long talk about patience. {symbol} was the example, {other} the exception.",
    "Swept small balances: {minutes} dollars of dust in {symbol} and {other} turned into cash.",
    "The {symbol} feed lagged by {several} seconds around noon. No order was affected.",
)
HEATMAP_TURN = (
    "Worked {minutes} minutes on the heatmap: rows now sort by the newest funding rate.",
    "Heatmap: fixed the colour of missing settlements, they are grey now in {several} rows.",
    "Mira asked for {symbol} in the heatmap; added, with {days} days of history.",
    "The heatmap loader stopped after {minutes} pages. Restarted it with a pause between requests.",
    "Showed {who} the heatmap; the question was what one would do differently because of it.",
    "Heatmap drawing went from eleven to {several} seconds by leaving out symbols without trades.",
)

SESSION = (
    "Session of {date}: {done}. {mood} Next: {plan}",
    "{date}. {Done}. {mood} Tomorrow: {plan}",
    "Summary of {date}: {done}. {mood}",
    "What happened on {date}: {done}. For tomorrow: {plan}",
)
MOOD = (
    "Open risk {risk} %.",
    "A calm day.",
    "Markets were jumpy, the rules held.",
    "Mira was travelling and short of time.",
    "Nothing broke.",
    "Two alerts, both answered within a minute.",
    "The report went out on time.",
)
PLAN = (
    "see whether {symbol} holds {level}.",
    "look at {symbol} near {level}.",
    "no new idea before {symbol} decides at {level}.",
    "finish the review and leave {symbol} alone.",
    "ask Mira about {symbol}.",
)
