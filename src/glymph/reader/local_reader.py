"""The reader that runs on this machine: one small network, loaded when it is first asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from glymph.errors import ReaderFailed
from glymph.inference import Session, import_optional
from glymph.reader.calibration import Calibration, Floats, find_odds, softmax
from glymph.reader.contract import Judgement, Target, Thresholds
from glymph.reader.layout import Layout, Pieces, cut_to_pieces, lay_out
from glymph.reader.spans import find_spans
from glymph.reader.together import MARKS, gather, judge_texts, mark_texts
from glymph.reader.weights import INSTALL, find_folder, load_record, read_file
from glymph.reader.window import Excerpt, keep_whole, shorten
from glymph.reader.wording import (
    KEEPINGS,
    RELATIONS,
    TARGETS,
    WORTHS,
    Pair,
    Said,
    Span,
    word_keeping,
    word_relation,
    word_relevance,
    word_scene,
    word_target,
    word_worth,
)
from glymph.text.normal import normalise
from glymph.text.remember import remember

MOST_TOKENS = 256  # of both texts together; the network was trained on no more
MOST_IN_SCENE = 448  # of a request and the texts that it may mean
# Texts that are read together; it has learnt from scenes of up to sixteen. The others count as read
# and not meant.
MOST_TOGETHER = 12
NOT_MEANT = np.array([6.0, 0.0, 0.0], np.float32)
REMEMBERED = 4096  # texts whose tokens are kept
EQUAL = Judgement("same", 1.0, (0.0, 1.0, 0.0, 0.0))

# Shares from which on somebody is asked: whether a statement is out of date, or says the same; and
# from which on what may say the same is shown side by side.
ASK, ASK_SAME = 0.85, 0.85
# The share from which on hiding is certain, whatever was enough on the texts it was fitted on. With
# the weights before, from 0.93 on 66 of 68 such judgements were right on three sets of
# conversations; these are by 0.01 to 0.02 less sure of the same pairs.
HIDE = 0.92
DOUBT_SAME = 0.2


class LocalReader:
    """Judges with the weights of the package glymph-reader; nothing is loaded before the first.

    A judgement depends on its own texts alone, not on what else is asked in the same call, except
    that the candidates of `relate` are weighed against each other, and the texts that a request may
    mean are read together.
    """

    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        self._record = load_record()
        self.name: str = self._record["name"]
        self._threads, self._folder = threads, folder
        self._loaded: LoadedModel | None = None

    def relate(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        """Judges what a newer text does to each older one, the candidates together.

        What is equal says the same: that needs no reading.
        """
        plain = normalise(newer)
        unlike = [text for text in older if normalise(text) != plain]
        judged = iter(self._relate_unlike(newer, unlike) if unlike else ())
        return [EQUAL if normalise(text) == plain else next(judged) for text in older]

    def _relate_unlike(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        model = self._load()
        logits = model.ask("relation", [word_relation(newer, text) for text in older]).logits
        calibration = model.calibration
        shares = calibration.weigh_together(calibration.share_out("relation", logits))
        return [_judge(RELATIONS, row) for row in shares]

    @property
    def thresholds(self) -> Thresholds:
        """From where on its judgements of a relation are acted upon."""
        found = self._load().calibration
        hide = max(HIDE, found.hide)
        return Thresholds(found.same, hide, found.doubt, ASK, DOUBT_SAME, ASK_SAME)

    def find_targets(
        self, verb: str, request: str, texts: Sequence[str], new: str | None = None
    ) -> list[Target]:
        """Judges how much of each text a request means: several texts also beside each other."""
        if not texts:
            return []
        model = self._load()
        together, alone = model.ask_scene(verb, request, new, texts)
        if len(texts) == 1:
            shares = model.calibration.share_out("target", alone.logits)
        else:
            crowded = len(texts) > MOST_TOGETHER
            shares = model.calibration.judge_targets(together.logits, alone.logits, crowded=crowded)
        return list(map(_target, shares, together.spans, alone.spans))

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Returns how likely each text answers the question."""
        if not texts:
            return []
        model = self._load()
        asked = model.ask("relevance", [word_relevance(question, text) for text in texts])
        return [float(one) for one in model.calibration.find_relevance(asked.logits[:, 0])]

    def grade(self, texts: Sequence[str]) -> list[Judgement]:
        """Judges what each text is worth keeping."""
        if not texts:
            return []
        model = self._load()
        logits = model.ask("worth", [word_worth(text) for text in texts]).logits
        return [_judge(WORTHS, row) for row in model.calibration.share_out("worth", logits)]

    def sift(self, sentences: Sequence[Said]) -> list[Judgement]:
        """Judges which sentences of a conversation are worth keeping."""
        if not sentences:
            return []
        model = self._load()
        logits = model.ask("keep", [word_keeping(said) for said in sentences]).logits
        return [_judge(KEEPINGS, row) for row in model.calibration.share_out("keep", logits)]

    def estimate_ms(self, question: str, texts: Sequence[str]) -> list[float]:
        """Estimates the CPU milliseconds that scoring each text takes on this machine."""
        return self._load().estimate_ms(question, texts)

    def _load(self) -> LoadedModel:
        if self._loaded is None:
            folder = self._folder or find_folder(self.name)
            with _LOADING:
                self._loaded = _load_model(
                    self.name, folder, self._threads, tuple(self._record["files"].items())
                )
        return self._loaded


