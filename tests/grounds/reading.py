"""A reader that follows a script, and statements that are put in question without one."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from glymph.embed.providers import local
from glymph.reader import weights
from glymph.reader.contract import Judgement, Thresholds
from glymph.reader.no_reader import NoReader
from glymph.write.question_queue import raise_question
from glymph.write.replace import join

SHARES = {
    "same": (0.0, 1.0, 0.0, 0.0),
    "replaces": (0.02, 0.0, 0.98, 0.0),
    "part": (0.1, 0.0, 0.0, 0.9),
    "hardly": (0.7, 0.0, 0.0, 0.3),
    "perhaps": (0.4, 0.0, 0.6, 0.0),
    "none": (1.0, 0.0, 0.0, 0.0),
}


class ScriptedReader(NoReader):
    """Judges the pairs it was told of, and holds all others to have nothing to do with each other."""

    name = "script"
    thresholds = Thresholds(doubt=0.2)

    def __init__(self, **judged):
        self.judged = {tuple(pair): kind for kind, pairs in judged.items() for pair in pairs}

    def relate(self, newer, older):
        kinds = [self.judged.get((newer, text), "none") for text in older]
        return [Judgement(kind, 1.0, SHARES[kind]) for kind in kinds]


class GradingReader(NoReader):
    """Grades by the first word; counts what it was asked. `perhaps` is passing, perhaps vital."""

    name = "by the first word"
    words = ("noise", "passing", "lasting", "vital")

    def __init__(self):
        self.asked = []

    def grade(self, texts):
        self.asked += texts
        said = [text.split()[0].lower() for text in texts]
        return [Judgement(word, 1.0, self._share_out(word)) for word in said]

    def _share_out(self, word):
        if word == "perhaps":
            return (0.0, 0.97, 0.01, 0.02)
        return tuple(0.985 if one == word else 0.005 for one in self.words)


def flag(glymph, newer, older):
    """Lets the newer of two memories seem to put the older out of date."""
    with glymph.context.operation("reconcile") as op:
        join(op, op.row(newer), op.row(older), "supersedes")


def put_in_question(glymph, older, newer):
    """Asks whether the newer of two memories holds, and returns the question's id."""
    with glymph.context.operation("reconcile") as op:
        join(op, op.row(newer), op.row(older), "supersedes")
        return raise_question(glymph.context, op, "replaces", older, newer, "it may be out of date")


@contextmanager
def installed_models():
    """Handles opened meanwhile choose among the models that are installed, as outside of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glymph.embed.absence", local.explain_absence)
        patch.setattr("glymph.reader.automatic.explain_absence", weights.explain_absence)
        yield
