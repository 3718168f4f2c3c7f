"""One operation on PostgreSQL, one fault of the line to it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness.fault_scenes import (
    Scene,
    Stage,
    journalled,
    open_at,
    prepare,
    read_image,
    undo_all,
)
from benchmarks.harness.fault_trials import Expected, Told, Verdict, judge_state
from glymph.errors import GlymphError
from glymph.testing import FrozenClock
from glymph.testing.clock import START
from glymph.testing.faulty_line import FaultyLine, LineFault
from glymph.testing.postgres import Server


class LineGround:
    """A prepared database of a scene, copied for every trial."""

    def __init__(self, scene: Scene, server: Server, folder: Path) -> None:
        self.scene, self._server = scene, server
        self.template = server.database()
        self.notes = prepare(scene, folder, self.template)
        self.expected = Expected(read_image(self.template))
        with open_at(self.template, FrozenClock(START)) as glymph:
            self._known = {one.id for one in glymph.operations(limit=1000)}
            self._rows = journalled(glymph.context.store)
        self.pieces = self._run_through(folder)

    def _run_through(self, folder: Path) -> int:
        """Takes the images after each step, without a fault; gives back the pieces on the line."""
        url = self._server.database(template=self.template)
        with FaultyLine(url) as line:
            stage = Stage(folder, line.url, self.notes)
            stage.glymph  # noqa: B018 - opens it
            line.pieces = 0
            first, second = self.scene.steps()
            first(stage)
            self.expected.after = read_image(url)
            second(stage)
            self.expected.last = read_image(url)
            pieces = line.pieces
            stage.close()
        self._server.drop(url)
        return pieces

    def attempt(self, fault: LineFault, folder: Path) -> Verdict:
        """Lets the steps meet the fault and judges what they leave."""
        url = self._server.database(template=self.template)
        with FaultyLine(url) as line:
            stage = Stage(folder, line.url, self.notes)
            stage.glymph  # noqa: B018 - opens it
            line.plan(fault)
            told = self._act(stage)
            line.cure()
            verdict = self._judge(stage, url, told)
            stage.close()
        self._server.drop(url)
        return verdict

    def _act(self, stage: Stage) -> Told:
        told = Told()
        for number, step in enumerate(self.scene.steps(), start=1):
            try:
                step(stage)
            except GlymphError as error:
                told.error = f"{type(error).__name__}: {error}"
                return told
            except Exception as error:  # noqa: BLE001 - the trial is about errors that are not ours
                told.error, told.typed = f"{type(error).__name__}: {error}", False
                return told
            told.done = number
        told.finished = True
        return told

    def _judge(self, stage: Stage, url: str, told: Told) -> Verdict:
        verdict, image = Verdict(untyped=not told.typed, hit=bool(told.error)), read_image(url)
        if verdict.untyped:
            verdict.wrong.append(f"untyped {told.error}")
        judge_state(verdict, self.expected, image, told)
        steps = self.scene.steps()
        if told.error and image == (self.expected.before, self.expected.after)[told.done]:
            try:
                steps[told.done](stage)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                verdict.stuck = True
                verdict.wrong.append(
                    f"repeated on the same handle: {type(error).__name__}: {error}"
                )
        with open_at(url, stage.clock) as glymph:
            verdict.wrong += [f"{one.check}: {one.detail}" for one in glymph.verify().problems]
            undo_all(glymph, self._known)
            if journalled(glymph.context.store) != self._rows:
                verdict.half = True
                verdict.wrong.append("undo does not lead back")
        return verdict
