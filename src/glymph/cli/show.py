"""Results on a terminal: one JSON document for machines, tables for people."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any

FAILED, LEFT_ALONE = 1, 3
SWITCHED_OFF = (
    "No embedder: the setting embedder is none. `glymph config set embedder auto` switches it on."
)

# Room under which a column of sentences is no longer readable beside the others.
NARROW = 30
GAP = "  "
INDENT = "    "
# A memory's text is data: a control sequence in it must not reach the terminal.
_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(32), *range(127, 160))
    if code not in (9, 10)
}


def result(value: Mapping[str, Any], *, as_json: bool, dry_run: bool = False) -> None:
    """Prints a tool's result; ends the program with status 3 if ids were left alone, 1 if nothing
    was taken in.
    """
    import typer

    refused = value.get("refused") if "created" in value else None
    if as_json:
        document({"dry_run": dry_run, **value} if dry_run else value)
    elif refused:
        sys.stderr.write(f"glymph: refused: {_cell(refused)}\n")
    else:
        _for_people(value, dry_run=dry_run)
    if value.get("failed") or value.get("skipped"):
        raise typer.Exit(LEFT_ALONE)
    if refused:
        raise typer.Exit(FAILED)


def document(value: Any) -> None:
    plain_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=plain_ascii, indent=2) + "\n")


def console() -> Any:
    from rich.console import Console

    # A pipe has no width: one row is one line then, however long.
    return Console(highlight=False, width=shutil.get_terminal_size((1_000_000, 24)).columns)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()) -> None:
    """Rows under their columns' names; a name that ends in `>` is set to the right.

    Only the last column wraps, in the room the others leave. Where that is too little to read, its
    text stands under the row: no column ever vanishes. A note stands under its row in any case.
    """
    from rich.cells import cell_len
    from rich.text import Text

    if not rows:
        return
    out = console()
    cells = [
        [name.rstrip(">") for name in columns],
        *([_cell(value) for value in row] for row in rows),
    ]
    *widths, last = [max(cell_len(row[at]) for row in cells) for at in range(len(columns))]
    left = sum(widths) + len(GAP) * len(widths)
    beside = out.width - left >= min(last, NARROW)
    for number, row in enumerate(cells):
        head = GAP.join(_set(*cell) for cell in zip(row, widths, columns, strict=False))
        room = out.width - (left if beside else len(INDENT))
        tail = [str(part) for part in Text(row[-1]).wrap(out, room)]
        if beside:
            first, *others = tail or [""]
            shown = [head + GAP + first, *(" " * left + other for other in others)]
        else:
            shown = [head, *(INDENT + part for part in tail if number)]
        for text in filter(str.strip, shown):
            out.print(Text(text.rstrip(), style="" if number else "bold"), soft_wrap=True)
        for part in (
            Text(_cell(notes[number - 1])).wrap(out, out.width - len(INDENT))
            if number and notes
            else ()
        ):
            out.print(Text(INDENT + str(part).rstrip(), style="dim"), soft_wrap=True)


def _set(cell: str, width: int, column: str) -> str:
    from rich.cells import cell_len

    blank = " " * (width - cell_len(cell))
    return blank + cell if column.endswith(">") else cell + blank


def _cell(value: Any) -> str:
    return " ".join(("" if value is None else str(value)).split()).translate(_CONTROLS)


def line(text: str, style: str = "") -> None:
    from rich.text import Text

    console().print(Text(text.translate(_CONTROLS), style=style))


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun: 1 memory, 2 memories."""
    return f"{number:,} {one if number == 1 else many}"


def left_behind(folders: Sequence[str]) -> str:
    """What to say of conversations in files that an export, a backup or a migration is without;
    empty if none.
    """
    return (
        f"Conversations in files stay behind. Copy their folders, too: {', '.join(folders)}"
        if folders
        else ""
    )


def when(iso: str) -> str:
    """A moment as people write it, to the second."""
    return iso[:19].replace("T", " ")


