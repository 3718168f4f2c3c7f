"""get_costs: what language models have cost, and what may still be spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.contract import Arguments, Tool
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph


class CostsArguments(Arguments):
    days: int = Field(30, ge=1, le=3660, description="How many days to look back.")


def run(glymph: Glymph, args: CostsArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.costs(days=args.days))
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    for title in ("job", "model", "day"):
        rows = [
            [one["name"], one["calls"], one["failed"], f"{one['tokens_in']:,}",
             f"{one['tokens_out']:,}",
             f"{one['cost_usd']:.4f}" + (" about" if one["assumed"] else "")]
            for one in result[f"by_{title}"]
        ]  # fmt: skip
        yield Table([title, "calls>", "failed>", "tokens in>", "out>", "USD>"], rows)
    total = result["total"]
    if not total["calls"]:
        yield Line("No language model was asked.")
    if total["assumed"]:
        yield Line(
            "A price is not known and assumed to be high: set model_prices to IN/OUT per million.",
            "yellow",
        )
    if total["unsettled"]:
        many = quantity(total["unsettled"], "call was", "calls were")
        yield Line(f"{many} cut off or still run, and count with their highest price.", "yellow")
    left = f"{result['left_usd']:.4f} USD and {result['left_tokens']:,} tokens"
    spent = f"{result['today_usd']:.4f} USD spent in 24 hours"
    yield Line(f"{spent}; {left} may still be spent in these 24 hours.", "dim")


TOOL = Tool(
    name="get_costs",
    command="costs",
    description="Show what language models have cost by job, model and day, and what may still be "
    "spent today.",
    arguments=CostsArguments,
    run=run,
    profile="curator",
    render=render,
    read_only=True,
    idempotent=True,
)
