"""Writes down which names `--json` prints, from answers that the commands really give.

Each command is run once on a small store. Values differ from store to store; the names are what
programs build on, and a change of one shows as a change of docs/reference/json.md.
"""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app

WIDTH = 96
EVERY_WORD = "*"  # a key that is a name of somebody's own, such as a kind
# Mappings whose keys are figures' or people's own names, not ours.
NAMED_BY_OTHERS = frozenset(
    "attributes by_kind by_section titles away links_dropped lifecycle_breakdown thresholds "
    "before parameters arguments".split()
)
RECEIPT = (
    "operation_id", "verb", "succeeded", "skipped", "failed", "recoverable_until", "hash",
    "cascaded", "titles",
)  # fmt: skip
A_RECEIPT = "a receipt"
SAME_FROM = 9  # names from which those that all hold the same are written as one
OFF = {f"GLYMPH_{name}": "none" for name in ("EMBEDDER", "READER", "MODEL")}


class Answers:
    """The shapes of what commands answered, by the command as it is typed."""

    def __init__(self, folder: Path) -> None:
        self.shapes: dict[str, Any] = {}
        self.env = {
            **OFF,
            "GLYMPH_HOME": str(folder),
            "GLYMPH_URL": f"sqlite:///{folder}/memory.db",
            "CLAUDE_CONFIG_DIR": str(folder),
        }

    def ask(self, command: str, *args: str) -> dict[str, Any]:
        """Runs a command and returns its answer."""
        done = CliRunner().invoke(app, [*command.split(), *args, "--json"], env=self.env)
        try:
            answer: dict[str, Any] = json.loads(done.stdout)
        except ValueError as error:
            raise AssertionError(f"glymph {command}: {done.exception!r}") from error
        if "error" in answer:
            raise AssertionError(f"glymph {command}: {answer['error']}")
        self.shapes[command] = _join(self.shapes.get(command), _shape(answer))
        return answer


def json_page() -> str:
    """The names in the answer of each command."""
    shapes = collect()
    receipt: Any = {}
    for shape in shapes.values():
        if is_receipt(shape):
            receipt = _join(receipt, {name: shape[name] for name in RECEIPT})
    pages = [
        f"## glymph {command}\n\n```text\n{_write(_fold(shape))}\n```\n"
        for command, shape in sorted(shapes.items())
    ]
    head = (
        "The names that each command prints with `--json`: `name[]` is a list, `name{…}` an "
        f"object with these names,\n`{EVERY_WORD}` a name of your own, such as a kind. They are a "
        "promise: more may come, and a change of one is in the [changelog](../../CHANGELOG.md).\n"
        "What stands in them depends on the store; what a store lacks may be empty or left out. "
        "Exit statuses and errors: [the command line](../how-to/cli.md).\n"
    )
    return "\n".join(
        ["# What --json prints\n", head, f"**{A_RECEIPT}**\n", f"```text\n{_write(receipt)}\n```\n",
         "**an error**\n", "```text\nerror{code, message}\n```\n", *pages]
    )  # fmt: skip


def is_receipt(shape: Mapping[str, Any]) -> bool:
    """Tells whether an answer is the receipt of an operation, maybe with more."""
    return set(RECEIPT) <= set(shape)