def _for_people(value: Mapping[str, Any], *, dry_run: bool) -> None:
    from glymph.cli import forget, garden, learning_pages, pages, sleeping_pages, status_page

    if "actions" in value:
        forget.plan(value)
    elif "pruned_count" in value:
        pages.pruned(value, dry_run=dry_run)
    elif dry_run:
        _preview(value) if "memories" in value else pages.would(value)
    elif "plan_id" in value:
        pages.plan(value)
    elif "candidates" in value and "summary" in value:
        pages.candidates(value)
    elif "conflicts" in value and isinstance(value["conflicts"], list) and "created" not in value:
        pages.conflicts(value["conflicts"])
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
    elif "recommendations" in value:
        status_page.autonomous(value)
    elif "curation_tasks" in value:
        garden.memetics(value)
    elif "by_model" in value:
        sleeping_pages.costs(value)
    elif "groups_analyzed" in value:
        learning_pages.consolidated(value)
    elif "playbooks" in value:
        learning_pages.playbooks(value)
    elif "clusters" in value:
        _clusters(value["clusters"])
    else:
        facts(value)


def facts(value: Mapping[str, Any]) -> None:
    """Names and values, nested ones in one line; lists of mappings as tables of their own below."""
    lists = {name: item for name, item in value.items() if _is_listing(item)}
    table(
        ["", ""],
        [[_named(name), _told(name, item)] for name, item in value.items() if name not in lists],
    )
    for name, items in lists.items():
        line(_named(name), "bold")
        listing(items)


def listing(items: Sequence[Mapping[str, Any]]) -> None:
    """Mappings as rows; the column of texts stands last, where there is room to wrap."""
    names = list(dict.fromkeys(name for item in items for name in item))
    names.sort(key=lambda name: name == "text")
    figures = {name for name in names if all(_is_figure(item.get(name, 0)) for item in items)}
    columns = [_named(name) + (">" if name in figures else "") for name in names]
    table(columns, [[_told(name, item.get(name)) for name in names] for item in items])


