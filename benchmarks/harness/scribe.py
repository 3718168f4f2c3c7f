"""A writer that foretells what each of its writes will leave behind."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.harness.corpus import Corpus
from benchmarks.harness.image import LINKED, Changes, Image, Key, Standing, Value, changed
from glymph import Glymph, Receipt

TEXT_WORDS = 12


class Surprise(Exception):
    """A call returned, but did not do what it must have done."""


@dataclass(frozen=True, slots=True)
class Step:
    """One write about to be made.

    What it will have changed, and the call that gives back its operation's id.

    A recall belongs to no operation: its call gives back None.
    """

    verb: str
    changes: Changes
    call: Callable[[], str | None]


class Scribe:
    """Makes up valid writes of the wanted verbs over the memories it knows."""

    def __init__(
        self, glymph: Glymph, *, label: str, seed: int, verbs: Sequence[str], known: Image
    ) -> None:
        self._glymph = glymph
        self._label = label
        self._random = random.Random(seed)
        self._corpus = Corpus(seed)
        self._values: dict[Key, Value] = dict(known.values)
        self._ids = dict(known.ids)
        self._serial = 0
        self._last: tuple[str, Changes] | None = None
        self._recalled: tuple[str, str, list[str]] | None = None
        self._planners: list[Callable[[], Step | None]] = [
            getattr(self, f"_{verb}") for verb in verbs
        ]

    def next(self) -> Step:
        """The next write; its verb is drawn from those that are possible now."""
        while True:
            step = self._random.choice(self._planners)()
            if step is not None:
                return step

    def carry_out(self, step: Step) -> str | None:
        """Makes the write and remembers it as done; gives back its operation's id."""
        before: Changes = {key: self._values.get(key) for key in step.changes if key[0] != "recall"}
        operation = step.call()
        self._values = changed(self._values, step.changes)
        if operation is not None:
            self._last = operation, before
        return operation

    # verbs

    def _add(self) -> Step:
        title, text = self._new_title(), self._new_text()
        changes: dict[Key, Value | None] = {("memory", title): Standing("LIVE", text, False, 0)}
        others = self._some(self._titles("LIVE"), 2)
        changes |= {("link", title, other): LINKED for other in others}

        def call() -> str | None:
            added = self._glymph.add(
                text, title=title, links=[self._ids[other] for other in others]
            )
            self._learn(title, added.id if added.created else None)
            return added.operation_id

        return Step("add", changes, call)

    def _add_many(self) -> Step:
        texts = {self._new_title(): self._new_text() for _ in range(self._random.randint(2, 60))}

        def call() -> str | None:
            added = self._glymph.add_many(
                [{"text": text, "title": title} for title, text in texts.items()]
            )
            for title, one in zip(texts, added, strict=True):
                self._learn(title, one.id if one.created else None)
            return added[0].operation_id

        new: Changes = {
            ("memory", title): Standing("LIVE", text, False, 0) for title, text in texts.items()
        }
        return Step("add_many", new, call)

    def _update(self) -> Step | None:
        text = self._new_text()
        return self._of_one(
            "update", self._titles("LIVE"), lambda i: self._glymph.update(i, text=text), text=text
        )

    def _pin(self) -> Step | None:
        return self._of_one(
            "pin", self._titles("LIVE", pinned=False), self._glymph.pin, pinned=True
        )

    def _unpin(self) -> Step | None:
        return self._of_one(
            "unpin", self._titles("LIVE", pinned=True), self._glymph.unpin, pinned=False
        )

    def _archive(self) -> Step | None:
        movable = self._titles("LIVE", pinned=False)
        return self._of_some("archive", movable, self._glymph.archive, state="ARCHIVED")

    def _delete(self) -> Step | None:
        movable = self._titles("LIVE", "ARCHIVED", pinned=False)
        return self._of_some("delete", movable, self._glymph.delete, state="TRASHED")

    def _restore(self) -> Step | None:
        movable = self._titles("ARCHIVED", "TRASHED")
        return self._of_some("restore", movable, self._glymph.restore, state="LIVE")

    def _link(self) -> Step | None:
        ends = self._some(self._titles("LIVE"), 2)
        if len(ends) < 2 or ("link", *ends) in self._values:
            return None
        a, b = (self._ids[end] for end in ends)
        return Step("link", {("link", *ends): LINKED}, lambda: _whole(self._glymph.link(a, b)))

    def _recall(self) -> Step:
        # The serial number makes the query unique; it matches no text.
        query = f"{self._corpus.text(3)} {self._next_label('q')}"

        def call() -> None:
            found = self._glymph.recall(query, limit=5)
            if found.id is None:
                raise Surprise("a recall was not logged")
            self._recalled = found.id, query, [hit.memory.title for hit in found]

        return Step("recall", {("recall", query): frozenset()}, call)

    def _report(self) -> Step | None:
        if self._recalled is None:
            return None
        recall_id, query, shown = self._recalled
        self._recalled = None
        used = [title for title in shown if title in set(self._titles("LIVE"))]
        if not used:
            return None
        changes: dict[Key, Value | None] = {("recall", query): frozenset(used)}
        for title in used:
            standing = self._standing(title)
            changes["memory", title] = standing._replace(uses=standing.uses + 1)
        ids = [self._ids[title] for title in used]
        return Step("report", changes, lambda: _whole(self._glymph.report(recall_id, used=ids)))

    def _undo(self) -> Step | None:
        if self._last is None:
            return None
        operation, before = self._last
        return Step("undo", before, lambda: _whole(self._glymph.undo(operation)))

    # choosing

    def _of_one(
        self, verb: str, titles: Sequence[str], call: Callable[[str], Receipt], **after: str | bool
    ) -> Step | None:
        if not titles:
            return None
        title = self._random.choice(titles)
        new = self._standing(title)._replace(**after)  # type: ignore[arg-type]  # the verbs above name real fields
        return Step(verb, {("memory", title): new}, lambda: _whole(call(self._ids[title])))

    def _of_some(
        self, verb: str, titles: Sequence[str], call: Callable[[list[str]], Receipt], *, state: str
    ) -> Step | None:
        chosen = self._some(titles, 5)
        if not chosen:
            return None
        new: Changes = {
            ("memory", title): self._standing(title)._replace(state=state) for title in chosen
        }
        return Step(verb, new, lambda: _whole(call([self._ids[title] for title in chosen])))

    def _some(self, titles: Sequence[str], most: int) -> list[str]:
        return self._random.sample(titles, min(len(titles), self._random.randint(1, most)))

    def _titles(self, *states: str, pinned: bool | None = None) -> list[str]:
        return [
            key[1]
            for key, value in self._values.items()
            if isinstance(value, Standing)
            and value.state in states
            and pinned in (None, value.pinned)
        ]

    def _standing(self, title: str) -> Standing:
        value = self._values["memory", title]
        assert isinstance(value, Standing)
        return value

    # names

    def _next_label(self, letter: str) -> str:
        self._serial += 1
        return f"{self._label}{letter}{self._serial}"

    def _new_title(self) -> str:
        return self._next_label("m")

    def _new_text(self) -> str:
        return f"{self._corpus.text(TEXT_WORDS)} {self._next_label('t')}"

    def _learn(self, title: str, memory_id: str | None) -> None:
        if memory_id is None:
            raise Surprise(f"{title} was not created although nothing says the same")
        self._ids[title] = memory_id


def _whole(receipt: Receipt) -> str:
    """The operation's id, if it did all it was asked."""
    if receipt.skipped or receipt.failed or not receipt.succeeded:
        raise Surprise(f"{receipt.verb} left something out: {[*receipt.skipped, *receipt.failed]}")
    return receipt.operation_id
