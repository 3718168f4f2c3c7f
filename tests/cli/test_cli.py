"""The command line: every tool is a command.

Machines get one JSON document, people get a readable answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from glymph import Glymph, environment
from glymph.testing import logical_image
from glymph.testing.files import open_file
from glymph.tools import all_tools
from tests.grounds.commands import run_main

DONE, FAILED, USAGE, LEFT_ALONE = 0, 1, 2, 3
NOBODY = "01900000-0000-7000-8000-000000000000"
GLYMPH = str(Path(sys.executable).with_name("glymph"))


@pytest.fixture
def cli(url, monkeypatch, capsys):
    """Runs the real entry point in this process, on the test's own store."""
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "120")

    return partial(run_main, monkeypatch, capsys)


@pytest.fixture
def memory(cli):
    """The id of a lesson in the default space."""
    return cli(
        "add", "The nightly import fails on Mondays.", "--kind", "lesson", "--tags", "ops", "--json"
    ).json["id"]


def image(url, space="default"):
    with Glymph.open(url, space=space) as glymph:
        return logical_image(glymph._ctx.store, space)


def state(cli, memory_id):
    return cli("get", memory_id, "--json").json["memory"]["state"]


# Every tool is a command


@pytest.mark.parametrize("tool", all_tools().values(), ids=lambda tool: tool.command)
def test_every_argument_of_a_tool_can_be_given_on_the_command_line(cli, tool):
    said = cli(tool.command, "--help")
    assert said.code == DONE
    for name, field in tool.arguments.model_fields.items():
        positional = isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get(
            "positional"
        )
        if not positional:
            assert f"--{name.replace('_', '-')}" in said.out
    assert "--json" in said.out
    assert ("--apply" in said.out) is (tool.preview is not None)


def test_every_tool_answers_with_one_json_document(cli, memory, url):
    other = cli("add", "Anna prefers short answers.", "--json").json["id"]
    hours = cli("add", "The office closes at six.", "--json").json["id"]
    recall = cli("recall", "import", "--json").json["recall_id"]
    third = cli("add", "Bob prefers long answers.", "--json").json["id"]
    gone = cli("delete", third, "--apply", "--json").json
    with Glymph.open(url) as glymph:
        glymph.conversations().append("standup", {"role": "user", "content": "The import is late."})
    calls = {
        "add": (
            "Tea is at four.",
            "--attributes",
            '{"cups": 2}',
            "--salience",
            "0.9",
            "--links",
            memory,
        ),
        "search": ("import", "--kinds", "lesson", "--limit", "3"),
        "recall": ("import", "--reinforce"),
        "report": (recall, "--used", memory),
        "get": (memory, "--history"),
        "update": (memory, "--title", "Mondays"),
        "link": (memory, other, "--type", "related_to", "--weight", "0.7"),
        "delete": (other, "--apply"),
        "restore-memory": (other,),
        "pin": (memory,),
        "clusters": ("create", "--name", "ops", "--tag", "ops"),
        "conflicts": ("list",),
        "questions": (),
        "supersede": (hours, "The office closes at seven."),
        "analyze": ("--min-staleness", "0", "--include-isolated"),
        "batch-prune": (memory,),  # which is too young for it
        "candidates": ("--limit", "3"),
        "autonomous": (),
        "costs": ("--days", "7"),
        "consolidate": ("--grouping", "tag"),
        "match-playbooks": ("the import is late", "--attributes", '{"load": 0.9}'),
        "memetics": (),
        "execute-prune": (memory, "--reason", "staleness"),
        "forget": ("the answers Anna prefers",),
        "restore-hash": (gone["hash"],),
        "search-history": ("the import", "--session", "standup"),
        "merge": (other, third),
        "write": ("I am careful.", "--mode", "append"),
        "health": (),
        "operations": ("--verb", "add"),
        "undo": (),
    }
    assert set(calls) == {tool.command for tool in all_tools().values()}
    for command, args in calls.items():
        said = cli(command, *args, "--json")
        assert (said.code, said.err) == (LEFT_ALONE if command == "batch-prune" else DONE, ""), (
            command
        )
        assert isinstance(said.json, dict), command


def test_a_list_in_a_tools_result_is_a_table_for_people(cli, memory, url):
    with Glymph.open(url) as glymph:
        glymph.conversations().append("standup", {"role": "user", "content": "The import is late."})
    said = cli("search-history", "import", "--session", "standup").out
    assert "{" not in said
    head, row = said.splitlines()[-2:]
    assert head.split() == ["number", "role", "at", "score", "summarised", "text"]
    assert row.split()[:2] == ["1", "user"]
    assert row.endswith("no          The import is late.")
    assert cli("search-history", "zeppelin", "--session", "standup").out.splitlines()[
        -1
    ].split() == [
        "turns",
        "none",
    ]


