"""answer_question: doubts about memories, and what holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools import data
from glymph.tools.blocks import Line, Table, format_time
from glymph.tools.brief import brief_questions
from glymph.tools.contract import POSITIONAL, Arguments, Tool, ids_of
from glymph.tools.render import Blocks, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph

Choice = Literal[
    "new_is_current", "old_is_current", "keep_both", "part_is_outdated", "merge", "forget"
]  # fmt: skip


class AnswerArguments(Arguments):
    id: str | None = Field(
        None, description="Which question; left out: list those that wait.",
        json_schema_extra=ids_of("question", positional=True),
    )  # fmt: skip
    choice: Choice | None = Field(
        None, description="What holds. Unanswered, both stay.", json_schema_extra=POSITIONAL
    )
    text: str | None = Field(None, description="With merge: what takes the place of both.")


def run(glymph: Glymph, args: AnswerArguments) -> Mapping[str, Any]:
    if args.id is None:
        return {"questions": plain(glymph.questions())}
    if args.choice is None:
        raise InvalidInput(
            "choice",
            f"what holds? Use one of {', '.join(get_args(Choice))}.",
        )
    return data.dump_receipt(glymph.answer(args.id, args.choice, text=args.text))


def render(result: Mapping[str, Any]) -> Blocks:
    if "questions" not in result:
        yield from render_receipt(result)
        return
    rows, notes = [], []
    for question in result["questions"]:
        since, until = format_time(question["raised_at"]), format_time(question["expires_at"])
        rows.append([question["id"], since, until, question["older_text"]])
        choices = ", ".join(question["choices"])
        asked = f"{question['asks']} ({question['reason']}) CHOICE: {choices}"
        both = question["older"] != question["newer"]
        notes.append(f"or now: {question['newer_text']} – {asked}" if both else asked)
    yield Table(["question", "since (UTC)", "both kept from (UTC)", "said"], rows, notes)
    if rows:
        yield Line("Answer one with: glymph questions ID CHOICE", "dim")
    else:
        yield Line("No question waits for an answer.")


TOOL = Tool(
    name="answer_question",
    command="questions",
    description="List doubts about memories (outdated? the same? to be forgotten?), or answer one.",
    arguments=AnswerArguments,
    run=run,
    brief=brief_questions,
    profile="core",
    render=render,
    destructive=True,
    keep_chars=300,
)