_LOADING = threading.Lock()


@lru_cache(1)
def _load_model(
    name: str, folder: Path, threads: int, digests: tuple[tuple[str, str], ...]
) -> LoadedModel:
    """Loads the weights once for all readers of a program."""
    known = dict(digests)
    return LoadedModel(name, lambda file: read_file(name, folder / file, known[file]), threads)


class Asked(NamedTuple):
    logits: Floats
    spans: list[tuple[Span, ...]]


class LoadedModel:
    """The network with its tokenizer, ready to run; `read` gives its files by their names."""

    def __init__(self, name: str, read: Callable[[str], bytes], threads: int) -> None:
        tokenizers: Any = import_optional(name, "tokenizers", ReaderFailed, INSTALL)
        self._session = Session(name, read("model.onnx"), ReaderFailed, threads=threads)
        self._open_upper: Callable[[], Session] = lambda: Session(
            name, read("keep.onnx"), ReaderFailed, threads=threads
        )
        self._upper: Session | None = None  # the half that judges what of a conversation to keep
        tokenizer = tokenizers.Tokenizer.from_buffer(read("tokenizer.json"))
        self._cut = remember(REMEMBERED)(lambda text: cut_to_pieces(tokenizer, text))
        self.calibration = Calibration.parse(json.loads(read("reader.json")))
        self._ms_per_token = self._time_token()

    def ask(self, task: str, pairs: Sequence[Pair]) -> Asked:
        """Reads every pair by itself: eight bits would round a batch as a whole."""
        if task == "keep":
            return Asked(self._ask_keeping(pairs), [])
        outputs = [task, "spans"] if task == "target" else [task]
        logits: list[Floats] = []
        spans: list[tuple[Span, ...]] = []
        for pair in pairs:
            row, excerpt = self._lay(pair)
            feeds = {"ids": np.array([row.ids]), "sides": np.array([row.sides])}
            answers = self._session.run_several(outputs, feeds)
            logits.append(answers[0][0])
            if task == "target":
                spans.append(_place_spans(answers[1][0], row, excerpt))
        return Asked(np.stack(logits), spans)

    def _ask_keeping(self, pairs: Sequence[Pair]) -> Floats:
        """Reads sentences of a conversation: the lower half of the network, then their own."""
        with _LOADING:
            upper = self._upper = self._upper or self._open_upper()
        logits: list[Floats] = []
        for pair in pairs:
            row, _ = self._lay(pair)
            sides = np.array([row.sides])
            middle = self._session.run("middle", {"ids": np.array([row.ids]), "sides": sides})
            logits.append(upper.run("keep", {"middle": middle, "sides": sides})[0])
        return np.stack(logits)

    def ask_scene(
        self, verb: str, request: str, new: str | None, texts: Sequence[str]
    ) -> tuple[Asked, Asked]:
        """Reads the likeliest texts beside each other, and each of all by itself."""
        alone = self.ask("target", [word_target(verb, request, new, text) for text in texts])
        near = pick_likeliest(alone.logits, MOST_TOGETHER)
        beside = self.ask_together(verb, request, new, [texts[at] for at in near])
        logits, spans = np.tile(NOT_MEANT, (len(texts), 1)), list(alone.spans)
        logits[near] = beside.logits
        for at, marked in zip(near, beside.spans, strict=True):
            spans[at] = marked
        return Asked(logits, spans), alone

    def ask_together(self, verb: str, request: str, new: str | None, texts: Sequence[str]) -> Asked:
        """Reads several texts in one row, or in as few rows as they fit in."""
        first = _cap(self._cut(word_scene(verb, request, new, ()).pair.first), MOST_IN_SCENE // 2)
        room = MOST_IN_SCENE - 3 - len(first.ids)
        short = [shorten(text, request, room // 2, self._measure) for text in texts]
        judged: list[Floats] = []
        spans: list[tuple[Span, ...]] = []
        for group in gather([self._measure(one.text) for one in short], room):
            scene = word_scene(verb, request, new, [short[at].text for at in group])
            row = lay_out(first, _cap(self._cut(scene.pair.second), room))
            feeds = {"ids": np.array([row.ids]), "sides": np.array([row.sides])}
            told = self._session.run("spans", feeds)[0]
            judged.append(judge_texts(told, row, scene.starts))
            marked = mark_texts(told, row, scene.starts)
            spans += [_place(found, short[at]) for at, found in zip(group, marked, strict=True)]
        return Asked(np.concatenate(judged), spans)

    def estimate_ms(self, question: str, texts: Sequence[str]) -> list[float]:
        """Estimates by the number of tokens."""
        own = len(self._cut(question).ids) + 4
        return [
            self._ms_per_token * min(MOST_TOKENS, own + len(self._cut(text).ids)) for text in texts
        ]

    def _lay(self, pair: Pair) -> tuple[Layout, Excerpt]:
        """Lays a pair out, both texts shortened around what they share where they are too long."""
        first, second = self._cut(pair.first), self._cut(pair.second)
        room = MOST_TOKENS - 3
        if len(first.ids) + len(second.ids) <= room:
            return lay_out(first, second), keep_whole(pair.second)
        fair = room // 2
        mine = max(fair, room - len(second.ids)) if pair.second else room
        kept = shorten(pair.first, pair.second, mine, self._measure)
        first = _cap(self._cut(kept.text), mine)
        left = room - len(first.ids)
        excerpt = shorten(pair.second, pair.first, left, self._measure)
        return lay_out(first, _cap(self._cut(excerpt.text), left)), excerpt

    def _measure(self, text: str) -> int:
        return len(self._cut(text).ids)

    def _time_token(self) -> float:
        """Measures the CPU milliseconds per token, the best of three short runs."""
        row = lay_out(Pieces([9] * 24, []), Pieces([9] * 24, []))
        feeds = {"ids": np.array([row.ids]), "sides": np.array([row.sides])}
        best = float("inf")
        for _ in range(3):
            began = time.thread_time_ns()
            self._session.run("relevance", feeds)
            best = min(best, (time.thread_time_ns() - began) / 1e6)
        return best / len(row.ids)


def pick_likeliest(alone: Floats, most: int) -> list[int]:
    """Returns which texts a request means most likely, each read by itself, in their order."""
    return sorted(np.argsort(-find_odds(softmax(alone)), kind="stable")[:most].tolist())


def _cap(pieces: Pieces, most: int) -> Pieces:
    return Pieces(pieces.ids[:most], pieces.offsets[:most])


def _place_spans(told: Floats, row: Layout, excerpt: Excerpt) -> tuple[Span, ...]:
    tokens = told[row.second_at : row.second_at + len(row.offsets)]
    return _place(find_spans(tokens[:, :MARKS], row.offsets), excerpt)


def _place(found: Sequence[Span], excerpt: Excerpt) -> tuple[Span, ...]:
    return tuple(place for start, end in found for place in excerpt.place(start, end))


def _judge(words: Sequence[str], shares: Floats) -> Judgement:
    best = int(shares.argmax())
    return Judgement(words[best], float(shares[best]), tuple(map(float, shares)))


def _target(shares: Floats, beside: tuple[Span, ...], alone: tuple[Span, ...]) -> Target:
    """Returns a judgement: what is marked beside others is right more often than alone."""
    judged = _judge(TARGETS, shares)
    meant = beside if judged.kind == "part" else ()
    return Target(judged.kind, judged.sure, judged.shares, meant, beside == alone)
