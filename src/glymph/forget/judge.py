"""Asks the reader, and a language model where there is one, which memories a request means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from glymph.context import Context
from glymph.errors import BudgetSpent, MalformedReply, ModelFailed
from glymph.forget.judge_prompt import MOST_MEMORIES, MOST_TEXT, Shown, Verb, question
from glymph.forget.match import Statement
from glymph.forget.planner import Judges
from glymph.forget.request import is_topic
from glymph.forget.verdicts import Told
from glymph.llm.ledger import Run
from glymph.moments import moment
from glymph.reader.contract import Target
from glymph.reader.no_reader import NoReader
from glymph.store.contract import Row

JOB = "forget"


def find_judges(
    ctx: Context, verb: Verb, request: str, rows: Mapping[str, Row], new: str | None = None
) -> Judges:
    """Returns who is asked about a request: the reader, and a model if one is set."""

    def read(statements: Sequence[Statement]) -> list[Target]:
        return read_as(request, statements)

    def read_again(statements: Sequence[Statement]) -> list[Target]:
        return read_as(f"Forget {request}.", statements)

    def read_as(wording: str, statements: Sequence[Statement]) -> list[Target]:
        return ctx.reader.find_targets(verb, wording, [one.text for one in statements], new)

    def ask(statements: Sequence[Statement]) -> dict[str, Told]:
        told, problem = _ask_model(ctx, verb, request, new, statements, rows)
        if problem:
            problems.append(problem)
        return told

    problems: list[str] = []
    reads = not isinstance(ctx.reader, NoReader)
    return Judges(
        read if reads else None,
        ctx.reader.name if reads else "",
        ask if ctx.model is not None else None,
        read_again if reads and new is None and is_topic(request) else None,
        problems,
    )


def _ask_model(
    ctx: Context, verb: Verb, request: str, new: str | None, statements: Sequence[Statement],
    rows: Mapping[str, Row],
) -> tuple[dict[str, Told], str]:  # fmt: skip
    """Returns what a model says of the statements, and why it could not be asked about some."""
    run = Run(ctx, JOB)
    told: dict[str, Told] = {}
    for start in range(0, len(statements), MOST_MEMORIES):
        batch = statements[start : start + MOST_MEMORIES]
        shown = [_show(one, rows[one.id]) for one in batch]
        try:
            answer = run.ask(question(verb, request, new, shown))
        except (ModelFailed, MalformedReply, BudgetSpent) as error:
            return told, f"decided without the model: {error}"
        for one, meant in zip(batch, answer, strict=True):
            if not (meant.kind == "part" and len(one.text) > MOST_TEXT):
                told[one.id] = Told(meant.kind, meant.left, ctx.model.name if ctx.model else "")
    return told, ""


def _show(one: Statement, row: Row) -> Shown:
    said = row["created_at"] if row["event_at"] is None else row["event_at"]
    return Shown(moment(said).date(), one.text)
