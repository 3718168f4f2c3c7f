"""One frozen Settings value.

It parses mappings it is given; only interfaces read files and the environment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from reprlib import repr as shortened
from typing import Any, Literal

from glymph.errors import InvalidInput

_EXAMPLE = "Write it like {'trash_days': 60}."


def _setting(default: Any, help_text: str) -> Any:
    return field(default=default, metadata={"help": help_text})


@dataclass(frozen=True, slots=True)
class Settings:
    max_text_chars: int = _setting(100_000, "longest text of one memory, in characters")
    max_title_chars: int = _setting(300, "longest title")
    max_tags: int = _setting(50, "most tags, and most entities, on one memory")
    max_attributes_bytes: int = _setting(20_000, "largest attributes of one memory, as JSON")
    max_page: int = _setting(1000, "most memories in one page of a listing or a search")
    trash_days: int = _setting(30, "days a deleted memory stays recoverable in the trash")
    trash_daily: int = _setting(
        500, "most memories a day that upkeep removes for good from the trash"
    )
    journal_days: int = _setting(400, "days the journal is kept; undo and at= reach back that far")
    use_days: int = _setting(
        90, "days single uses are kept apart; then those of a memory are folded into one"
    )
    recall_log_size: int = _setting(
        10_000, "recalls kept in the log of a space; the oldest go first"
    )
    plan_days: int = _setting(7, "days a plan can be acted on")
    prune_percent: int = _setting(
        20, "percent of the live memories that may go at once without being confirmed"
    )
    prune_most: int = _setting(500, "most memories that may go at once without being confirmed")
    prune_daily: int = _setting(100, "most memories a day that execute_prune may remove")
    agent_daily: int = _setting(
        200,
        "most memories a day that the agents of a space, or of a token, may hide, delete or reword",
    )
    agents_may_confirm: str = _setting(
        "off", "on: an agent may itself confirm a prune of more than may go at once"
    )
    tools_may_purge: str = _setting(
        "off", "on: the tool forget_concept may remove for good, if its plan says so"
    )
    bulk_chunk: int = _setting(4000, "memories written in one transaction of a bulk call")
    compare: str = _setting(
        "on", "on: add looks for what a statement repeats, replaces or contradicts"
    )
    junk_gate: str = _setting(
        "on", "on: add refuses noise, filler and what is too short to say anything"
    )
    question_days: int = _setting(
        14, "days a question waits for an answer before both statements are kept"
    )
    embedder: str = _setting(
        "auto", "auto, none, local, onnx:FOLDER or openai:MODEL: what turns texts into vectors"
    )
    embedder_url: str = _setting(
        "https://api.openai.com/v1", "address of the OpenAI-compatible service for openai:MODEL"
    )
    embedder_key: str = _setting("", "key for that service; better given as GLYMPH_EMBEDDER_KEY")
    reader: str = _setting(
        "auto", "auto, none or local: what judges texts; auto: local where it is installed"
    )
    rerank_ms: float = _setting(
        300.0,
        "CPU milliseconds that a search may spend on reading its best hits once more; 0: none",
    )
    model: str = _setting(
        "none",
        "none, openai:MODEL, anthropic:MODEL, gguf:FILE, command:COMMAND or recorded:FOLDER: the "
        "language model for upkeep",
    )
    model_url: str = _setting(
        "", "address of the service for openai:MODEL or anthropic:MODEL; empty: its own"
    )
    model_key: str = _setting("", "key for that service; better given as GLYMPH_MODEL_KEY")
    model_prices: str = _setting(
        "", "IN/OUT in USD per million tokens, such as 0.15/0.60; empty: as published"
    )
    spend_daily_usd: float = _setting(1.0, "most USD that upkeep may spend in 24 hours; 0: nothing")
    spend_run_usd: float = _setting(0.25, "most USD that one run may spend")
    tokens_daily: int = _setting(
        2_000_000, "most tokens that upkeep may use in 24 hours, of free models too"
    )
    tokens_run: int = _setting(500_000, "most tokens that one run may use")
    spend_spaces: int = _setting(
        10, "all spaces of a store together may spend the daily caps of this many"
    )
    model_seconds: float = _setting(120.0, "seconds that one answer of the language model may take")
    questions_hours: float = _setting(0.5, "hours between two looks at open questions")
    health_hours: float = _setting(1.0, "hours between two looks at queue, disk and store")
    lifecycle_hours: float = _setting(
        2.0, "hours between two looks for what has faded, where nothing was added"
    )
    ai_prune_hours: float = _setting(2.0, "hours between two looks whether ai_prune is due")
    ai_prune_sessions: int = _setting(
        5, "sessions after which ai_prune is due; in a space of 500 recalls three fifths of that"
    )
    ai_prune_memories: int = _setting(
        50, "live memories from which ai_prune is due, and then again whenever a quarter came to it"
    )
    decay_hours: float = _setting(6.0, "hours between two counts of what is fading")
    embed_hours: float = _setting(12.0, "hours between two looks for memories without vectors")
    garden_hours: float = _setting(24.0, "hours between two rounds of the gardener")
    journal_hours: float = _setting(24.0, "hours between two looks for what to fold in the journal")
    trash_hours: float = _setting(24.0, "hours between two looks for what has left the trash")
    consolidation_hours: float = _setting(
        24.0, "hours between two looks for lessons in what happened"
    )
    lesson_readings: Literal["mark", "refuse"] = _setting(
        "mark", "what of a lesson cannot be counted: kept behind a mark, or refused"
    )
    summaries: Literal["on", "off"] = _setting(
        "on", "whether several memories about one subject become a summary beside them"
    )
    summary_share: float = _setting(0.3, "of the words of several memories that a summary keeps")
    surface_hours: float = _setting(24.0, "hours between two digests where nothing has changed")
    idle_hours: float = _setting(1 / 6, "hours between two looks whether the agent is idle")
    surface_tokens: int = _setting(1500, "tokens of the digest that a session begins with")
    history_folder: str = _setting(
        "",
        "folder of conversations, or `store`; empty: beside the file of an embedded store, or in "
        "the store",
    )
    retention: str = _setting(
        "", "KIND=DAYS, KIND=DAYS: lifecycle may let a kind go after that, if it also fell dormant"
    )
    durability: str = _setting(
        "full", "full: an acknowledged write survives power loss; normal: a process kill"
    )

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from a mapping of names to values or texts; an unknown name is an error."""
        if not isinstance(values, Mapping):
            raise InvalidInput(
                "settings", f"expected a mapping, got {type(values).__name__}. {_EXAMPLE}"
            )
        known = {f.name: f for f in fields(cls)}
        parsed: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
                raise InvalidInput(f"settings.{name}", f"no such setting.{hint}")
            parsed[name] = _parse_value(name, value, known[name].default)
        settings = cls(**parsed)
        if settings.durability not in ("full", "normal"):
            raise InvalidInput(
                "settings.durability", f"{settings.durability!r} is not known. Use full or normal."
            )
        for name in ("compare", "junk_gate", "tools_may_purge", "agents_may_confirm"):
            if getattr(settings, name) not in ("on", "off"):
                raise InvalidInput(
                    f"settings.{name}", f"{getattr(settings, name)!r} is not known. Use on or off."
                )
        return settings


def _parse_value(name: str, value: Any, default: Any) -> Any:
    like = f"Write one such as {default}."
    if isinstance(default, str):
        if not isinstance(value, str | int | float):
            raise InvalidInput(f"settings.{name}", f"{shortened(value)} is not a text. {like}")
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"settings.{name}", f"{shortened(value)} is not a number. {like}"
        ) from error
    if isinstance(default, float):
        if isinstance(value, bool) or not math.isfinite(number) or number < 0:
            raise InvalidInput(
                f"settings.{name}", f"{shortened(value)} is not a number of at least 0. {like}"
            )
        return number
    if isinstance(value, bool) or not math.isfinite(number) or number < 1 or number != int(number):
        raise InvalidInput(
            f"settings.{name}", f"{shortened(value)} is not a whole number of at least 1. {like}"
        )
    return int(number)
