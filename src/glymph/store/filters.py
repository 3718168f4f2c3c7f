"""A filter as a condition in SQL."""

from __future__ import annotations

from typing import Any

from glymph.store.contract import Filter


def write_condition(wanted: Filter) -> tuple[str, dict[str, Any]]:
    """Returns the condition of a filter on `m`, with its parameters."""
    terms: list[str] = []
    parameters: dict[str, Any] = {}
    for column, values in (
        ("state", wanted.states),
        ("kind", wanted.kinds),
        ("section", wanted.sections),
    ):
        if values is None:
            continue
        # One value as an equation lets the engine use the index for the order, too.
        names = [f":{column}{i}" for i in range(len(values))]
        parameters |= {f"{column}{i}": str(value) for i, value in enumerate(values)}
        terms.append(
            f"m.{column} = {names[0]}" if len(names) == 1 else f"m.{column} IN ({', '.join(names)})"
        )
    if wanted.kinds is None:
        terms.append("m.kind <> 'self'")
    for i, tag in enumerate(wanted.tags or ()):
        terms.append(f"{{has:m.tags:tag{i}}}")
        parameters[f"tag{i}"] = tag
    for name, term in (
        ("since", "coalesce(m.event_at, m.created_at) >= :since"),
        ("until", "coalesce(m.event_at, m.created_at) <= :until"),
        ("session", "m.session = :session"),
        ("source", "m.source = :source"),
        ("live_at", "(m.expires_at IS NULL OR m.expires_at > :live_at OR m.pinned = 1)"),
    ):
        if (value := getattr(wanted, name)) is not None:
            terms.append(term)
            parameters[name] = value
    if not wanted.include_superseded:
        terms.append("m.superseded_by IS NULL")
    if wanted.without:
        terms.append("m.key NOT IN {keys:without}")
        parameters["without"] = list(wanted.without)
    return " AND ".join(terms), parameters