def test_what_an_export_or_a_backup_leaves_behind_is_named(cli, memory, url, tmp_path):
    assert cli("export", tmp_path / "none.jsonl", "--json").json["left_behind"] == []
    assert "stay behind" not in cli("backup", tmp_path / "none.db").out
    with Glymph.open(url) as glymph:
        glymph.conversations().append("standup", {"role": "user", "content": "The import is late."})
        (folder,) = map(str, glymph.conversations.folders())
    with Glymph.open(url, space="other") as glymph:
        glymph.conversations(tmp_path / "else").append(
            "daily", {"role": "user", "content": "It is late."}
        )
        (other,) = map(str, glymph.conversations.folders())
    assert cli("export", tmp_path / "all.jsonl", "--json").json["left_behind"] == [folder]
    assert "stay behind. Copy their folders, too:" in cli("export", tmp_path / "again.jsonl").out
    assert cli("backup", tmp_path / "all.db", "--json").json["left_behind"] == [folder, other]


def test_the_rest_answers_with_one_json_document_too(cli, memory, tmp_path):
    calls = [
        ("init",),
        ("status",),
        ("list", "--limit", "1"),
        ("history", memory),
        ("doctor",),
        ("export", tmp_path / "all.jsonl"),
        ("import", tmp_path / "all.jsonl", "--into", "copy"),
        ("backup", tmp_path / "backup.db"),
        ("restore", tmp_path / "backup.db", tmp_path / "restored.db"),
        ("space", "create", "work"),
        ("space", "list"),
        ("space", "rename", "work", "play"),
        ("space", "delete", "play"),
        ("space", "delete", "play", "--apply"),
        ("config", "show", "--effective"),
        ("config", "set", "trash_days", "9"),
    ]
    for args in calls:
        said = cli(*args, "--json")
        assert (said.code, said.err) == (DONE, ""), args
        assert isinstance(said.json, dict), args


# Errors and exit codes


def test_a_text_that_is_refused_is_told_on_standard_error_with_status_1(cli, memory):
    said = cli("add", "ok thanks")
    assert (said.code, said.out, said.err) == (FAILED, "", "glymph: refused: it is only filler\n")
    said = cli("add", "ok thanks", "--json")
    assert (said.code, said.err) == (FAILED, "")
    assert (said.json["created"], said.json["refused"]) == (False, "it is only filler")
    again = cli("add", "The nightly import fails on Mondays.", "--kind", "lesson")
    assert (again.code, again.err) == (DONE, "")  # known already, and so reinforced


def test_what_compact_says_fits_a_file_and_a_server(cli, memory):
    said = cli("compact").out
    assert said.startswith("The store is written anew: ")
    assert "Folded: 0 journal entries, 0 operations." in said
    assert said.endswith("No certificate waited for it.\n")
    assert "file" not in cli("compact", "--help").out.partition("Options:")[0]


def test_an_error_is_one_line_for_people_and_one_document_for_machines(cli, memory):
    said = cli("memory", "get", NOBODY)
    assert (said.code, said.out) == (FAILED, "")
    assert said.err.startswith("glymph: No memory ")
    assert said.err.count("\n") == 1
    machine = cli("memory", "get", NOBODY, "--json")
    assert (machine.code, machine.err) == (FAILED, "")
    assert machine.error["code"] == "MemoryNotFound"
    assert machine.error["message"] == said.err.removeprefix("glymph: ").strip()


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("add", " "), "InvalidInput", "text: is empty"),
        (
            ("add", "fine", "--salience", "2"),
            "InvalidInput",
            "salience: 2.0 does not fit. Pass at most 1",
        ),
        (("add", "fine", "--attributes", "{"), "InvalidInput", "attributes: not JSON"),
        (("add", "fine", "--attributes", "[" * 50_000), "InvalidInput", "attributes: not JSON"),
        (("add", "fine", "--attributes", "9" * 5_000), "InvalidInput", "attributes: not JSON"),
        (("add", "fine", "--attributes", "[1]"), "InvalidInput", "attributes: "),
        (("add", "fine", "--attributes", '{"a": NaN}'), "InvalidInput", "attributes: "),
        (("add", "fine", "--event-at", "yesterday"), "InvalidInput", "event_at: "),
        (("search", "x", "--limit", "0"), "InvalidInput", "limit: "),
        (("search", "x", "--states", "GONE"), "InvalidInput", "LIVE, ARCHIVED, TRASHED"),
        (("clusters", "burn"), "InvalidInput", "action: "),
        (("clusters", "create"), "InvalidInput", "needs a name"),
        (("delete", *"abcdef"), "InvalidInput", "at most 5"),
        (("report", NOBODY), "RecallNotFound", "Call `glymph memory recall` again"),
        (("undo", NOBODY), "OperationNotFound", NOBODY),
        (("undo",), "OperationNotFound", "Nothing to undo"),
        (("list", "--cursor", "?"), "InvalidInput", "cursor"),
        (("list", "--at", "yesterday"), "InvalidInput", "ISO 8601"),
        (("list", "--at", "2001-01-01T00:00:00Z"), "HistoryGone", "journal_days"),
        (("history", NOBODY), "MemoryNotFound", NOBODY),
        (("status", "--url", "mysql://localhost"), "UnknownScheme", "sqlite://"),
        (("status", "--space", "no spaces allowed"), "InvalidInput", "cannot name a space"),
        (("add", "fine", "--actor", ""), "InvalidInput", "actor"),
        (("import", "/nowhere/at/all"), "InvalidInput", "cannot read"),
        (("restore", "/nowhere/at/all", "/nowhere/else"), "InvalidInput", "no file"),
        (("space", "delete", "nobody"), "SpaceNotFound", "nobody"),
        (("space", "rename", "nobody", "somebody"), "SpaceNotFound", "nobody"),
        (("config", "set", "trash_dayz", "3"), "InvalidInput", "Did you mean 'trash_days'"),
        (
            ("config", "set", "trash_days", "soon"),
            "InvalidInput",
            "not a number. Write one such as 30.",
        ),
        (
            ("config", "set", "trash_days", "-1"),
            "InvalidInput",
            "'-1' is not a whole number of at least 1",
        ),
        (
            ("config", "set", "spend_daily_usd", "abc"),
            "InvalidInput",
            "'abc' is not a number. Write one such as 1.0.",
        ),
        (
            ("config", "set", "spend_daily_usd", "-1"),
            "InvalidInput",
            "'-1' is not a number of at least 0",
        ),
        (("config", "set", "model", "nosuch:x"), "InvalidInput", "none, anthropic:MODEL"),
        (("config", "set", "reader", "foo"), "InvalidInput", "Use one of: auto, none"),
        (("config", "set", "embedder", "foo"), "InvalidInput", "Use one of: auto, none"),
        (("config", "set", "retention", "build=abc"), "InvalidInput", "is not KIND=DAYS"),
        (("config", "set", "model", "openai:"), "InvalidInput", "none, anthropic:MODEL"),
        (("config", "set", "model", 'command:claude "oops'), "InvalidInput", "Close its quotes"),
        (("config", "set", "model", "gguf:/nowhere/at.gguf"), "InvalidInput", "cannot be read"),
        (("config", "set", "model_prices", "abc"), "InvalidInput", "such as 0.15/0.60"),
    ],
    ids=lambda value: " ".join(map(str, value))[:50] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_done_ends_with_one_and_a_typed_error(cli, args, code, words):
    cli("init")
    said = cli(*args, "--json")
    assert (said.code, said.err) == (FAILED, "")
    assert said.error["code"] == code
    assert words in said.error["message"]


