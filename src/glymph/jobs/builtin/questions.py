"""questions: a language model answers what it may; where nobody did in time, both stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import Job, Trigger
from glymph.undo.restore import MAX_BATCH
from glymph.write.questions import answer, list_expired, questions
from glymph.write.second_opinion import ask_model


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    report: dict[str, Any] = {}
    if ctx.model is not None:
        asked = ask_model(ctx, stop=trigger.stop)
        report = {"judged": asked.pairs, "hidden": asked.hidden, "answered": asked.answered,
                  "cost_usd": asked.cost_usd}  # fmt: skip
        if asked.problem:
            report |= trigger.tell_failure(asked.problem)
    late = list_expired(ctx)[:MAX_BATCH]  # the rest has its turn at the next run
    settled = len(answer(ctx, late, "keep_both").succeeded) if late else 0
    return {**report, "open": len(questions(ctx)), "kept_both": settled}


JOB = Job(
    name="questions",
    scheduled_as="conflicts",
    every="questions_hours",
    order=15,
    run=run,
)
