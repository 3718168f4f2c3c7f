"""Results on a terminal: one JSON document for machines, tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

NOTHING_DONE = 3


def result(value: Mapping[str, Any], *, as_json: bool, dry_run: bool = False) -> None:
    """Prints a tool's result; ends the program with status 3 if ids were left alone."""
    import typer

    if as_json:
        document({"dry_run": dry_run, **value} if dry_run else value)
    else:
        _for_people(value, dry_run=dry_run)
    if value.get("failed") or (value.get("skipped") and not value.get("succeeded")):
        raise typer.Exit(NOTHING_DONE)


def document(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def console() -> Any:
    from rich.console import Console

    # A pipe has no width: lines are then as long as their content needs, within reason.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 140)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """One table; columns whose name ends in `>` are set to the right, `!` never wraps."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        title=title or None,
        title_justify="left",
        header_style="bold",
        box=None,
        pad_edge=False,
        show_header=any(columns),
    )
    for name in columns:
        grid.add_column(
            name.rstrip(">!"),
            justify="right" if name.endswith(">") else "left",
            no_wrap=name.endswith(("!", ">")),
            min_width=None if name.endswith("!") else min(len(name), 8),
        )
    for row in rows:
        grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    console().print(grid)


def line(text: str, style: str = "") -> None:
    from rich.text import Text

    console().print(Text(text, style=style))


def _for_people(value: Mapping[str, Any], *, dry_run: bool) -> None:
    if dry_run:
        _preview(value)
    elif "hits" in value:
        _hits(value)
    elif "operation_id" in value and "succeeded" in value:
        _receipt(value)
    elif "created" in value:
        _added(value)
    elif "memory" in value:
        _memory(value)
    elif "operations" in value and isinstance(value["operations"], list):
        operations(value["operations"])
        line(value["summary"], "dim")
    elif "clusters" in value:
        rows = [
            [c["name"], len(c["members"]), c["active"], c["weak"], c["dormant"], c["rule"] or "by hand"]
            for c in value["clusters"]
        ]
        table("", ["cluster", "members>", "active>", "weak>", "dormant>", "filled"], rows)
    else:
        facts(value)


def facts(value: Mapping[str, Any]) -> None:
    """Names and values, nested ones in one line."""
    rows = []
    for name, item in value.items():
        if isinstance(item, Mapping):
            item = ", ".join(f"{key} {part}" for key, part in item.items()) or "none"
        rows.append([name.replace("_", " "), item])
    table("", ["", ""], rows)


def memories(items: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        [
            m["id"],
            m["kind"],
            m["state"] if m["state"] != "LIVE" else m["lifecycle"],
            f"{m['retrievability']:.2f}",
            m["title"],
        ]
        for m in items
    ]
    table("", ["id!", "kind!", "presence!", "R>", "title"], rows)


def operations(items: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        [
            o["id"],
            o["at"][:19].replace("T", " "),
            o["actor"],
            o["verb"],
            o["changes"],
            "undone" if o["undone_by"] else "",
            o["reason"] or "",
        ]
        for o in items
    ]
    table("", ["operation!", "when (UTC)!", "actor", "verb!", "rows>", "", "why"], rows)


def _preview(value: Mapping[str, Any]) -> None:
    line(
        f"Would {value['would']} {len(value['memories'])} memories. Nothing was changed: add --apply to do it.",
        "bold",
    )
    memories(value["memories"])
    for memory_id in value["unknown"]:
        line(f"unknown: {memory_id}", "red")


def _hits(value: Mapping[str, Any]) -> None:
    rows = [[f"{h['score']:.2f}", h["kind"], h["lifecycle"], h["id"], h["title"]] for h in value["hits"]]
    if rows:
        table("", ["score>", "kind!", "presence!", "id!", "title"], rows)
    else:
        line("Nothing found. Other words, or --states ARCHIVED, may find it.")
    if value.get("recall_id"):
        line(f"recall {value['recall_id']}: report what helped with `glymph report RECALL --used ID`", "dim")
    if value.get("notice"):
        line(value["notice"], "yellow")


def _receipt(value: Mapping[str, Any]) -> None:
    done, skipped, failed = (len(value[name]) for name in ("succeeded", "skipped", "failed"))
    line(f"{value['verb']}: {done} done, {skipped} skipped, {failed} failed")
    for kind, style in (("skipped", "yellow"), ("failed", "red")):
        for refusal in value[kind]:
            line(f"  {kind}: {refusal['id']}: {refusal['reason']}", style)
    if value.get("recoverable_until"):
        line(f"  in the trash, recoverable until {value['recoverable_until'][:10]}")
    if value["succeeded"]:
        line(f"  take it back with: glymph undo {value['operation_id']}", "dim")


def _added(value: Mapping[str, Any]) -> None:
    if value["created"]:
        line(f"remembered {value['id']}")
    elif value["duplicate_of"]:
        line(f"known already as {value['duplicate_of']}: reinforced instead")
    else:
        line(f"refused: {value['refused']}", "red")
    if value["connected_to"]:
        line(f"  linked to {', '.join(value['connected_to'])}")


def _memory(value: Mapping[str, Any]) -> None:
    m = value["memory"]
    line(m["title"], "bold")
    line(m["text"])
    shown = (
        "id", "space", "kind", "section", "state", "lifecycle", "retrievability", "stability", "access_count",
        "pinned", "protected", "created_at", "last_used_at", "event_at", "expires_at", "superseded_by", "version",
    )  # fmt: skip
    facts({name: m[name] for name in shown if m[name] not in (None, False)})
    if m["tags"]:
        line(f"tags: {', '.join(m['tags'])}")
    for edge in value.get("links", ()):
        line(f"{edge['type']} {edge['weight']:.2f}: {edge['source']} → {edge['target']}")
    changes(value.get("history", ()))


def changes(items: Sequence[Mapping[str, Any]]) -> None:
    """A memory's history, oldest first, with what each change replaced."""
    rows = [
        [c["at"][:19].replace("T", " "), c["actor"], c["verb"], c["action"],
         ", ".join(f"{k}: {_short(v)}" for k, v in c["before"].items())]
        for c in items
    ]  # fmt: skip
    if rows:
        table("", ["when (UTC)!", "actor", "verb!", "change!", "before"], rows)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