def test_mcp_refuses_a_profile_that_does_not_exist(cli):
    said = cli("mcp", "--profile", "everything")
    assert (said.code, said.out) == (FAILED, "")
    assert "core, curator, full" in said.err


@pytest.mark.parametrize(
    "args", [("fly",), ("add",), ("add", "x", "--colour", "red"), ("list", "--limit", "x")]
)
def test_wrong_usage_ends_with_two_and_nothing_on_standard_output(cli, args):
    said = cli(*args)
    assert (said.code, said.out) == (USAGE, "")
    assert "Usage: glymph" in said.err


def test_ids_left_alone_end_with_three_and_are_named(cli, memory):
    partly = cli("delete", memory, NOBODY, "--apply")
    assert partly.code == LEFT_ALONE
    assert "delete: 1 done, 0 skipped, 1 failed" in partly.out
    assert f"failed: {NOBODY}: no such memory in this space" in partly.out
    again = cli("delete", memory, "--apply", "--json")
    assert again.code == LEFT_ALONE
    assert again.json["skipped"] == [{"id": memory, "reason": "it is TRASHED already"}]
    other = cli("add", "Something else.", "--json").json["id"]
    mixed = cli("delete", memory, other, "--apply", "--json")
    assert (mixed.code, mixed.json["succeeded"]) == (LEFT_ALONE, [other])


# Destructive verbs


def test_delete_only_says_what_it_would_do_until_it_is_told_to_apply(cli, memory, url):
    before = image(url)
    shown = cli("delete", memory)
    assert shown.code == DONE
    assert "Would delete 1 memory. Nothing was changed: add --apply to do it." in shown.out
    assert "The nightly import fails on Mondays." in shown.out
    machine = cli("delete", memory, "--action", "archive", "--json").json
    assert (machine["dry_run"], machine["would"]) == (True, "archive")
    assert [shown["id"] for shown in machine["memories"]] == [memory]
    assert image(url) == before
    done = cli("delete", memory, "--apply", "--json")
    assert (done.code, done.json["succeeded"]) == (DONE, [memory])
    assert state(cli, memory) == "TRASHED"


def test_a_dry_run_says_which_ids_it_would_leave_alone(cli, memory):
    cli("pin", memory)
    said = cli("delete", memory, NOBODY)
    assert said.code == LEFT_ALONE
    assert "Would delete 0 memories." in said.out
    assert f"skipped: {memory}: it is pinned; unpin it first" in said.out
    assert f"failed: {NOBODY}: no such memory in this space" in said.out


@pytest.mark.parametrize(
    "tool", [t for t in all_tools().values() if t.preview], ids=lambda t: t.command
)
def test_every_destructive_command_changes_nothing_without_apply(cli, memory, url, tool):
    before = image(url)
    required = ("--reason", "staleness") if tool.command == "execute-prune" else ()
    assert cli(tool.command, memory, *required, "--json").json["dry_run"] is True
    assert image(url) == before