def _fold(shape: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a shape with one name for a receipt, and one for names that all hold the same."""
    if is_receipt(shape):
        return {A_RECEIPT: None, **{n: part for n, part in shape.items() if n not in RECEIPT}}
    parts = list(shape.values())
    if len(parts) >= SAME_FROM and isinstance(parts[0], dict) and all(p == parts[0] for p in parts):
        return {EVERY_WORD: parts[0]}
    return dict(shape)


def collect() -> dict[str, Any]:
    """Returns the shape of every answer."""
    with TemporaryDirectory() as folder, _outside():
        answers = Answers(Path(folder))
        _remember(answers)
        _look(answers)
        _clean(answers)
        _keep(answers, Path(folder))
    return answers.shapes


@contextmanager
def _outside() -> Iterator[None]:
    """Hides what the environment says about a store."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("GLYMPH_")}
    for name in kept:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(kept)


def _remember(answers: Answers) -> None:
    ask = answers.ask
    home = ask("add", "Ada lives in Berlin", "--kind", "fact", "--tags", "home")["id"]
    tea = ask("add", "Ada prefers green tea", "--kind", "preference")["id"]
    ask("add", "Ada prefers green tea", "--kind", "preference")
    ask("memory link", home, tea)
    ask("memory update", home, "--title", "Home")
    ask("memory get", home, "--history")
    ask("memory pin", tea)
    ask("memory pin", tea, "--unpin")
    ask("memory reinforce", tea)
    recall = ask("memory recall", "Where does Ada live?")["recall_id"]
    ask("memory report", recall, "--used", home)
    ask("memory supersede", home, "Ada lives in Lisbon")
    ask("memory supersede", "Ada", "Ada works at the harbour")
    ask("questions")
    ask("memory conflicts")
    ask("add", "Write to carla@example.org about the lease")
    ask("memory page", "I am careful.", "--mode", "append")
    ask("memory clusters", "create", "--name", "home", "--tag", "home")
    ask("memory clusters")
    ask("memory playbooks", "a visit")
    ask("memory surface")
    ask("undo")


def _look(answers: Answers) -> None:
    ask = answers.ask
    with Glymph.open(answers.env["GLYMPH_URL"], embedder="none", reader="none") as memory:
        memory.conversations().append(
            "talk", {"role": "user", "content": "The key is in the shed."}
        )
    ask("search", "Ada")
    ask("memory list")
    ask("memory search-history", "key", "--session", "talk")
    ask("memory history list")
    ask("memory history show", "talk")
    ask("memory history search", "talk", "key")
    ask("memory history consolidate", "talk")
    ask("memory history erase", "in the shed")
    ask("memory history remove", "talk")
    ask("memory history memory", ask("memory list")["memories"][0]["id"])
    for name in ("", " counts", " upkeep", " order", " costs"):
        ask(f"status{name}")
    ask("doctor")
    ask("audit")
    ask("config show", "--effective")
    ask("config set", "trash_days", "9")


def _clean(answers: Answers) -> None:
    ask = answers.ask
    shop = ask("add", "The shop opens at nine.")["id"]
    lamp = ask("add", "The lamp in the hall is green.")["id"]
    plan = ask("analyze", "--min-staleness", "0", "--include-isolated")["plan_id"]
    ask("prune plan list")
    ask("prune plan show", plan)
    ask("prune", plan, "--groups", "1")
    ask("prune candidates")
    ask("prune batch", shop)
    ask("prune execute", shop, "--reason", "staleness")
    gone = ask("memory delete", shop, "--apply")
    ask("memory trash list")
    ask("memory restore-hash", gone["hash"])
    ask("memory delete", shop, "--apply")
    ask("memory trash restore", shop)
    ask("memory delete", shop, "--apply")
    ask("memory restore", shop)
    ask("memory trash empty", "--all")
    ask("memory merge", shop, lamp)
    ask("config set", "tools_may_purge", "on")
    purge = ask("forget", "Lisbon", "--mode", "purge")
    ask("forget", "--plan", purge["plan_id"], "--mode", "purge", "--apply")
    ask("store certificates")
    number = ask("store tombstones list")["tombstones"][0]["number"]
    ask("store tombstones lift", str(number))
    for name in ("consolidate", "lifecycle", "garden", "fading", "fit"):
        ask(f"sleep {name}")
    ask("store operations", "--limit", "3")


def _keep(answers: Answers, folder: Path) -> None:
    ask = answers.ask
    (folder / "talk.jsonl").write_text(
        '{"role": "user", "content": "We deploy on Mondays only."}\n'
    )
    (folder / "notes.jsonl").write_text('{"memory": "Ben drinks coffee"}\n')
    ask("sleep extract", f"{folder}/talk.jsonl")
    ask("store import", f"{folder}/notes.jsonl", "--apply")
    ask("store export", f"{folder}/all.jsonl")
    ask("store backup", f"{folder}/backup.db")
    ask("store restore", f"{folder}/backup.db", f"{folder}/back.db", "--apply")
    ask("store migrate", answers.env["GLYMPH_URL"], f"sqlite:///{folder}/moved.db")
    ask("install claude-code")
    ask("install remove claude-code")
    ask("store init")
    ask("store compact")
    ask("store space create", "work")
    ask("store space rename", "work", "play")
    ask("store space list")
    ask("store space delete", "play")
    made = ask("store token create", "scout")["id"]
    ask("store token list")
    ask("store token revoke", made)


def _shape(value: Any, name: str = "") -> Any:
    """Returns the names in a value: a mapping, a list of one shape, or None for the rest."""
    if isinstance(value, Mapping):
        if name in NAMED_BY_OTHERS:
            return {EVERY_WORD: None}
        return {key: _shape(part, key) for key, part in value.items()}
    if isinstance(value, list):
        joined = None
        for part in value:
            joined = _join(joined, _shape(part))
        return [joined]
    return None


def _join(one: Any, other: Any) -> Any:
    """Returns the shape that has the names of both."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _join(one.get(name), other.get(name)) for name in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return [_join(one[0], other[0])]
    return other if one is None else one


def _write(shape: Any) -> str:
    parts = [_inline(name, part) for name, part in shape.items()]
    return "\n".join(_wrap(parts))


def _wrap(parts: Sequence[str]) -> list[str]:
    """Puts each name of the answer on lines of its own where it holds others."""
    lines: list[str] = []
    plain: list[str] = []
    for part in parts:
        if "{" not in part:
            plain.append(part)
            continue
        lines += textwrap.wrap(part, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    head = textwrap.wrap(", ".join(plain), WIDTH, break_on_hyphens=False)
    return [*head, *lines]


def _inline(name: str, shape: Any) -> str:
    if isinstance(shape, dict):
        return f"{name}{{{', '.join(_inline(*part) for part in shape.items())}}}"
    if isinstance(shape, list):
        inner = shape[0]
        return f"{name}[]" if inner is None else _inline(f"{name}[]", inner)
    return name
