"""Half a year of one trading agent's life, made from a seed: the same seed, the same life.

Planted in it, for whoever looks for structure: breakouts that win on high volume and lose on low; a
symbol and a project that fall silent after two months; statements that later ones make untrue;
views that turn; repeats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from examples.demo import sessions, trades, views
from examples.demo.events import Ask, Day, Event, Learn, Links, Pin, PutAway
from examples.demo.halfyear import DAYS, moment
from examples.demo.market import Prices, prices
from examples.demo.sessions import Session
from examples.demo.story import Story, read_stories

REPEATS = 46
_REPEATED_KINDS = ("fact", "preference", "decision", "lesson", "playbook")


def life(seed: int = 7) -> Iterator[Day]:
    """Yields the days of the half-year, each with its events in order."""
    by_day: dict[int, list[Event]] = defaultdict(list)
    for event in _events(seed):
        by_day[(event.at - moment(0)).days].append(event)
    for day in range(DAYS):
        yield Day(moment(day).date(), tuple(sorted(by_day[day], key=lambda event: event.at)))


def _events(seed: int) -> Iterator[Event]:
    market = prices(seed, DAYS)
    stories = read_stories()
    talks = sessions.sessions(Random(f"{seed}/sessions"))
    held = views.theses(Random(f"{seed}/theses"), market)
    done = trades.plan(seed, market)
    yield from held
    yield from _trade(done, held, Random(f"{seed}/told"))
    yield from _talk(talks, done, Random(f"{seed}/talks"), market)
    rng = Random(f"{seed}/views")
    yield from views.signals(rng, market)
    yield from views.watchpoints(rng, market)
    yield from views.chances(rng, market)
    learned = list(_tell_stories(stories, talks, Random(f"{seed}/stories")))
    yield from learned
    yield from _repeat_some(stories, learned, Random(f"{seed}/repeats"))
    yield from _reword_some(stories, learned)
    yield from _ask_questions(stories, Random(f"{seed}/asks"))
    yield from _tidy_by_hand()


def _trade(done: Iterable[trades.Trade], held: list[Learn], rng: Random) -> Iterator[Event]:
    last: dict[tuple[str, str], trades.Trade] = {}
    for trade in done:
        causes: list[tuple[str, str]] = []
        if rng.random() < 0.45:
            signal = views.hint(trade, rng)
            yield signal
            causes.append((signal.ref, "caused_by"))
        view = views.in_force(held, trade.symbol, trade.opened)
        if view is not None and rng.random() < 0.5:
            causes.append((view.ref, "related_to"))
        yield from trades.describe_trade(trade, rng, tuple(causes))
        before = last.get((trade.symbol, trade.setup))
        if (
            before is not None
            and before.closed < trade.opened - timedelta(hours=1)
            and rng.random() < 0.4
        ):
            query = f"{trade.symbol} {trade.name} closed, what came of the last one?"
            yield Ask(trade.opened - timedelta(minutes=5), query, used=(f"{before.ref}-close",))
        if trade.is_closed:
            last[trade.symbol, trade.setup] = trade
            yield from _confirm_rule(trade, rng)


def _confirm_rule(trade: trades.Trade, rng: Random) -> Iterator[Event]:
    """After some breakouts the agent looks up the rule on volume and finds it confirmed."""
    as_expected = trade.won is (trade.volume == "high")
    if (
        trade.setup == "breakout"
        and trade.closed > moment(59)
        and as_expected
        and rng.random() < 0.4
    ):
        at = trade.closed + timedelta(minutes=12)
        yield Ask(
            at, "Breakouts on thin volume fail, look at the volume bar", confirmed=("thin-breaks",)
        )


def _talk(
    talks: Iterable[Session], done: list[trades.Trade], rng: Random, market: Prices
) -> Iterator[Learn]:
    for talk in talks:
        turns = list(sessions.turns(talk, rng, market))
        yield from turns
        yield sessions.summary(talk, turns, done, rng, market)


def _tell_stories(
    stories: Iterable[Story], talks: Iterable[Session], rng: Random
) -> Iterator[Learn]:
    """Yields the stories, in the day's session if any, linked to the last about their symbol."""
    names = {talk.day: talk.name for talk in talks}
    last: dict[str, str] = {}
    timed = [(moment(story.day, rng.uniform(7, 18)), story) for story in stories]
    for at, story in sorted(timed, key=lambda pair: pair[0]):
        fields: dict[str, Any] = {"text": story.text, "kind": story.kind, **story.fields}
        if story.day in names:
            fields["session"] = names[story.day]
        if story.kind == "event":
            fields["event_at"] = at
        links: Links = story.links
        symbol = story.fields.get("attributes", {}).get("symbol")
        if symbol in last:
            links = (*links, (last[symbol], "same_entity"))
        if symbol:
            last[symbol] = story.ref
        yield Learn(at, story.ref, fields, links)