def test_what_was_applied_is_taken_back_with_the_command_it_prints(cli, memory, url):
    before = image(url)
    said = cli("delete", memory, "--apply")
    hint = next(line for line in said.out.splitlines() if "take it back with: glymph " in line)
    assert cli(*hint.partition("glymph ")[2].split()).code == DONE
    assert image(url) == before


def test_a_space_is_removed_only_when_told_to(cli):
    for name in ("work", "home"):
        cli("space", "create", name)
        cli("add", "Tea is at four.", "--space", name)
    said = cli("space", "delete", "work")
    assert said.code == DONE
    assert " ".join(said.out.split()) == (
        "Would remove work for good: 1 memory, all history and conversations. There is no undo. "
        "Nothing was changed: add --apply to do it."
    )
    assert cli("space", "delete", "work", "--json").json["memories"] == 1
    assert cli("status", "--space", "work", "--json").json["live"] == 1
    assert cli("space", "delete", "work", "--apply", "--json").json["removed"] is True
    assert cli("status", "--space", "work", "--json").error["code"] == "SpaceNotFound"
    before = ("space", "delete", "home", "--confirm")  # how it was said before, for one release
    assert cli(*before, "hoem", "--json").error["code"] == "InvalidInput"
    assert cli(*before, "home", "--json").json["removed"] is True


def test_restore_checks_a_backup_and_copies_it_only_when_told_to(cli, memory, tmp_path):
    copy, target = tmp_path / "backup.db", tmp_path / "restored.db"
    cli("backup", copy)
    assert "Sound. Would restore 1 space (default)" in cli("restore", copy, target).out
    assert not target.exists()
    assert cli("restore", copy, target, "--apply", "--json").json["applied"] is True
    assert (
        state(cli, memory)
        == cli("get", memory, "--json", "--url", f"sqlite:///{target}").json["memory"]["state"]
    )
    assert "never overwrites" in cli("restore", copy, target, "--apply", "--json").error["message"]
    assert "never overwrites" in cli("backup", copy, "--json").error["message"]


def test_restore_refuses_a_file_that_is_no_store(cli, tmp_path):
    (tmp_path / "notes.txt").write_text("dear diary, " * 1000)
    said = cli("restore", tmp_path / "notes.txt", tmp_path / "new.db", "--apply", "--json")
    assert said.error["code"] == "NotAStore"
    assert not (tmp_path / "new.db").exists()


# Spaces and stores


def test_an_unknown_space_is_refused_with_the_next_step_and_default_is_made_on_the_fly(cli):
    cli("init", "--space", "other")
    refused = cli("add", "Tea is at four.", "--space", "work", "--json")
    assert refused.code == FAILED
    assert "glymph store space create work" in refused.error["message"]
    assert cli("space", "create", "work").code == DONE
    assert cli("add", "Tea is at four.", "--space", "work").code == DONE
    assert cli("add", "Tea is at five.").code == DONE
    assert [s["name"] for s in cli("space", "list", "--json").json["spaces"]] == [
        "default",
        "other",
        "work",
    ]


@pytest.mark.parametrize(
    "args",
    [
        ("space", "list"),
        ("doctor",),
        ("backup", "x.db"),
        ("add", "Tea is at four.", "--space", "work"),
    ],
)
def test_a_store_that_is_not_there_is_not_made_by_looking_for_something_in_it(cli, tmp_path, args):
    said = cli(*args, "--json")
    assert (said.code, said.error["code"]) == (FAILED, "StoreMissing")
    assert "glymph store init" in said.error["message"]
    assert list(tmp_path.iterdir()) == []


def test_an_import_may_be_the_first_thing_a_store_sees(cli, memory, tmp_path):
    cli("export", tmp_path / "all.jsonl")
    new = f"sqlite:///{tmp_path}/new.db"
    assert cli("import", tmp_path / "all.jsonl", "--url", new).code == DONE
    assert cli("get", memory, "--url", new).code == DONE
    assert "never overwrites" in cli("export", tmp_path / "all.jsonl", "--json").error["message"]


def test_a_backup_with_a_strange_name_restores(cli, memory, tmp_path):
    copy = tmp_path / "50% of #1?.db"
    cli("backup", copy)
    assert cli("restore", copy, tmp_path / "restored.db", "--apply").code == DONE
    assert cli("get", memory, "--url", f"sqlite:///{tmp_path}/restored.db").code == DONE


def test_init_makes_the_store_and_a_named_space(cli, url):
    said = cli("init", "--space", "work", "--json")
    assert (said.json["space"], said.json["store"]) == ("work", url)
    assert [space["name"] for space in cli("space", "list", "--json").json["spaces"]] == ["work"]


def test_looking_at_a_store_without_a_default_space_does_not_make_one(cli, url, tmp_path):
    cli("init", "--space", "work")
    assert cli("doctor").code == DONE
    assert cli("backup", tmp_path / "backup.db").code == DONE
    assert cli("space", "rename", "work", "play").code == DONE
    assert cli("space", "list", "--url", f"{url}?mode=ro").code == DONE
    assert [space["name"] for space in cli("space", "list", "--json").json["spaces"]] == ["play"]


