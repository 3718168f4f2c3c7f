"""Conversations with marked sentences that must survive a shortening, in five languages.

A file has what people say in between (`# talk`), acknowledgements (`# replies`) and conversations,
each of five exchanges with one sentence in [[ ]]. A conversation of 20 to 60 turns is made of its
own exchanges, in their order, among others drawn from the talk. The first four of a language are
for choosing constants, the others are not looked at while choosing.

A marked sentence survives if its words stand in a memory that the shortening made or in memory.md.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.harness.contract import Fact, Figure, Options
from glymph import Glymph
from glymph.history.disk import Disk
from glymph.history.history import History
from glymph.history.shorten import LEAST
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.testing import FrozenClock
from glymph.text.normal import normalise
from glymph.text.tokens import tokens

FOLDER = Path(__file__).parents[1] / "cases" / "compaction"
ROLES = {"u": "user", "a": "assistant"}
FEWEST, MOST = 10, 30  # exchanges of a conversation
FOR_CHOOSING = 4  # conversations of a language
AT_LEAST = 85.0  # per cent of the marked sentences
SESSION = "s"
# All but the last message is shortened, and as much is kept of it as usual.
SETTINGS = {"unit": "messages", "consolidation_threshold": 5, "keep_recent_ratio": 0.2}
_MARK = re.compile(r"\[\[(.+?)\]\]")

Exchange = list[tuple[str, str]]  # roles and what each says


@dataclass(frozen=True, slots=True)
class Marked:
    """A conversation, and the sentences of it that must survive."""

    language: str
    number: int
    said: Sequence[tuple[str, str]]
    marks: Sequence[str]

    @property
    def tokens(self) -> int:
        return sum(tokens(text) for _, text in self.said)


@dataclass(slots=True)
class Survived:
    """What of some conversations survived; counts of marked sentences, and tokens."""

    marks: int = 0
    kept: int = 0
    affordable: int = 0  # that the share of tokens has room for, if nothing else were kept
    tokens: int = 0
    kept_tokens: int = 0
    conversations: int = 0
    cpu_s: float = 0.0

    def add(self, other: Survived) -> None:
        """Count another's along."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def read_conversations() -> list[Marked]:
    """All conversations, language by language."""
    found: list[Marked] = []
    for path in sorted(FOLDER.glob("*.txt")):
        parts = dict(_read_parts(path.read_text(encoding="utf-8")))
        replies = parts.pop("replies").split("\n")
        talk = [_read_exchange(block) for block in parts.pop("talk").split("\n\n")]
        found += (
            _compose(path.stem, int(number), block, talk, replies)
            for number, block in parts.items()
        )
    return found


def _read_parts(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        yield name.strip(), body.strip()


def _read_exchange(block: str) -> Exchange:
    return [(ROLES[line[0]], line[2:].strip()) for line in block.split("\n")]


def _compose(
    language: str, number: int, block: str, talk: Sequence[Exchange], replies: Sequence[str]
) -> Marked:
    chance = random.Random(f"{language} {number}")
    own = [_read_exchange(one) for one in block.split("\n\n")]
    between = chance.sample(talk, min(len(talk), chance.randint(FEWEST, MOST) - len(own)))
    places = sorted(chance.sample(range(len(between)), len(own)))
    said: Exchange = []
    for at, exchange in enumerate(between):
        if at in places:
            said += [*own[places.index(at)], ("assistant", chance.choice(replies))]
        said += exchange
    marks = [mark for _, text in said for mark in _MARK.findall(text)]
    return Marked(language, number, [(role, _MARK.sub(r"\1", text)) for role, text in said], marks)


def shorten_all(several: Sequence[Marked], folder: Path, reader: str | Reader) -> Survived:
    """Shorten each conversation once, without a model, and count what survived."""
    result = Survived()
    for one in several:
        own = folder / f"{one.language}-{one.number}"
        own.mkdir(parents=True)
        with Glymph.open(
            f"sqlite:///{own}/m.db", embedder="none", reader=reader,
            clock=FrozenClock(), settings={"durability": "normal", "compare": "off"},
        ) as glymph:  # fmt: skip
            history = History(own / "h", glymph, settings=SETTINGS, disk=Disk(durable=False))
            _shorten(one, history, glymph, result)
    return result


def _shorten(one: Marked, history: History, glymph: Glymph, result: Survived) -> None:
    history.append(SESSION, *({"role": role, "content": text} for role, text in one.said))
    began = time.process_time()
    history.consolidate(SESSION)
    result.cpu_s += time.process_time() - began
    notes = history.summary(SESSION)
    made = "\n".join(memory.text for memory in glymph.list(limit=1000, kinds=["session_summary"]))
    kept = normalise(f"{made}\n{notes}")
    budget = int(max(history.settings.extract_ratio * one.tokens, LEAST))
    result.conversations += 1
    result.tokens += one.tokens
    result.kept_tokens += tokens(made)
    for mark in one.marks:
        result.marks += 1
        result.kept += normalise(mark) in kept
        budget -= tokens(mark) + 2
        result.affordable += budget >= 0


def measure_survival(folder: Path, options: Options) -> dict[str, Figure | Fact]:
    """The figures of both halves, by the reader and by rules alone, and those of each language."""
    several = read_conversations()
    several = several[: options.count(len(several))]
    reader = open_reader("auto")
    figures: dict[str, Figure | Fact] = {
        "survival_reader": Fact(reader.name, "judged the sentences of marked conversations")
    }
    for part in ("chosen", "once"):
        own = [one for one in several if (one.number > FOR_CHOOSING) == (part == "once")]
        rules = shorten_all(own, folder / part / "rules", "none")
        figures[f"survived_{part}_rules"] = _tell(rules, "by rules alone")
        by_reader = Survived()
        for language in sorted({one.language for one in own}):
            spoken = [one for one in own if one.language == language]
            found = shorten_all(spoken, folder / part / language, reader)
            figures[f"survived_{part}_{language}"] = _tell(found, f"in the language {language}")
            by_reader.add(found)
        figures |= {
            f"survived_{part}": _tell(by_reader, "by the reader", at_least=AT_LEAST),
            f"survived_{part}_marks": Figure(by_reader.marks, "marked sentences"),
            f"survived_{part}_tokens": Figure(
                100 * by_reader.kept_tokens / max(1, by_reader.tokens), "% of the tokens are kept"
            ),
            f"survived_{part}_cpu_s": Figure(
                by_reader.cpu_s / max(1, by_reader.conversations), "of one conversation"
            ),
        }
    return figures


def _tell(found: Survived, how: str, at_least: float | None = None) -> Figure:
    """The share that survived, beside the share that there was room for."""
    share = 100 / max(1, found.marks)
    return Figure(
        share * found.kept, f"% of marked sentences survive {how}", at_least=at_least,
        limit=share * found.affordable,
    )  # fmt: skip
