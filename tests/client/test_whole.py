"""A space as a whole: graph, health, clusters, page, export and import, backup, verify."""

from __future__ import annotations

import json

import pytest

from glymph import Glymph, errors
from glymph.store.reader import Reader
from glymph.testing import logical_image
from glymph.testing.files import open_file
from glymph.write import tombstones


def test_the_graph_is_plain_data_with_every_field_promised(glymph):
    a = glymph.add("first", kind="lesson")
    b = glymph.add("second", links=[(a.id, "generalizes")])
    hidden = glymph.add("hidden", links=[a.id])
    glymph.archive(hidden.id)
    glymph.clusters.create("lessons", rule={"kind": "lesson"})
    graph = glymph.graph()
    assert set(graph.nodes[0]) == {
        "id", "kind", "section", "title", "summary", "retrievability", "lifecycle", "state",
        "access_count", "created_at", "last_used_at",
    }  # fmt: skip
    assert [n["id"] for n in graph.nodes] == [b.id, a.id]
    (edge,) = graph.edges
    assert edge == {
        "id": f"{b.id}:generalizes:{a.id}",
        "source": b.id,
        "target": a.id,
        "type": "generalizes",
        "weight": 0.7,
    }
    assert graph.counts == {"nodes": 2, "edges": 1, "clusters": 1, "memberships": 1}
    json.dumps([graph.nodes, graph.edges, graph.clusters, graph.memberships])


def test_the_graph_holds_only_links_and_memberships_of_its_nodes(glymph):
    (me,) = glymph.list(kinds=["self"])
    a = glymph.add("mine", links=[me.id])
    glymph.clusters.create("both")
    glymph.clusters.add("both", [a.id, me.id])
    graph = glymph.graph()
    assert [n["id"] for n in graph.nodes] == [a.id]
    assert graph.edges == ()
    assert [m["memory"] for m in graph.memberships] == [a.id]
    assert graph.clusters[0]["size"] == 1
    assert graph.counts == {"nodes": 1, "edges": 0, "clusters": 1, "memberships": 1}


def test_the_graph_is_of_one_moment(glymph, url, monkeypatch):
    """A memory added while the graph is being read is in none of its parts."""
    a = glymph.add("first")
    glymph.clusters.create("notes", rule={"kind": "note"})
    edges = Reader.edges

    def meanwhile(self, **options):
        with Glymph.open(url) as other:
            other.add("second", links=[a.id])
        return edges(self, **options)

    monkeypatch.setattr(Reader, "edges", meanwhile)
    assert glymph.graph().counts == {"nodes": 1, "edges": 0, "clusters": 1, "memberships": 1}
    assert glymph.graph().counts == {"nodes": 2, "edges": 1, "clusters": 1, "memberships": 2}


def test_health_counts_by_lifecycle_and_keeps_the_rest_apart(glymph, clock):
    ids = [glymph.add(f"signal {n}", kind="signal").id for n in range(3)]
    glymph.add("a lesson", kind="lesson", pinned=True)
    glymph.archive(ids[0])
    glymph.delete(ids[1])
    clock.advance(days=30)
    health = glymph.health()
    assert (health.live, health.active, health.weak, health.dormant) == (1, 1, 0, 1)
    assert (health.archived, health.trashed, health.pinned) == (1, 1, 1)
    assert health.by_kind == {"lesson": 1, "signal": 1}
    assert health.by_section == {"KNOWLEDGE": 1, "SIGNALS": 1}


