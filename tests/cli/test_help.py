"""What the command line says of itself: defaults, choices, one word for doing it, true names."""

from __future__ import annotations

import ast
import re
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs.generate import command_names
from glymph import Glymph
from glymph.cli.branches import load
from glymph.cli.main import app
from glymph.cli.naming import name_calls
from glymph.errors import InvalidInput
from glymph.tools import all_tools, tree

ROOT = Path(__file__).parents[2]
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "examples/README.md")
    ),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
SOURCES = sorted(path for path in (ROOT / "src" / "glymph").rglob("*") if path.suffix in
    (".py", ".md", ".html", ".json"))  # fmt: skip
QUOTED = re.compile(r"`glymph ([^`\n]*)`")
BLOCK = re.compile(r"^```(?:sh|console|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*glymph (.*)$|\| glymph (.*)$", re.MULTILINE)


def help_of(name):
    return CliRunner().invoke(app, [*name.split(), "--help"], env={"COLUMNS": "200"}).stdout


@pytest.mark.parametrize("tool", all_tools().values(), ids=lambda tool: tool.name)
def test_the_help_of_a_tool_says_its_defaults_and_its_choices(tool):
    said = " ".join(help_of(" ".join(tree.PLACES.get(tool.command, (tool.command,)))).split())
    for name, field in tool.schema.get("properties", {}).items():
        default = field.get("default")
        if default and not isinstance(default, bool):
            assert f"[default: {default}]" in said, name
        words = [str(w) for w in field.get("enum") or field.get("items", {}).get("enum", ())]
        assert "|".join(words) in said or ", ".join(words) in said, name


def test_the_help_of_a_tool_names_commands_where_agents_read_tools():
    names = re.compile(rf"\b({'|'.join(all_tools())})\b")
    for name in command_names():
        assert not names.search(help_of(name)), name


def find_leaf(words):
    """Returns the command that some words name, those behind it, and the words that named it."""
    name, *rest = words
    if name not in tree.TOP:
        return None, rest, [name]
    if (group := tree.GROUPS.get(name)) is None:
        return (*descend(load(name), rest), [name])
    if rest and rest[0] in group.commands:
        return (*descend(load(group.commands[rest[0]]), rest[1:]), [name, rest[0]])
    if group.also is not None:
        return (*descend(load(group.also), rest), [name])
    return None if group.default is None else load(group.commands[group.default]), rest, [name]


def descend(command, words):
    inner = getattr(command, "commands", {})
    if words and words[0] in inner:
        return inner[words[0]], words[1:]
    return command, words


def explain_wrong(command):
    """Returns what is wrong with a command as it is written in a text; None if nothing."""
    written = command.partition(" #")[0].replace("[", " ").replace("]", " ").split()
    words = [word for word in written if word not in ("|", "…")]
    if not words or words[0] == "hook" or not re.fullmatch(r"[a-z][a-z-]+", words[0]):
        return None
    found, rest, named = find_leaf(words)
    if named[0] not in tree.TOP:
        place = tree.find_moved(named[0])
        return "no such command" if place is None else f"moved to {tree.write_path(place)}"
    if found is None:
        ok = not rest or not re.fullmatch(r"[a-z][a-z-]+", rest[0])
        return None if ok else "no such command in the group"
    known = {opt for one in found.params for opt in (*one.opts, *one.secondary_opts)}
    for word in rest:
        option = word.partition("=")[0].rstrip(".,;:")
        if re.fullmatch(r"--[a-z][a-z-]*", option) and option not in {*known, "--help"}:
            return f"no option {option}"
    return None


