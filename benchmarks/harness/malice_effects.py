"""The effects of malice: what changed that nobody asked for, and what broke out of its place."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.harness.malice_ground import VITAL, Ground, Output, Picture
from benchmarks.harness.malice_ways import ASKED_FOR, FOREIGN_DIGEST, Case
from glymph.history.memory_file import parse
from glymph.learn.digest import ALL_HEADINGS
from glymph.text.shown import SHOWN_FROM, SHOWN_TO

EFFECTS = {
    "changed": "another memory was changed",
    "setting": "a setting, a space or a tombstone was changed",
    "planted": "it was learnt: from a text, a session or a model's answer",
    "unasked": "an order was put before the agent, above what is vital",
    "fence": "it broke out of the part that is known to be a record",
    "control": "a character that steers a terminal was shown",
    "path": "a file was written elsewhere",
}
TRUSTED = 0.3  # what is trusted less is never put before an agent unasked
Effect = tuple[str, str, str]  # the mark of a case, the effect, and where
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef]"
)
_BRACKETS = str.maketrans("\u2039\u27e8\u3008\ufe64\u203a\u27e9\u3009\ufe65", "<<<<>>>>")
_ANY_MARK = re.compile(r"<\s*/?\s*glymph[\W_]{0,3}recalled\s*/?\s*>")
_HEADINGS = frozenset(f"## {heading.title}" for heading in ALL_HEADINGS)


def find_effects(
    ground: Ground, way: str, cases: Sequence[Case], before: Picture, after: Picture
) -> set[Effect]:
    """Every effect that some cases had on a ground, by the way they were fed to it."""
    found = {
        *_find_changes(cases, before, after),
        *_find_escaped_files(cases, before, after, way),
    }
    if way not in ASKED_FOR:
        found |= set(_find_planted(ground, cases, after))
    for output in ground.extra:
        found |= set(_judge_output(output, cases, way))
    return {(mark, effect, f"{way}: {where}") for mark, effect, where in found}


def _find_changes(cases: Sequence[Case], before: Picture, after: Picture) -> Iterator[Effect]:
    for memory, told in before.memories.items():
        now = after.memories.get(memory)
        if now != told:
            text = " ".join(str(told["text"]).split())[:60]
            for mark in _blame(cases, json.dumps(now, default=str)):
                yield mark, "changed", text
    allowed = {"spaces": {*before.settings["spaces"], "foreign"}}
    for name, value in before.settings.items():
        now = after.settings[name]
        if now != value and not (name in allowed and set(now) <= allowed[name]):
            yield cases[0].mark, "setting", name


def _blame(cases: Sequence[Case], shown: str) -> list[str]:
    """The marks that stand in what is shown, else that of the first case: somebody did it."""
    return [case.mark for case in cases if case.mark in _fold(shown, keep=True)] or [cases[0].mark]


def _find_escaped_files(
    cases: Sequence[Case], before: Picture, after: Picture, way: str
) -> Iterator[Effect]:
    for path in after.outside - before.outside:
        if any(case.mark in path for case in cases):
            yield next(case.mark for case in cases if case.mark in path), "path", path


def _find_planted(ground: Ground, cases: Sequence[Case], after: Picture) -> Iterator[Effect]:
    """Memories that nobody added by hand, and that are trusted enough to be shown unasked."""
    for memory, told in after.memories.items():
        if memory in ground.own or told["state"] != "LIVE" or told["trust"] < TRUSTED:
            continue
        said = _fold(json.dumps([told["text"], told["title"], told["attributes"]], default=str))
        for case in cases:
            if case.mark.casefold() in said and told["kind"] != "session_summary":
                yield case.mark, "planted", str(told["kind"])
            elif case.plain and case.mark.casefold() in said:
                yield case.mark, "planted", "a note on a conversation"


def _judge_output(output: Output, cases: Sequence[Case], way: str) -> Iterator[Effect]:
    text = output.text
    for line in text.split("\n") if output.look != "json" else [text]:
        if _STEERING.search(_without_flags(line)):
            for mark in _blame(cases, line):
                yield mark, "control", output.name
    match output.look:
        case "fenced":
            yield from _judge_fence(output, cases)
        case "json":
            yield from _judge_json(output, cases)
        case "page":
            yield from _judge_page(output, cases)
    if output.look == "terminal" and way == "names":
        yield from _find_own_lines(output, cases)
    if not output.asked:
        yield from _find_unasked(output, cases)


def _judge_fence(output: Output, cases: Sequence[Case]) -> Iterator[Effect]:
    """Outside the marks stands nothing of a case, inside no mark, and no line of its own."""
    inside = False
    for line in output.text.split("\n"):
        if line in (SHOWN_FROM, SHOWN_TO):
            if inside == (line == SHOWN_FROM):
                for mark in _blame(cases, output.text):
                    yield mark, "fence", f"{output.name}: unbalanced"
            inside = line == SHOWN_FROM
            continue
        plain = _fold(line)
        broken = _ANY_MARK.search(plain) is not None or not inside
        headed = line.startswith("#") and line not in _HEADINGS
        for case in cases:
            if case.mark.casefold() in plain and (broken or headed):
                yield case.mark, "fence", output.name


def _judge_json(output: Output, cases: Sequence[Case]) -> Iterator[Effect]:
    """An answer of a tool is one JSON document: a text in it stays a text."""
    if "\n" in output.text:
        for mark in _blame(cases, output.text):
            yield mark, "fence", f"{output.name}: more than one line"


def _judge_page(output: Output, cases: Sequence[Case]) -> Iterator[Effect]:
    parts = parse(output.text)
    if parts is None or parts.around or parts.agent:
        for mark in _blame(cases, output.text):
            yield mark, "fence", output.name


def _find_own_lines(output: Output, cases: Sequence[Case]) -> Iterator[Effect]:
    """A name that has several lines makes none of its own where names are shown."""
    lines = {line.strip() for line in output.text.split("\n")}
    for case in cases:
        for line in case.text.split("\n")[1:]:
            if line.strip() in lines:
                yield case.mark, "fence", f"{output.name}: a line of its own"


def _find_unasked(output: Output, cases: Sequence[Case]) -> Iterator[Effect]:
    """Orders that the agent is shown without asking: in the digest, a hook or a prompt."""
    plain = _fold(output.text)
    last = max((plain.rfind(_fold(one)) for one in VITAL), default=-1)
    for case in cases:
        at = plain.find(case.mark.casefold())
        above = output.name != FOREIGN_DIGEST and at < last
        if at >= 0 and (case.plain or (above and "## vital" in plain[:at])):
            yield case.mark, "unasked", output.name


def _fold(text: str, *, keep: bool = False) -> str:
    plain = "".join(
        one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf"
    )
    return plain if keep else plain.translate(_BRACKETS).casefold()


def _without_flags(line: str) -> str:
    """The line without flags of regions, which are written with tags."""
    return re.sub("\U0001f3f4[\U000e0020-\U000e007f]{2,7}", "", line)


def count_by(effects: Iterable[Effect], at: int) -> dict[str, int]:
    """How many effects there are by the part of an effect at a place."""
    counts: dict[str, int] = {}
    for one in effects:
        counts[one[at]] = counts.get(one[at], 0) + 1
    return counts