def test_clusters_are_filled_by_hand_or_by_rule(glymph, clock):
    a, b = (
        glymph.add("one", kind="signal", tags=["btc"]),
        glymph.add("two", kind="lesson", tags=["btc"]),
    )
    glymph.clusters.create("mine")
    glymph.clusters.create("btc signals", rule={"kind": "signal", "tag": "btc"})
    receipt = glymph.clusters.add("mine", [a.id, b.id, "nonsense"])
    assert (receipt.succeeded, receipt.failed[0].id) == ((a.id, b.id), "nonsense")
    assert glymph.clusters.add("mine", a.id).skipped[0].reason == "it is in the cluster already"
    clock.advance(days=60)
    by_rule, mine = glymph.clusters()
    assert (by_rule.members, by_rule.dormant) == ((a.id,), 1)
    assert (set(mine.members), mine.active, mine.dormant) == ({a.id, b.id}, 1, 1)
    glymph.archive(b.id)
    assert glymph.clusters()[1].members == (a.id,)
    for attempt in (
        lambda: glymph.clusters.create("mine"),
        lambda: glymph.clusters.create("x", rule={"colour": "red"}),
        lambda: glymph.clusters.add("btc signals", a.id),
    ):
        with pytest.raises(errors.InvalidInput):
            attempt()
    with pytest.raises(errors.ClusterNotFound):
        glymph.clusters.delete("theirs")


def test_filling_a_cluster_looks_at_the_named_memories_only(glymph, monkeypatch):
    a, b, c = (glymph.add(word).id for word in ("one", "two", "three"))
    glymph.clusters.create("x"), glymph.clusters.create("y")
    glymph.clusters.add("y", [a, b, c])
    monkeypatch.setattr(Reader, "memberships", lambda self: pytest.fail("read every membership"))
    glymph.clusters.add("x", [a, b])
    receipt = glymph.clusters.add("x", [b, c])
    assert (receipt.succeeded, [r.id for r in receipt.skipped]) == ((c,), [b])
    receipt = glymph.clusters.remove("x", [a, c])
    assert (receipt.succeeded, receipt.skipped) == ((a, c), ())
    assert glymph.clusters.remove("x", a).skipped[0].reason == "it is not in the cluster"
    glymph.clusters.delete("x")
    monkeypatch.undo()
    (y,) = glymph.clusters()
    assert set(y.members) == {a, b, c}


def test_the_agents_page_is_kept_whole_and_short(glymph):
    assert glymph.page() == ""
    glymph.write("First line.")
    glymph.write("Second line.", "append")
    assert glymph.page() == "First line.\nSecond line."
    with pytest.raises(errors.InvalidInput, match="600"):
        glymph.write("word " * 599, "append")
    with pytest.raises(errors.InvalidInput, match="mode"):
        glymph.write("x", "prepend")
    glymph.undo()
    assert glymph.page() == "First line."


def test_an_update_changes_only_what_differs(glymph):
    a = glymph.add("I live in Berlin", kind="fact", salience=1.0)
    assert glymph.get(a.id).stability == 120.0
    assert glymph.update(a.id, text="I live in Berlin").skipped[0].reason == "it says that already"
    glymph.update(a.id, kind="event", expires_at=None)
    memory = glymph.get(a.id)
    assert (memory.section, memory.stability, memory.version) == ("EPISODIC", 20.0, 2)
    glymph.update(a.id, text="I live in Lisbon")
    assert glymph.get(a.id).title == "I live in Lisbon"
    with pytest.raises(errors.InvalidInput, match="nothing to change"):
        glymph.update(a.id)
    with pytest.raises(errors.MemoryNotFound):
        glymph.update("nonsense", text="x")
    (me,) = glymph.list(kinds=["self"])
    with pytest.raises(errors.InvalidInput, match="identity"):
        glymph.update(me.id, kind="note")


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (errors.InvalidInput, ("a", "a", "related_to", None)),
        (errors.InvalidInput, ("a", "b", "best_friends", None)),
        (errors.InvalidInput, ("a", "b", "related_to", 0.0)),
        (errors.InvalidInput, ("a", "b", "related_to", float("nan"))),
        (errors.InvalidInput, ("a", "b", "related_to", 1.5)),
        (errors.MemoryNotFound, ("a", "nonsense", "related_to", None)),
    ],
)
def test_a_bad_link_is_refused_and_nothing_written(glymph, error, arguments):
    names = {"a": glymph.add("first").id, "b": glymph.add("second").id}
    before = logical_image(glymph._ctx.store, "default")
    source, target, edge_type, weight = arguments
    with pytest.raises(error):
        glymph.link(names[source], names.get(target, target), edge_type, weight)
    assert logical_image(glymph._ctx.store, "default") == before