def test_spaces_do_not_see_each_other(cli, memory):
    cli("space", "create", "work")
    assert cli("get", memory, "--space", "work", "--json").error["code"] == "MemoryNotFound"
    assert cli("search", "import", "--space", "work", "--json").json["hits"] == []


def test_the_environment_names_store_space_and_actor_and_options_win(cli, monkeypatch, tmp_path):
    elsewhere = f"sqlite:///{tmp_path}/elsewhere.db"
    cli("init", "--space", "work", "--url", elsewhere)
    monkeypatch.setenv("GLYMPH_URL", elsewhere)
    monkeypatch.setenv("GLYMPH_SPACE", "work")
    monkeypatch.setenv("GLYMPH_ACTOR", "robot")
    cli("add", "Tea is at four.")
    told = cli("status", "--json").json
    assert (told["store"], told["space"], told["live"]) == (elsewhere, "work", 1)
    assert cli("operations", "--verb", "add", "--json").json["operations"][0]["actor"] == "robot"
    cli("init", "--space", "default")
    assert cli("status", "--space", "default", "--json").json["live"] == 0


def test_without_a_url_the_store_is_in_the_home_folder(cli, monkeypatch):
    monkeypatch.delenv("GLYMPH_URL")
    cli("add", "Tea is at four.")
    assert (Path(os.environ["HOME"]) / ".glymph" / "memory.db").exists()


# Settings


def test_settings_come_from_the_environment_before_the_file_before_the_defaults(cli, monkeypatch):
    for name in ("GLYMPH_EMBEDDER", "GLYMPH_READER"):
        monkeypatch.delenv(name)
    assert cli("config", "show", "--json").json == {}
    assert cli("config", "show", "--effective", "--json").json["trash_days"] == {
        "value": 30,
        "from": "default",
    }
    cli("config", "set", "trash_days", "9")
    cli("config", "set", "durability", "normal")
    assert cli("config", "show", "--json").json == {
        "trash_days": {"value": 9, "from": "file"},
        "durability": {"value": "normal", "from": "file"},
    }
    monkeypatch.setenv("GLYMPH_TRASH_DAYS", "3")
    assert cli("config", "show", "--json").json["trash_days"] == {"value": 3, "from": "environment"}


def test_a_key_is_never_shown_and_better_kept_in_the_environment(cli, monkeypatch):
    said = [cli("config", "set", "embedder_key", "sk-secret", *json) for json in ((), ("--json",))]
    said += [
        cli("config", "show", *options) for options in ((), ("--json",), ("--effective", "--json"))
    ]
    monkeypatch.setenv("GLYMPH_EMBEDDER_KEY", "sk-secret")
    said += [cli("config", "show"), cli("config", "show", "--json")]
    assert not [one for one in said if "sk-secret" in one.out + one.err]
    assert "GLYMPH_EMBEDDER_KEY" in said[0].out
    assert "GLYMPH_EMBEDDER_KEY" in said[1].json["warning"]
    assert said[3].json["embedder_key"] == {"value": "(set, not shown)", "from": "file"}
    assert "warning" not in cli("config", "set", "embedder_key", "", "--json").json


def test_a_setting_is_in_force_for_the_next_command(cli, memory):
    cli("config", "set", "max_text_chars", "20")
    said = cli("add", "This is longer than twenty characters.", "--json")
    assert "at most 20" in said.error["message"]


@pytest.mark.parametrize(
    "content",
    [
        b"trash_days = [",
        b"\xff\xfe\x00",
        b"trash_dayz = 3",
        b"trash_days = true",
        b"[trash]\ndays = 3",
    ],
    ids=["broken", "binary", "unknown", "wrong type", "table"],
)
def test_a_bad_settings_file_gives_a_readable_error_and_is_not_touched(
    cli, monkeypatch, tmp_path, content
):
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    monkeypatch.setenv("GLYMPH_CONFIG", str(path))
    for args in (
        ("add", "Tea is at four."),
        ("config", "show"),
        ("config", "set", "max_page", "9"),
    ):
        said = cli(*args, "--json")
        assert said.code == FAILED
        assert said.error["code"] == "InvalidInput"
        assert any(word in said.error["message"] for word in ("config.toml", "settings."))
    assert path.read_bytes() == content


