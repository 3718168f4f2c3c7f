"""What importers read from stores that the real programs wrote, without leaving a trace."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from glymph.errors import InvalidInput, SourceDamaged
from glymph.importers import sources
from glymph.reader.no_reader import NoReader
from tests.importers import peers

KINDS = {
    "chatgpt", "chroma", "claude_export", "claude_memory", "csv", "jsonl", "langgraph", "markdown",
    "mcp_memory_service", "mem0", "server_memory",
}  # fmt: skip


def read(path, kind=None):
    """The items of a source, which must be the same afterwards, to the last byte and date."""
    before = peers.picture(path)
    chosen = sources.choose_kind(path, kind)
    items = list(sources.read_source(path, chosen, NoReader()))
    assert peers.picture(path) == before
    assert all(str(path.parent) not in item.place for item in items)
    return chosen, items


def texts(items):
    return [item.text for item in items]


def test_every_kind_is_a_file():
    assert set(sources.IMPORTERS.built_in_names) == KINDS


def test_mem0_with_its_local_vector_store(mem0):
    kind, items = read(mem0)
    assert kind == "mem0"
    by_text = {item.text: item for item in items}
    assert set(by_text) == {"Anna is allergic to peanuts", "Anna lives in Lisbon"}
    nuts, lisbon = by_text["Anna is allergic to peanuts"], by_text["Anna lives in Lisbon"]
    assert lisbon.session == "trip"
    assert lisbon.about["topic"] == "home"
    assert lisbon.about["user_id"] == "anna"
    assert nuts.updated_at > nuts.created_at
    assert nuts.place == "mem0"


def test_mem0_by_its_history_alone(mem0, tmp_path):
    alone = tmp_path / "history.db"
    shutil.copy(mem0 / "history.db", alone)
    kind, items = read(alone)
    assert (kind, set(texts(items))) == (
        "mem0", {"Anna is allergic to peanuts", "Anna lives in Lisbon"},
    )  # fmt: skip
    vectors = {item.text: item.id for item in read(mem0)[1]}
    assert {item.text: item.id for item in items} == vectors


@pytest.mark.nightly
def test_mem0_over_chroma(tmp_path):
    kind, items = read(peers.write_mem0(tmp_path / "mem0", "chroma"))
    assert kind == "mem0"
    assert set(texts(items)) == {"Anna is allergic to peanuts", "Anna lives in Lisbon"}


def test_a_pickle_that_would_run_something_is_damaged_and_runs_nothing(mem0, tmp_path):
    bad = tmp_path / "bad"
    shutil.copytree(mem0, bad)
    (file,) = bad.glob("qdrant/collection/*/storage.sqlite")
    mark = tmp_path / "ran"
    bomb = f"cpathlib\nPath\n(V{mark}\ntR.".encode()
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO points VALUES ('x', ?)", (bomb,))
    database.close()
    with pytest.raises(SourceDamaged, match=r"pathlib\.Path, which no point has"):
        read(bad)
    assert not mark.exists()


def test_a_chroma_folder(tmp_path):
    kind, items = read(peers.write_chroma(tmp_path / "chroma"))
    assert (kind, texts(items)) == ("chroma", ["Anna likes tea", "Bob lives in Milan"])
    tea, bob = items
    assert tea.created_at == datetime(2024, 3, 1, 10, tzinfo=UTC)
    assert tea.tags == ("drink", "home")
    assert (tea.id, tea.about["collection"], bob.about["sure"]) == ("notes/a", "notes", True)
    assert bob.created_at is not None


def test_a_file_of_langgraph(tmp_path):
    kind, items = read(peers.write_langgraph(tmp_path / "store.db"))
    assert kind == "langgraph"
    assert sorted(texts(items)) == ["Anna likes tea", "Anna sails", '{"score": 3}']
    tea = next(item for item in items if item.text == "Anna likes tea")
    assert (tea.id, tea.about) == (
        "memories.anna/k1", {"namespace": "memories.anna", "kind": "preference"},
    )  # fmt: skip
    assert tea.created_at is not None


def test_the_graph_of_server_memory(tmp_path):
    kind, items = read(peers.write_server_memory(tmp_path / "memory.jsonl"))
    assert kind == "server_memory"
    assert texts(items) == [
        "Anna Weber: Speaks Portuguese", "Anna Weber: Is allergic to nuts",
        "Anna Weber: Prefers tea", "Lindenhof: Makes garden furniture",
        "Anna Weber works at Lindenhof",
    ]  # fmt: skip
    assert items[-1].entities == ("Anna Weber", "Lindenhof")


def test_what_mcp_memory_service_wrote(tmp_path):
    kind, (port, wiki) = read(peers.write_mcp_memory_service(tmp_path / "service"))
    assert kind == "mcp_memory_service"
    assert (port.text, port.tags) == ("The API runs on port 8080", ("api", "ops"))
    assert (wiki.text, wiki.tags) == ("The wiki moved to another host", ())
    assert port.about["project"] == wiki.about["project"] == "shop"
    assert (port.access_count, wiki.access_count) == (1, 0)
    assert port.last_used_at >= port.created_at
    assert abs(datetime.now(UTC) - port.created_at) < timedelta(minutes=5)


def test_mcp_memory_service_with_its_use(tmp_path):
    kind, (item,) = read(peers.imitate_mcp_memory_service(tmp_path / "sqlite_vec.db"))
    assert (kind, item.text, item.tags) == (
        "mcp_memory_service", "The API runs on port 8080", ("api", "ops"),
    )  # fmt: skip
    assert (item.access_count, item.last_used_at.year, item.created_at.year) == (4, 2024, 2024)


def test_what_a_program_has_not_yet_moved_out_of_its_log_is_read_and_left_there(tmp_path):
    file = peers.imitate_mcp_memory_service(tmp_path / "sqlite_vec.db")
    writer = sqlite3.connect(file)
    writer.execute("INSERT INTO memories (content_hash, content) VALUES ('h9', 'Just said')")
    writer.commit()
    assert (tmp_path / "sqlite_vec.db-wal").stat().st_size > 0
    _, items = read(file)
    assert "Just said" in texts(items)
    writer.close()


def test_exports_of_chatgpt_and_claude(tmp_path):
    kind, items = read(peers.write_chatgpt(tmp_path / "conversations.json"))
    assert (kind, texts(items)) == (
        "chatgpt", ["Our office is in Rostock.", "I am allergic to peanuts."],
    )  # fmt: skip
    assert items[0].session == "c-1"
    assert items[0].created_at == datetime.fromtimestamp(1.72e9, UTC)
    kind, items = read(peers.write_claude_export(tmp_path / "claude"))
    assert kind == "claude_export"
    assert "Anna leads the search team." in texts(items)
    assert "We deploy on Tuesdays." in texts(items)


def test_an_export_in_its_archive(tmp_path):
    peers.write_chatgpt(tmp_path / "conversations.json")
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(tmp_path / "conversations.json", "export/conversations.json")
    kind, items = read(packed)
    assert (kind, len(items)) == ("chatgpt", 2)


def test_what_claude_remembers_on_a_machine(tmp_path):
    kind, items = read(peers.write_claude_memory(tmp_path / "project"))
    assert kind == "claude_memory"
    assert texts(items) == [
        "Run `make test` before each commit", "Never push to main", "The API is in `src/api`.",
        "Anna sails on Sundays", "Anna drinks green tea.",
    ]  # fmt: skip
    first = items[0]
    assert first.tags == ("Project", "Testing")
    assert first.place == "CLAUDE.md"
    tea = next(item for item in items if item.text == "Anna drinks green tea.")
    assert (tea.title, tea.tags) == ("What Anna drinks", ("user",))


def test_plain_files(tmp_path):
    folder = peers.write_plain(tmp_path / "plain")
    assert texts(read(folder / "notes.md")[1]) == [
        "Anna likes tea", "Bob lives\nin Rome", "The key is under the mat.",
    ]  # fmt: skip
    _, (tea, bob) = read(folder / "notes.jsonl")
    assert (tea.id, tea.created_at.date().isoformat()) == ("7", "2024-01-02")
    assert bob.text == "Bob lives in Rome"
    assert texts(read(folder / "notes.json")[1]) == ["Anna likes tea"]
    kind, (tea, _) = read(folder / "notes.csv")
    assert (kind, tea.tags, tea.created_at.year) == ("csv", ("drink", "home"), 2024)


def test_a_named_kind_wins_over_what_looking_tells(tmp_path):
    file = tmp_path / "memory.jsonl"
    file.write_text(
        '{"type": "entity", "name": "Anna", "entityType": "person", "observations": []}'
    )
    assert sources.choose_kind(file) == "server_memory"
    assert sources.choose_kind(file, "jsonl") == "jsonl"
    assert sources.choose_kind(file, "server-memory") == "server_memory"
    with pytest.raises(InvalidInput, match=r"Use one of: .*mem0"):
        sources.choose_kind(file, "nothing")


def test_what_nothing_knows_is_named(tmp_path):
    (tmp_path / "photo.bin").write_bytes(b"\x89PNG")
    with pytest.raises(InvalidInput, match="--from KIND"):
        sources.choose_kind(tmp_path / "photo.bin")
    with pytest.raises(InvalidInput, match="there is no"):
        sources.find_source(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("notes.jsonl", b'{"text": "a b c"}\n{"text": "cut', "line 2 is not JSON"),
        ("notes.jsonl", b'{"number": 3}\n', "record 1 has no text"),
        ("notes.json", b"[{", "it is not JSON"),
        ("notes.csv", b"a,b\n1,2\n", "no column holds a text"),
        ("notes.md", b"\xff\xfe\x00", "it is not UTF-8"),
        ("conversations.json", b'[{"mapping": 3}]', "has no messages"),
    ],
)
def test_a_damaged_file_says_what_is_wrong_and_what_to_do(tmp_path, name, content, says):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(SourceDamaged, match=says) as raised:
        read(file)
    assert str(raised.value).startswith(f"{name} cannot be read: ")
    assert raised.value.code == "SourceDamaged"
    assert file.read_bytes() == content


def test_a_damaged_database_says_so(tmp_path):
    file = peers.imitate_mcp_memory_service(tmp_path / "sqlite_vec.db")
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\x00" * (len(whole) - 4096))
    before = file.read_bytes()
    with pytest.raises(SourceDamaged, match="Close the program"):
        list(sources.read_source(file, "mcp_memory_service", NoReader()))
    assert file.read_bytes() == before


def test_an_empty_list_has_no_memories(tmp_path):
    (tmp_path / "notes.json").write_text(json.dumps([]))
    assert read(tmp_path / "notes.json")[1] == []


def test_a_project_folder_gives_its_rules_and_memories_not_its_documents(tmp_path):
    folder = peers.write_claude_memory(tmp_path / "project")
    (folder / "README.md").write_text("# Readme\n\nThis describes the project for visitors.\n")
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text("A guide for visitors.\n")
    _, items = read(folder)
    assert {item.place for item in items} == {"CLAUDE.md", "memory/MEMORY.md", "memory/tea.md"}


def test_a_database_whose_text_is_none_is_damaged(tmp_path):
    file = peers.imitate_mcp_memory_service(tmp_path / "sqlite_vec.db")
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO memories (content_hash, content) VALUES ('h7', x'00ff')")
    database.close()
    with pytest.raises(SourceDamaged, match="h7 is no text"):
        read(file)


def test_a_source_that_may_not_be_read_says_so(tmp_path, monkeypatch):
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "Anna likes tea"}')

    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(SourceDamaged, match="Permission denied"):
        sources.choose_kind(file)
    with pytest.raises(SourceDamaged, match="Permission denied"):
        list(sources.read_source(file, "jsonl", NoReader()))


def test_a_database_with_a_log_is_copied_once_to_be_recognised(tmp_path, monkeypatch):
    from glymph.importers import sqlite_file

    file = peers.imitate_mcp_memory_service(tmp_path / "sqlite_vec.db")
    writer = sqlite3.connect(file)
    writer.execute("INSERT INTO memories (content_hash, content) VALUES ('h9', 'Just said')")
    writer.commit()
    copied = []
    whole = sqlite_file.copy_whole
    monkeypatch.setattr(sqlite_file, "copy_whole", lambda path: copied.append(path) or whole(path))
    assert sources.choose_kind(file) == "mcp_memory_service"
    assert len(copied) == 1
    writer.close()