def lively(glymph, clock):
    """A space with something in every table."""
    a = glymph.add("I live in Berlin", tags=["home"], attributes={"π": 3.14})
    b = glymph.add("Lisbon is sunny", links=[(a.id, "related_to")])
    glymph.unlink(b.id, a.id, "related_to")
    glymph.link(a.id, b.id)
    clock.advance(days=2)
    found = glymph.recall("Lisbon")
    glymph.report(found.id, used=[b.id])
    glymph.clusters.create("c")
    glymph.clusters.add("c", b.id)
    glymph.write("page")
    glymph.undo(glymph.add("short-lived").operation_id)
    with glymph._ctx.store.writing(glymph.space, None) as writer:
        writer.set_counter("n", 3)
    with glymph._ctx.operation("forget") as op:
        tombstones.bury(op, glymph._ctx, ["gone for good"])
    return a, b


def test_an_export_comes_back_the_same_elsewhere(glymph, clock, tmp_path):
    a, b = lively(glymph, clock)
    rows = glymph.export(tmp_path / "x.jsonl")
    with Glymph.open(f"sqlite:///{tmp_path}/other.db", space="busy", clock=clock) as other:
        other.add_many([f"memory {n}" for n in range(5)])
        assert other.import_(tmp_path / "x.jsonl").rows == rows
    with Glymph.open(f"sqlite:///{tmp_path}/other.db", clock=clock) as copy:
        assert copy.list() == glymph.list()
        assert copy.history(a.id) == glymph.history(a.id)
        assert copy.edges(b.id) == glymph.edges(b.id)
        assert [op.hash for op in copy.operations()] == [op.hash for op in glymph.operations()]
        assert copy.verify().ok
        copy.export(tmp_path / "y.jsonl")
        assert (tmp_path / "x.jsonl").read_text() == (tmp_path / "y.jsonl").read_text()
        before = logical_image(copy._ctx.store, "default")
        copy.undo(copy.archive([a.id, b.id]).operation_id)
        assert logical_image(copy._ctx.store, "default") == before
        copy.undo(
            next(op for op in copy.operations() if op.verb == "undo" and op.undone_by is None).id
        )


def test_an_import_never_overwrites_and_takes_no_damaged_file(glymph, clock, tmp_path):
    lively(glymph, clock)
    path = tmp_path / "x.jsonl"
    glymph.export(path)
    with pytest.raises(errors.InvalidInput, match="exists already"):
        glymph.import_(path)
    lines = path.read_text().splitlines()
    for damaged in (
        "\n".join(lines[:-2]),
        "\n".join(lines[2:]),
        "not json\n",
        "",
        '{"glymph": 99}\n',
        "[1, 2]\n",
    ):
        (tmp_path / "bad.jsonl").write_text(damaged)
        with pytest.raises(errors.InvalidInput, match="path"):
            glymph.import_(tmp_path / "bad.jsonl", space="copy")
    with pytest.raises(errors.InvalidInput, match="cannot read"):
        glymph.import_(tmp_path / "absent.jsonl")
    assert [s.name for s in glymph.spaces()] == ["default"]
    assert glymph.verify().ok
    with pytest.raises(errors.InvalidInput, match="cannot write"):
        glymph.export(tmp_path / "no" / "such" / "folder.jsonl")


def test_a_backup_is_a_whole_store_and_never_overwrites(glymph, clock, tmp_path):
    lively(glymph, clock)
    glymph.backup(tmp_path / "copy.db")
    with pytest.raises(errors.InvalidInput, match="never overwrites"):
        glymph.backup(tmp_path / "copy.db")
    with Glymph.open(f"sqlite:///{tmp_path}/copy.db", clock=clock) as copy:
        assert logical_image(copy._ctx.store, "default") == logical_image(
            glymph._ctx.store, "default"
        )
        assert copy.verify().ok