def find_commands(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":  # texts that are written in pieces are read as a whole
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.JoinedStr):
                text += "\n" + "".join(
                    one.value if isinstance(one, ast.Constant) else "{}" for one in node.values
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text += "\n" + node.value
    blocks = "\n".join(BLOCK.findall(text)) if path.suffix == ".md" else ""
    typed = [one or other for one, other in TYPED.findall(blocks)]
    return {*QUOTED.findall(text), *typed}


def test_every_command_that_a_text_names_is_there():
    """By the name it has now, with the options that it takes."""
    wrong = [
        f"{path.relative_to(ROOT)}: `glymph {command}`: {why}"
        for path in (*PAGES, *SOURCES)
        for command in sorted(find_commands(path))
        if (why := explain_wrong(command)) is not None
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("list() shows what is there", "`glymph memory list` shows what is there"),
        ("operations() or `glymph store operations` lists them; then undo(id).",
         "`glymph store operations` lists them; then `glymph undo ID`."),
        ("add(…, revive=True) takes it in again", "`glymph add … --revive` takes it in again"),
        ("Check them, then pass confirm_large=True.", "Check them, then pass --confirm-large."),
        ("restore(id) or sleep(3)", "`glymph memory restore ID` or sleep(3)"),
    ],
)  # fmt: skip
def test_errors_speak_of_commands_where_the_library_speaks_of_calls(message, said):
    assert name_calls(message) == said


def test_a_group_inside_a_group_says_in_full_what_its_commands_do():
    for name in command_names():
        assert "..." not in help_of(name).partition("Commands:")[2], name


# Commands that take something away, and those that take it back or in: one word does it.
REMOVING = """memory delete, memory trash empty, memory history remove, memory history erase,
memory history consolidate, prune, prune batch, prune execute, forget, sleep lifecycle,
sleep garden, sleep ai-prune, store space delete, store token revoke, store tombstones lift,
store import, install remove claude-code, install claude-code"""


@pytest.mark.parametrize("name", [" ".join(one.split()) for one in REMOVING.split(",")])
def test_what_removes_shows_first_and_does_it_with_one_word(name):
    found, rest, _ = find_leaf(name.split())
    options = {
        opt: one for one in found.params for opt in one.opts if not getattr(one, "hidden", False)
    }
    assert not rest
    assert "--apply" in options
    assert not {"--confirm", "--yes", "--force", "--dry-run"} & set(options)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("add Bob likes coffee", 'glymph add "Bob likes coffee"'),
        ("add Bob --kind fact likes tea", 'glymph add "Bob likes tea"'),
        ("search where does Ada live?", 'glymph search "where does Ada live?"'),
        ("memory recall costs $5", "glymph memory recall 'costs $5'"),
        ("forget my old number", 'glymph forget "my old number"'),
    ],
)
def test_a_text_without_quotes_is_shown_with_them(typed, shown):
    told = CliRunner().invoke(app, typed.split(), prog_name="glymph", env={"COLUMNS": "200"})
    assert told.exit_code == 2
    assert f"The text has several words. Put it in quotes: {shown}\n" in told.stderr


def test_of_several_texts_none_is_guessed():
    told = CliRunner().invoke(app, ["memory", "supersede", "Ada", "lives", "in", "\x1bRome"])
    assert told.exit_code == 2
    assert "Put each text in quotes." in told.stderr
    assert "\x1b" not in told.stderr


@pytest.mark.parametrize("name", ["add", "search", "forget", "memory supersede", "memory page"])
def test_the_help_of_a_text_says_that_it_stands_in_quotes(name):
    assert "Put several words in quotes." in " ".join(help_of(name).split())


@pytest.mark.parametrize("given", ["yesterdayish", "2026-03-01", "2026-13-01T10:00Z"])
@pytest.mark.parametrize(
    "typed", ["memory get x --at", "memory list --at", "search tea --since", "add Tea. --event-at"]
)
def test_a_wrong_time_is_answered_with_examples_of_right_ones(typed, given, tmp_path):
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    Glymph.open(url).close()
    with pytest.raises(InvalidInput) as told:
        CliRunner().invoke(
            app, [*typed.split(), given, "--url", url], catch_exceptions=False
        )  # fmt: skip
    assert repr(given) in str(told.value)
    examples = re.findall(r"\d{4}-\S+T\S+", str(told.value).partition("Write it like ")[2])
    assert len(examples) == 2
    for one in examples:
        assert datetime.fromisoformat(one.rstrip(".")).utcoffset() is not None