def test_config_set_mends_the_one_setting_that_was_wrong(cli, monkeypatch, tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('trash_days = "soon"\nmax_page = 50\n')
    monkeypatch.setenv("GLYMPH_CONFIG", str(path))
    assert cli("config", "set", "trash_days", "5").code == DONE
    assert path.read_text() == "max_page = 50\ntrash_days = 5\n"


def test_a_wrong_model_in_the_file_stops_nothing_else_and_can_be_mended(cli, memory):
    path = environment.config_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('model = "nosuch:x"\nmodel_url = "nowhere"\nmodel_prices = "abc"\n')
    for args in (
        ("search", "nightly"),
        ("add", "Tea is at four."),
        ("status",),
        ("doctor",),
        ("config", "show"),
    ):
        assert cli(*args, "--json").code == DONE
    assert cli("config", "set", "trash_days", "5").code == DONE
    assert cli("config", "set", "model", "none").code == DONE
    said = cli("config", "set", "model", "openai:gpt-4o-mini", "--json")
    assert said.error["message"].startswith("model_prices: 'abc' is not two prices")
    assert cli("config", "set", "model_prices", "").code == DONE
    said = cli("config", "set", "model", "openai:gpt-4o-mini", "--json")
    assert said.error["message"].startswith("model_url: is not an address")
    assert cli("config", "set", "model_url", "https://models.example/v1").code == DONE
    assert cli("config", "set", "model", "openai:gpt-4o-mini").code == DONE
    assert cli("config", "set", "model_url", "models.example", "--json").code == FAILED


def _mode(path):
    return path.stat().st_mode & 0o777


def test_a_settings_file_is_for_its_owner_alone_where_it_holds_a_key(cli):
    path = environment.config_path()
    cli("config", "set", "trash_days", "5")
    assert (_mode(path), _mode(path.parent)) == (0o600, 0o700)
    path.chmod(0o644)
    cli("config", "set", "trash_days", "6")
    assert _mode(path) == 0o644  # as its owner wants it
    cli("config", "set", "model_key", "sk-secret")
    assert _mode(path) == 0o600
    path.chmod(0o400)
    cli("config", "set", "trash_days", "7")
    assert _mode(path) == 0o400
    assert [one.name for one in path.parent.iterdir() if one.suffix != ".db"] == ["config.toml"]


def test_the_usual_folder_is_closed_to_others(cli, monkeypatch):
    monkeypatch.delenv("GLYMPH_URL")
    folder = Path(os.environ["HOME"]) / ".glymph"
    folder.mkdir(mode=0o755)
    cli("add", "Tea is at four.")
    assert _mode(folder) == 0o700


def test_a_folder_that_was_named_stays_as_it_is(cli, monkeypatch, tmp_path):
    (tmp_path / "named").mkdir(mode=0o755)
    (tmp_path / "named" / "spool").mkdir(mode=0o755)
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "named"))
    cli("config", "set", "trash_days", "5")
    assert (_mode(tmp_path / "named"), _mode(tmp_path / "named" / "spool")) == (0o755, 0o700)