def test_a_space_is_opened_by_its_right_name_or_made(glymph, url):
    with pytest.raises(errors.SpaceNotFound, match="space create typo"):
        Glymph.open(url, space="typo", create=False)
    with Glymph.open(url, space="new") as new:
        new.rename_space("new", "renamed")
    assert [s.name for s in glymph.spaces()] == ["default", "renamed"]
    assert glymph.delete_space("renamed") > 0
    assert [s.name for s in glymph.spaces()] == ["default"]
    with pytest.raises(errors.SpaceNotFound):
        glymph.delete_space("renamed")


TAMPERING = {
    "guards": "DROP TRIGGER protected_stays",
    "full text": "DROP TRIGGER text_follows_update; DROP TRIGGER text_leaves_before_update; {off}"
    " UPDATE memories SET text = 'swapped'",
    "contents": "{off} UPDATE memories SET text = text || '!' WHERE kind <> 'self'",
    "identity": "{off} DELETE FROM memories WHERE kind = 'self'",
    "operations": "{off} UPDATE journal SET image = '{{}}' WHERE action = 'update'",
    "links": "{off} UPDATE edges SET target = 999",
}
SILENT_CHANGES = [
    *(
        f"UPDATE memories SET {change} WHERE kind <> 'self'"
        for change in (
            "state = 'ARCHIVED'", "state_at = 1", "pinned = 1", "protected = 1", "id = id || 'x'",
            "salience = 0.9", "trust = 0.1", "attributes = '[]'", "created_at = 1", "stability = 9",
            "access_count = 9", "version = 9", "superseded_by = id", "session = 'x'",
            "expires_at = 1", "title = 'x'", "tags = '[]'", "review = '[]'",
        )
    ),
    "UPDATE edges SET weight = 0.1", "UPDATE edges SET type = 'part_of'",
    "UPDATE clusters SET name = 'x'",
    "UPDATE memberships SET memory = (SELECT min(key) FROM memories)",
    "UPDATE pages SET text = 'x'",
    *(
        f"UPDATE operations SET {change} WHERE verb = 'report'"
        for change in ("actor = 'x'", "reason = 'x'", "at = 1", "verb = 'x'", "session = 'x'",
                       "details = '[]'", "changes = 9", "edits = 9", "id = 'x'", "undoes = 1")
    ),
    "DELETE FROM journal WHERE id = (SELECT max(id) FROM journal WHERE action = 'insert')",
    "DELETE FROM journal WHERE operation = (SELECT max(key) FROM operations WHERE verb = 'report');"
    " DELETE FROM operations WHERE verb = 'report'",
]  # fmt: skip


def tamper(glymph, statement):
    """Changes the file behind Glymph's back and puts every guard back in place."""
    connection = open_file(glymph.url.removeprefix("sqlite:///"))
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall()
    off = ";".join(f"DROP TRIGGER IF EXISTS {name}" for name, _ in triggers) + ";"
    connection.execute(statement.format(off=off))
    if "{off}" in statement:
        present = {
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
            )
        }
        for name, sql in triggers:
            if name not in present:
                connection.execute(sql)
    connection.close()


@pytest.mark.parametrize("check", TAMPERING)
def test_verify_names_what_somebody_tampered_with(glymph, clock, check):
    lively(glymph, clock)
    assert glymph.verify().ok
    tamper(glymph, TAMPERING[check])
    verdict = glymph.verify()
    assert check in {problem.check for problem in verdict.problems}, verdict.problems


@pytest.mark.parametrize("statement", SILENT_CHANGES)
def test_verify_notices_every_change_behind_the_journals_back(glymph, clock, statement):
    lively(glymph, clock)
    tamper(glymph, "{off} " + statement.replace("{", "{{").replace("}", "}}"))
    assert not glymph.verify().ok