def _repeat_some(
    stories: Iterable[Story], learned: Iterable[Learn], rng: Random
) -> Iterator[Learn]:
    """Yields statements heard again, word for word, in another case or spacing."""
    by_ref = {learn.ref: learn for learn in learned}
    ends = _ends(stories)
    able = [s for s in stories if s.kind in _REPEATED_KINDS and ends[s.ref] - s.day > 12]
    for number in range(REPEATS):
        story = rng.choice(able)
        first = by_ref[story.ref]
        day = rng.randint(story.day + 2, ends[story.ref])
        fields = {**first.fields, "text": _otherwise_typed(story.text, number)}
        yield Learn(
            moment(day, rng.uniform(8, 19)), f"repeat-{number:02}", fields, repeats=story.ref
        )


def _otherwise_typed(text: str, number: int) -> str:
    words = text.split(" ")
    half = len(words) // 2
    return (
        text.lower(),
        "  ".join(words),
        f"{' '.join(words[:half])}\n{' '.join(words[half:])}",
        f"  {text.capitalize()} ",
        text.upper(),
    )[number % 5]


def _reword_some(stories: Iterable[Story], learned: Iterable[Learn]) -> Iterator[Learn]:
    """Yields statements heard again in other words."""
    by_ref = {learn.ref: learn for learn in learned}
    for story in stories:
        if story.reworded is not None:
            day, text = story.reworded
            kept = {
                name: v
                for name, v in by_ref[story.ref].fields.items()
                if name not in ("pinned", "session")
            }
            yield Learn(
                moment(day, 15.2), f"{story.ref}-again", {**kept, "text": text}, rewords=story.ref
            )


def _ask_questions(stories: Iterable[Story], rng: Random) -> Iterator[Ask]:
    """Yields the questions the stories answer, asked for as long as the topic lives."""
    ends = _ends(stories)
    for story in stories:
        if story.question is None or story.every == 0:
            continue
        day, first = story.day + rng.randint(1, story.every), True
        while day <= ends[story.ref]:
            untrue = (story.changes,) if story.changes and first else ()
            yield Ask(
                _free_moment(day, rng), story.question, used=(story.ref,), contradicted=untrue
            )
            first = False
            day += max(1, story.every + rng.randint(-2, 2))


def _free_moment(day: int, rng: Random) -> datetime:
    return moment(day, rng.uniform(18.2, 21))


def _ends(stories: Iterable[Story]) -> dict[str, int]:
    """Returns the last day each story may be referred to, by ref.

    That is its own end, or the day before another story makes it untrue.
    """
    ends = {story.ref: min(story.until, DAYS - 1) for story in stories}
    for story in stories:
        if story.changes is not None:
            ends[story.changes] = min(ends[story.changes], story.day - 1)
    return ends


def _tidy_by_hand() -> Iterator[Event]:
    """Pins and puts away by hand."""
    yield Pin(moment(60, 18.05), "play-breakout", "the one playbook that must not get lost")
    yield Pin(moment(112, 18.05), "quiet-hours", "Mira said so twice")
    old = tuple(f"watch-{number:03}" for number in range(5))
    yield PutAway(moment(62, 18.1), old, "levels of January that price left long ago")
    yield PutAway(
        moment(169, 20.0), ("bad-number",), "the number was a slip of the pen", delete=True
    )
