"""`glymph store import` of what other programs keep: shown first, kept with --apply."""

from __future__ import annotations

import json

from tests.cli import test_cli
from tests.cli.test_cli import DONE, FAILED

cli = test_cli.cli


def write_notes(folder):
    file = folder / "notes.jsonl"
    records = [
        {"id": "n1", "text": "Anna drinks green tea", "created_at": "2024-01-02"},
        {"id": "n2", "text": "The deploy key is AKIA" + "Q3EXT7WMNB2LZK5H, kept by Bob"},
        {"id": "n3", "text": "ok"},
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    return file


def test_it_shows_first_and_keeps_with_apply(cli, tmp_path):
    file = write_notes(tmp_path)
    shown = cli("import", file)
    assert shown.code == DONE
    assert "notes.jsonl (jsonl): 3 memories read." in shown.out
    assert "2 new. 1 left out. 1 secret will be masked." in shown.out
    assert "--apply" in shown.out
    assert "AKIA" not in shown.out
    assert cli("list", "--json").json["memories"] == []
    done = cli("import", file, "--apply")
    assert "2 imported." in done.out
    assert "take it back with: glymph undo " in done.out
    assert max(map(len, shown.out.splitlines())) <= 80
    again = cli("import", file, "--apply", "--json").json
    assert (again["new"], again["known"], again["operation_id"]) == (0, 2, None)


def test_a_damaged_source_is_a_typed_error(cli, tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "cut')
    said = cli("import", file, "--json")
    assert (said.code, said.error["code"]) == (FAILED, "SourceDamaged")
    assert "line 1 is not JSON" in said.error["message"]


def test_options_of_an_own_export_are_refused_for_others(cli, tmp_path):
    said = cli("import", write_notes(tmp_path), "--into", "copy", "--json")
    assert said.error["code"] == "InvalidInput"
    assert "--space" in said.error["message"]


def test_the_kind_can_be_named(cli, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text('{"text": "Anna drinks green tea"}')
    assert cli("import", file, "--json").error["code"] == "InvalidInput"
    assert cli("import", file, "--from", "jsonl", "--json").json["new"] == 1