def test_a_settings_file_that_cannot_be_written_is_said_so(cli, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GLYMPH_CONFIG", str(tmp_path / "file" / "config.toml"))
    said = cli("config", "set", "trash_days", "5", "--json")
    assert "cannot" in said.error["message"]
    assert "config.toml" in said.error["message"]


# Round trips


def test_an_export_comes_back_whole_under_another_name(cli, memory, url, tmp_path):
    cli("update", memory, "--title", "Mondays")
    cli("delete", memory, "--apply")
    written = cli("export", tmp_path / "all.jsonl", "--json").json
    loaded = cli("import", tmp_path / "all.jsonl", "--into", "copy", "--json").json
    assert written["rows"] == loaded["rows"] > 4
    assert len(image(url, "copy")) == len(image(url))
    assert (
        cli("history", memory, "--space", "copy", "--json").json
        == cli("history", memory, "--json").json
    )
    assert cli("undo", "--space", "copy").code == DONE
    assert cli("doctor").code == DONE
    refused = cli("import", tmp_path / "all.jsonl", "--into", "copy", "--json")
    assert refused.code == FAILED


def test_an_import_that_was_cut_short_changes_nothing(cli, memory, url, tmp_path):
    cli("export", tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    (tmp_path / "half.jsonl").write_text("\n".join(lines[:-2]))
    said = cli("import", tmp_path / "half.jsonl", "--into", "copy", "--json")
    assert "cut short" in said.error["message"]
    assert [space["name"] for space in cli("space", "list", "--json").json["spaces"]] == ["default"]


def test_list_goes_page_by_page_and_filters(cli):
    ids = [cli("add", f"Note number {n}.", "--kind", kind, "--json").json["id"] for n, kind in enumerate(
        ["note", "fact", "note"]
    )]  # fmt: skip
    first = cli("list", "--limit", "2", "--json").json
    rest = cli("list", "--limit", "2", "--cursor", first["cursor"], "--json").json
    assert [memory["id"] for memory in first["memories"] + rest["memories"]] == ids[::-1]
    assert rest["cursor"] is None
    assert f"--cursor {first['cursor']}" in cli("list", "--limit", "2").out
    assert [m["id"] for m in cli("list", "--kinds", "fact", "--json").json["memories"]] == [ids[1]]
    cli("delete", ids[0], "--apply")
    assert [m["id"] for m in cli("list", "--states", "TRASHED", "--json").json["memories"]] == [
        ids[0]
    ]


def test_history_shows_what_each_change_replaced(cli, memory):
    cli("update", memory, "--text", "The import fails on Tuesdays.", "--reason", "corrected")
    added, updated = cli("history", memory, "--json").json["history"]
    assert (added["verb"], updated["verb"], updated["reason"]) == ("add", "update", "corrected")
    assert updated["before"]["text"] == "The nightly import fails on Mondays."
    shown = " ".join(cli("history", memory).out.split())
    assert "text: The nightly import fails on Mondays." in shown
    assert "content_hash" not in shown


def test_doctor_says_who_judges_texts_and_why_nobody_does(cli, memory, monkeypatch):
    monkeypatch.setenv("GLYMPH_READER", "none")
    assert "reader   none: texts are judged by hard rules only.\n" in cli("doctor").out
    lacking = "No local reader: onnxruntime not installed."
    monkeypatch.setattr("glymph.cli.doctor.explain_absence", lambda: lacking)
    monkeypatch.setenv("GLYMPH_READER", "auto")
    said = cli("doctor", "--json")
    assert (said.code, said.json["reader"]) == (DONE, {"name": "none", "problem": lacking})


def test_doctor_finds_a_sound_store_sound_and_a_tampered_one_not(cli, memory, url, tmp_path):
    assert cli("doctor", "--json").json["ok"] is True
    assert cli("doctor").out.rstrip().endswith(": sound")
    _tamper(tmp_path / "memory.db", memory)
    broken = cli("doctor", "--json")
    assert (broken.code, broken.json["ok"]) == (FAILED, False)
    assert any(memory in problem["detail"] for problem in broken.json["problems"])
    assert "WRONG" in cli("doctor").out


def _tamper(path, memory_id):
    """Changes a text behind the store's back, its guards switched off."""
    connection = open_file(path)
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE memories SET text = 'something else' WHERE id = ?", (memory_id,))
    connection.close()


def test_status_counts_what_the_space_holds(cli, memory):
    told = cli("status", "--json").json
    assert (told["spaces"], told["live"], told["by_kind"]) == (["default"], 1, {"lesson": 1})


# What a person sees


def shown_lines(said):
    assert said.code == DONE
    return said.out.splitlines()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_table_is_wider_than_the_terminal_and_no_column_vanishes(cli, monkeypatch, columns):
    title = "The staging database is restarted every Sunday night, so Monday's import fails."
    long = cli("add", title, "--kind", "missed_opportunity", "--json").json["id"]
    cli("update", long, "--tags", "ops", "--reason", "tagged for the weekly review of failures")
    monkeypatch.setenv("COLUMNS", str(columns))
    listed, searched, told = cli("list"), cli("search", "staging database"), cli("operations")
    for said in (listed, searched):
        assert "".join(title.split()) in "".join(said.out.split()).replace(long, "")
        for words in (long, "missed_opportunity", "ACTIVE"):
            assert words in said.out
    assert "user: tagged for the weekly" in told.out
    if columns >= 80:
        for said in (
            listed,
            searched,
            told,
            cli("history", long),
            cli("get", long),
            cli("config", "show"),
        ):
            assert max(map(len, said.out.splitlines())) <= columns


def test_a_narrow_terminal_puts_the_title_under_its_row(cli, monkeypatch, memory):
    monkeypatch.setenv("COLUMNS", "70")
    head, row, title = shown_lines(cli("list"))
    assert head.split() == ["id", "kind", "presence", "R"]
    assert row.split() == [memory, "lesson", "ACTIVE", "1.00"]
    assert title == "    The nightly import fails on Mondays."


def test_a_pipe_gets_one_line_for_each_row(memory, url):
    title = "A rather long title, " * 12
    text = "First line.\nSecond line."
    with Glymph.open(url) as glymph:
        glymph.add(text, title=title.strip())
    said = subprocess.run(
        [GLYMPH, "list", "--url", url], capture_output=True, text=True, check=True, env=bare()
    )
    lines = said.stdout.splitlines()
    assert [line.split()[0] for line in lines][-1] == memory
    assert len(lines) == 3
    assert lines[1].endswith(title.strip())


def test_control_characters_in_a_memory_do_not_reach_the_terminal(cli):
    memory_id = cli("add", "red \x1b[31malert\x1b[0m and bell \a", "--json").json["id"]
    for said in (
        cli("list"),
        cli("search", "alert"),
        cli("get", memory_id),
        cli("history", memory_id),
    ):
        assert "\x1b" not in said.out
        assert "\a" not in said.out
    assert (
        cli("get", memory_id, "--json").json["memory"]["text"]
        == "red \x1b[31malert\x1b[0m and bell \a"
    )


def test_get_shows_links_by_direction_and_times_to_the_second(cli, memory):
    other = cli("add", "Anna prefers short answers.", "--tags", "people", "--json").json["id"]
    cli("link", memory, other, "--type", "related_to")
    assert f"→ related_to 0.50  {other}" in shown_lines(cli("get", memory))
    back = shown_lines(cli("get", other))
    assert f"← related_to 0.50  {memory}" in back
    assert "tags: people" in back
    assert any(
        line.startswith("created at ") and line.endswith(" UTC") and "T" not in line[:-4]
        for line in back
    )


def test_looking_at_a_store_that_is_not_there_makes_none(cli, tmp_path):
    missing = f"sqlite:///{tmp_path}/missing.db"
    for command in (
        ("list",),
        ("status",),
        ("search", "x"),
        ("health",),
        ("operations",),
        ("history", "x"),
    ):
        said = cli(*command, "--url", missing)
        assert (said.code, "glymph store init" in said.err) == (1, True)
    assert not (tmp_path / "missing.db").exists()


def test_empty_answers_say_what_to_do_next(cli, monkeypatch):
    for name in ("GLYMPH_EMBEDDER", "GLYMPH_READER"):
        monkeypatch.delenv(name)
    cli("init")
    assert "`glymph add TEXT`" in cli("list").out
    assert "Nothing found" in cli("search", "anything").out
    assert "glymph memory clusters create" in cli("clusters").out
    assert "Nothing differs from the defaults" in cli("config", "show").out


@pytest.mark.parametrize("columns", [80, 120])
def test_a_hit_shows_its_score_and_why_it_was_found_without_figures(
    cli, memory, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = shown_lines(cli("search", "Monday imports"))
    assert max(map(len, lines)) <= columns
    told = " ".join(" ".join(lines).split())
    assert memory in told
    assert "its text matches the words of the query" in told
    assert "keyword 1.00" not in told
    assert cli("search", "Monday imports", "--json").json["hits"][0]["parts"]["keyword"] == 1


def test_a_search_can_go_back_in_time_and_stay_in_a_session(cli, memory):
    at = cli("get", memory, "--json").json["memory"]["created_at"]
    cli("update", memory, "--text", "The nightly import fails on Tuesdays.")
    cli("add", "The import was tried again.", "--session", "monday")
    assert cli("search", "Mondays", "--json").json["hits"] == []
    for command in ("search", "recall"):
        (then,) = cli(command, "Mondays", "--at", at, "--json").json["hits"]
        assert (then["id"], then["text"]) == (memory, "The nightly import fails on Mondays.")
        (said,) = cli(command, "import", "--session", "monday", "--json").json["hits"]
        assert said["text"] == "The import was tried again."
    assert cli("search", "Mondays", "--at", "last week").code == FAILED


def test_a_recall_prints_the_command_that_reports_on_it(cli, memory):
    line = next(
        line
        for line in shown_lines(cli("recall", "import"))
        if line.startswith("Say what helped: glymph ")
    )
    command = line.partition("glymph ")[2].replace("ID", memory).split()
    assert cli(*command).code == DONE
    assert cli("get", memory, "--json").json["memory"]["access_count"] == 1


def test_clusters_show_their_rule_in_words(cli, memory):
    cli("clusters", "create", "--name", "ops", "--tag", "ops")
    cli("clusters", "create", "--name", "mine")
    cli("clusters", "add", "--name", "mine", "--ids", memory)
    head, mine, ops = shown_lines(cli("clusters"))
    assert head.split() == ["cluster", "members", "active", "weak", "dormant", "filled", "by"]
    assert mine.split() == ["mine", "1", "1", "0", "0", "by", "hand"]
    assert ops.split() == ["ops", "1", "1", "0", "0", "tag", "ops"]


# The real program


def bare(**more):
    """An environment with nothing of ours in it but what is given."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONUTF8": "1", **more}


def test_help_imports_neither_numbers_nor_models_nor_tables():
    program = (
        "import sys\n"
        "from glymph.cli.main import main\n"
        "sys.argv = ['glymph', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write('\\n'.join(sys.modules))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=bare()
    )
    loaded = {name.partition(".")[0] for name in said.stderr.split()}
    assert "Usage: glymph" in said.stdout
    assert "typer" in loaded
    assert not loaded & {"numpy", "scipy", "pydantic", "rich", "apsw", "mcp", "anyio", "asyncio"}


def test_the_installed_program_keeps_data_and_complaints_apart(tmp_path):
    env = bare(GLYMPH_URL=f"sqlite:///{tmp_path}/memory.db")

    def run(*args):
        return subprocess.run([GLYMPH, *args], capture_output=True, text=True, env=env)

    added = run("add", "Grüße → 你好", "--json")
    assert (added.returncode, added.stderr) == (DONE, "")
    missing = run("memory", "get", NOBODY)
    assert (missing.returncode, missing.stdout) == (FAILED, "")
    assert missing.stderr.startswith("glymph: No memory ")
    assert run("delete", NOBODY, "--apply").returncode == LEFT_ALONE


def test_a_terminal_without_our_characters_gets_valid_json_and_readable_text(url):
    env = bare(PYTHONUTF8="0", PYTHONIOENCODING="ascii", GLYMPH_URL=url)
    with Glymph.open(url) as glymph:
        glymph.add("Grüße → 你好")
    machine = subprocess.run([GLYMPH, "list", "--json"], capture_output=True, check=True, env=env)
    assert json.loads(machine.stdout.decode("ascii"))["memories"][0]["text"] == "Grüße → 你好"
    person = subprocess.run([GLYMPH, "list"], capture_output=True, check=True, env=env)
    assert b"Gr??e ? ??" in person.stdout


def test_a_reader_that_leaves_early_causes_no_complaint(url):
    with Glymph.open(url) as glymph:
        glymph.add_many([f"Note number {n}. " + "word " * 200 for n in range(300)])
    with subprocess.Popen(
        [GLYMPH, "list", "--limit", "1000", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=bare(GLYMPH_URL=url),
    ) as running:  # fmt: skip
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == FAILED
