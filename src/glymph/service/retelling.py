"""Answers to requests that are repeated: what their operation did, as the store still tells it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from glymph.client import Glymph
from glymph.context import NAMED
from glymph.errors import AnswerLost, PlanNotFound
from glymph.forget.plan import Forgotten
from glymph.model import Receipt, Refusal
from glymph.plain import plain
from glymph.store.once import AppliedBefore
from glymph.wire.coding import read_result

Retell = Callable[[Glymph, AppliedBefore], Any]


def retell(glymph: Glymph, before: AppliedBefore) -> dict[str, Any]:
    """Returns what an operation did: its receipt, and the id of the memory it made, if any."""
    receipt = recover_receipt(glymph, before)
    told = glymph.audit(before.operation)
    made = [one.id for one in told.memories if one.before is None]
    touched = [one.id for one in told.memories]
    data = plain(receipt)
    return {
        **data, "succeeded": data["succeeded"] or touched, "id": made[0] if made else None,
        "replayed": True,
    }  # fmt: skip


def retell_call(method: Callable[..., Any]) -> Retell:
    """Returns what recovers the result of a method; it raises AnswerLost where that is not kept."""

    def recover(glymph: Glymph, before: AppliedBefore) -> dict[str, Any]:
        result: Any = recover_receipt(glymph, before)
        try:
            if "plan" in before.outcome:
                result = Forgotten(
                    result, glymph.forget_plan(before.outcome["plan"]),
                    edited=tuple(before.outcome["edited"]),
                )  # fmt: skip
            read_result(method, plain(result))
        except (PlanNotFound, ValidationError) as error:
            raise AnswerLost(before.operation) from error
        return {"result": result}

    return recover


def recover_receipt(glymph: Glymph, before: AppliedBefore) -> Receipt:
    """Returns the receipt of an operation, from its record and what was noted with the request."""
    operation, noted = glymph.audit(before.operation, limit=1).operation, before.outcome
    until, succeeded = noted.get("recoverable_until"), tuple(noted.get("succeeded", ()))
    details = operation.details
    with glymph.context.reading() as reader:
        titles = reader.titles(succeeded[:NAMED])
    return Receipt(
        operation.id, operation.verb, succeeded,
        skipped=tuple(Refusal(*one) for one in details.get("skipped", ())),
        failed=tuple(Refusal(*one) for one in details.get("failed", ())),
        cascaded=tuple(details.get("cascaded", ())),
        recoverable_until=datetime.fromisoformat(until) if until and succeeded else None,
        hash=operation.hash, titles=titles,
    )  # fmt: skip