def _is_listing(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _named(name: str) -> str:
    return name.replace("_", " ")


def _told(name: str, value: Any) -> Any:
    """A value as people read it."""
    match value:
        case Mapping():
            return _pairs(value) or "none"
        case list() | tuple():
            return ", ".join(str(_told("", item)) for item in value) or "none"
        case float():
            return round(value, 4)
        case bool():
            return "yes" if value else "no"
        case str() if value and (name == "at" or name.endswith("_at")):
            return f"{when(value)} UTC"
    return value


def _pairs(value: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {part}" for key, part in value.items())


def meaning(value: Mapping[str, Any], space: str) -> list[str]:
    """What there is to say of a space's embedder and vectors, in sentences."""
    if value["embedder"] is None:
        return [value["failure"] or f"Recall goes by text only. {value['absence'] or SWITCHED_OFF}"]
    here = "" if space == "default" else f" --space {space}"
    told = [f"{value['embedder']}, {value['dimension']} numbers per text."]
    if value["waiting"]:
        many = counted(value["waiting"], "memory waits", "memories wait")
        told.append(f"{many} for a vector: `glymph embed{here}`.")
    else:
        told.append("Every memory has its vector.")
    if value["others"]:
        others = ", ".join(f"{name} ({vectors:,})" for name, vectors in value["others"])
        told.append(
            f"Vectors of other models, never compared: {others}. `glymph embed --tidy{here}` removes them."
        )
    if value["failure"]:
        told.append(value["failure"])
    return told


def embedded(value: Mapping[str, Any]) -> None:
    """What an embedding run did."""
    model = f"{value['embedder']}, {value['dimension']} numbers per text"
    if value["embedded"]:
        many = counted(value["embedded"], "memory", "memories")
        line(
            f"Gave {many} a vector of {model}: {value['seconds']:.1f} s, {value['per_second']:.0f} per second."
        )
    else:
        line(f"Nothing to do: every memory has its vector of {model}.")
    if value["waiting"]:
        line(
            f"{counted(value['waiting'], 'memory', 'memories')} came meanwhile and wait: run it again."
        )
    if value["removed"]:
        line(f"Removed {counted(value['removed'], 'vector', 'vectors')} of other models.")


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
    table(["id", "kind", "presence", "R>", "title"], rows)


def operations(items: Sequence[Mapping[str, Any]]) -> None:
    rows = []
    for o in items:
        who = f"{o['actor']} (undone since)" if o["undone_by"] else o["actor"]
        why = f"{who}: {o['reason']}" if o["reason"] else who
        rows.append([o["id"], when(o["at"]), o["verb"], o["changes"], why])
    table(["operation", "when (UTC)", "verb", "rows>", "who and why"], rows)


def _clusters(items: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        [
            c["name"],
            len(c["members"]),
            c["active"],
            c["weak"],
            c["dormant"],
            _pairs(c["rule"] or {}) or "by hand",
        ]
        for c in items
    ]
    table(["cluster", "members>", "active>", "weak>", "dormant>", "filled by"], rows)
    if not rows:
        line("No clusters yet. `glymph clusters create --name NAME` makes one.")


def _preview(value: Mapping[str, Any]) -> None:
    many = counted(len(value["memories"]), "memory", "memories")
    line(f"Would {value['would']} {many}. Nothing was changed: add --apply to do it.", "bold")
    memories(value["memories"])
    refusals(value)


def refusals(value: Mapping[str, Any]) -> None:
    for kind, style in (("skipped", "yellow"), ("failed", "red")):
        for refusal in value[kind]:
            line(f"  {kind}: {refusal['id']}: {refusal['reason']}", style)


def _hits(value: Mapping[str, Any]) -> None:
    rows = [
        [f"{h['score']:.2f}", h["kind"], h["lifecycle"], h["id"], h["title"]] for h in value["hits"]
    ]
    notes = [f"{h['why']} ({_figures(h['parts'])})" for h in value["hits"]]
    table(["score>", "kind", "presence", "id", "title"], rows, notes)
    if not rows:
        line("Nothing found. Other words, or --states ARCHIVED, may find it.")
    elif value.get("recall_id"):
        line(f"Say what helped: glymph report {value['recall_id']} --used ID", "dim")
    if value.get("notice"):
        line(value["notice"], "yellow")


def _figures(parts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in parts.items())


def _receipt(value: Mapping[str, Any]) -> None:
    done, skipped, failed = (len(value[name]) for name in ("succeeded", "skipped", "failed"))
    along = f" ({len(value['cascaded'])} more along with them)" if value.get("cascaded") else ""
    line(f"{value['verb']}: {done} done{along}, {skipped} skipped, {failed} failed")
    refusals(value)
    if value.get("recoverable_until"):
        line(f"  in the trash, recoverable until {value['recoverable_until'][:10]}")
    if value["succeeded"] and value["verb"] == "purge":
        line("  for good: there is no undo. `glymph certificates` says what is clean.", "dim")
    elif value["succeeded"]:
        line(f"  take it back with: glymph undo {value['operation_id']}", "dim")


def _added(value: Mapping[str, Any]) -> None:
    if value["created"]:
        line(f"remembered {value['id']}")
    else:
        line(f"known already as {value['duplicate_of']}: reinforced instead")
    for memory_id in value["connected_to"]:
        line(f"  linked to {memory_id}")
    for why in value["why"]:
        line(f"  {why}")
    for conflict in value["conflicts"]:
        line(
            f"  decide with: glymph conflicts resolve {conflict} --resolution new_is_current", "dim"
        )


def _memory(value: Mapping[str, Any]) -> None:
    m = value["memory"]
    line(m["title"], "bold")
    if m["text"] != m["title"]:
        line(m["text"])
    shown = (
        "id", "space", "kind", "section", "state", "lifecycle", "retrievability", "stability", "access_count",
        "pinned", "protected", "created_at", "last_used_at", "event_at", "expires_at", "superseded_by", "version",
    )  # fmt: skip
    facts({name: m[name] for name in shown if m[name] not in (None, False)})
    if m["tags"]:
        line(f"tags: {', '.join(m['tags'])}")
    for edge in value.get("links", ()):
        away = edge["source"] == m["id"]
        other = edge["target"] if away else edge["source"]
        line(f"{'→' if away else '←'} {edge['type']} {edge['weight']:.2f}  {other}")
    changes(value.get("history", ()))


def changes(items: Sequence[Mapping[str, Any]]) -> None:
    """A memory's history, oldest first, with what each change replaced."""
    bookkeeping = ("content_hash", "updated_at", "version")
    rows = [
        [when(c["at"]), c["actor"], c["verb"], c["action"],
         ", ".join(f"{k}: {_short(v)}" for k, v in c["before"].items() if k not in bookkeeping)]
        for c in items
    ]  # fmt: skip
    table(["when (UTC)", "actor", "verb", "change", "before"], rows, [c["reason"] for c in items])


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
