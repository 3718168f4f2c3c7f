"""Purging: what is removed for good is nowhere any more.

The journal still adds up, and there is no way back.
"""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from typer.testing import CliRunner

from glymph import Glymph, errors
from glymph.cli.main import app
from glymph.config import Settings
from glymph.forget.purge import purge
from glymph.store.chunks import Chunk
from glymph.stores import restore_backup
from glymph.testing.embedders import WordEmbedder
from glymph.write import replace

SECRET = "Zarathustra keeps the spare key under plank 7731"
WORDS = (b"arathust", b"spare", b"plank")  # no digits: an id may hold those by chance
LATER = "Zarathustra keeps the spare key under plank 7732"


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(), settings={"compare": "off"}
    ) as handle:
        yield handle


@pytest.fixture
def life(glymph, clock):
    """A memory to be purged, tied to others in every way there is; its id and that of a neighbour."""
    secret = glymph.add(
        SECRET, tags=["plank"], entities=["Zarathustra"], attributes={"where": "plank 7731"}
    )
    other = glymph.add("Ben waters the plants", links=[(secret.id, "related_to")])
    glymph.add(SECRET.upper())  # rejected, its wording kept
    glymph.add(SECRET)
    glymph.clusters.create("home")
    glymph.clusters.add("home", [secret.id, other.id])
    clock.advance(days=2)
    glymph.update(secret.id, text=LATER, title="Zarathustra's plank", reason=f"it said {SECRET}")
    glymph.archive([secret.id, other.id])
    glymph.restore([secret.id, other.id])
    glymph.report(glymph.recall(f"is it true that {LATER.lower()}?").id, used=[secret.id])
    glymph.recall("who waters the plants")
    glymph.embed()
    return secret.id, other.id


def tables(glymph, space="default"):
    found = {}
    for table, row in glymph._ctx.store.dump(space):
        found.setdefault(table, []).append(row)
    return found


def traces(*files):
    """Which words of the secret are in these files or beside them, whatever their case."""
    found = {}
    for file in files:
        for one in sorted(Path(file).parent.glob(f"{Path(file).name}*")):
            content = one.read_bytes().lower() if one.is_file() else b""
            if held := [word for word in WORDS if word in content]:
                found[one.name] = held
    return found


def file_of(url):
    return url.removeprefix("sqlite:///")


# nothing is left


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_what_is_purged_is_in_no_byte_of_a_compacted_store(glymph, url, life):
    assert traces(file_of(url))
    purge(glymph._ctx, life[0], reason="asked to", tombstone=True)
    assert glymph.verify().ok
    glymph._ctx.store.compact()
    glymph.close()
    assert traces(file_of(url)) == {}


def test_rows_links_memberships_and_vectors_go_and_the_neighbours_stay(glymph, life):
    secret, other = life
    before = tables(glymph)
    version = glymph.get(other).version
    (key,) = (row["key"] for row in before["memories"] if row["id"] == secret)
    assert [v for v in before["vectors"] if v["memory"] == key]
    receipt = purge(glymph._ctx, [secret])
    after = tables(glymph)
    assert receipt.succeeded == (secret,)
    assert after["memories"] == [row for row in before["memories"] if row["id"] != secret]
    assert "edges" not in after
    assert [m["memory"] for m in after["memberships"]] == [
        row["key"] for row in before["memories"] if row["id"] == other
    ]
    assert after["vectors"] == [v for v in before["vectors"] if v["memory"] != key]
    assert glymph.get(other).version == version
    assert [row["query"] for row in after["recalls"]] == ["", "who waters the plants"]
    assert glymph.search("Zarathustra plank") == []
    with pytest.raises(errors.MemoryNotFound):
        glymph.get(secret)


def test_no_hash_from_which_a_short_text_could_be_guessed_is_left(glymph, life):
    before = tables(glymph)
    (row,) = (row for row in before["memories"] if row["id"] == life[0])
    entries = [e for e in before["journal"] if (e["tbl"], e["key"]) == ("memories", row["key"])]
    contents = {
        json.loads(e[image]).get("content_hash") for e in entries for image in ("image", "after")
    } - {None}
    touched = {e["operation"] for e in entries}
    seals = {o["hash"] for o in before["operations"] if o["key"] in touched}
    assert len(contents) >= 2
    assert len(seals) >= 5
    purge(glymph._ctx, life[0], tombstone=True)
    left = json.dumps(tables(glymph), default=str)
    assert [one for one in contents | seals if one in left] == []


def test_the_reason_of_an_operation_that_repeats_the_text_goes_too(glymph, life):
    with glymph._ctx.operation("update") as op:
        op.writer.change("memories", {op.row(life[0])["key"]: {"salience": 0.9}})
        op.writer.describe({"before": f'"{SECRET}"'})
    purge(glymph._ctx, life[0])
    newer, older = glymph.operations(verb="update")
    assert (older.reason, newer.details) == ("(removed by a purge)", {})
    assert glymph.verify().ok


def test_plans_that_name_or_quote_it_go_and_others_stay(glymph, life):
    bodies = {
        "names": json.dumps({"members": [life[0]]}),
        "quotes": json.dumps({"label": f"note: {LATER}".upper()}, ensure_ascii=True),
        "other": json.dumps({"members": [life[1]]}),
        "odd": "not JSON",
    }
    with glymph._ctx.store.writing("default", None) as writer:
        for name, body in bodies.items():
            writer.save_plan({"id": name, "created_at": 1, "expires_at": 2, "body": body})
    purge(glymph._ctx, life[0])
    assert [row["id"] for row in tables(glymph)["plans"]] == ["other", "odd"]


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_chunks_that_show_its_kind_and_size_go_and_others_stay(glymph, life):
    with glymph._ctx.store.reading("default") as reader:
        key = reader.memory(life[0])["key"]
    with glymph._ctx.store.writing("default", None) as writer:
        for first, upto in ((0, key), (key, key + 1), (key + 1, key + 9)):
            assert writer.replace_chunks(
                "memories", [], [Chunk(first, upto, 1, 0, "{}", b"figures")]
            )
    purge(glymph._ctx, life[0])
    with glymph._ctx.store.reading("default") as reader:
        assert [(head.first, head.upto) for head in reader.chunks("memories")] == [
            (0, key),
            (key + 1, key + 9),
        ]
    connection = apsw.Connection(file_of(glymph.url))
    assert connection.execute("SELECT count(*) FROM chunk_bodies").get == 2
    connection.close()


def test_conflicts_about_it_go_and_their_reasons_with_them(glymph, life):
    with glymph._ctx.operation("add") as op:
        ids = [glymph._ctx.new_id(op.now) for _ in range(2)]
        row = {"reason": "plank 7731 or 7732", "raised_at": op.now, "expires_at": op.now + 1}
        op.writer.insert("conflicts", [{"id": ids[0], "older": life[0], "newer": life[1], **row}])
    glymph.undo(op.intent.id)
    with glymph._ctx.operation("add") as op:
        op.writer.insert("conflicts", [{"id": ids[1], "older": life[1], "newer": life[0], **row}])
    purge(glymph._ctx, life[0])
    assert "conflicts" not in tables(glymph)
    assert "plank" not in json.dumps(tables(glymph)["journal"])
    assert glymph.verify().ok


def test_a_memory_that_an_undo_took_away_is_purged_from_the_journal(glymph, url):
    added = glymph.add(SECRET)
    undone = glymph.undo()
    assert purge(glymph._ctx, added.id, tombstone=True).succeeded == (added.id,)
    assert glymph.undo(undone.operation_id).skipped[0].reason == "it was purged"
    assert glymph.verify().ok
    assert glymph.add(SECRET).refused.startswith("tombstoned")
    glymph._ctx.store.compact()
    glymph.close()
    assert traces(file_of(url)) == {}


def test_a_chunk_of_a_bulk_operation_and_its_parent_are_sealed_anew(url, clock):
    with Glymph.open(url, clock=clock, settings={"bulk_chunk": 2, "compare": "off"}) as glymph:
        added = glymph.add_many([SECRET, "Ben waters the plants", "Cleo paints", "Dan sings"])
        before = {one.id: one.hash for one in glymph.operations()}
        purge(glymph._ctx, added[0].id)
        assert glymph.verify().ok
        assert all(one.hash != before.get(one.id) for one in glymph.operations(verb="add"))
        (bulk,) = glymph.operations(verb="add")
        undone = glymph.undo(bulk.id)
        assert [(r.id, r.reason) for r in undone.skipped] == [(added[0].id, "it was purged")]
        assert set(undone.succeeded) == {one.id for one in added[1:]}
        assert glymph.verify().ok


def test_many_leave_no_trace_in_the_text_index(url, clock):
    with Glymph.open(url, clock=clock, settings={"compare": "off"}) as glymph:
        added = glymph.add_many(f"{SECRET} number {i}" for i in range(120))
        glymph.add("Ben waters the plants")
        assert len(purge(glymph._ctx, [one.id for one in added]).succeeded) == 120
        assert glymph.verify().ok
        glymph._ctx.store.compact()
        assert glymph.verify().ok
    assert traces(file_of(url)) == {}


# what stays known


def test_history_says_when_and_by_whom_it_was_purged_and_nothing_else(glymph, clock, life):
    clock.advance(days=1)
    receipt = purge(glymph._ctx, life[0], reason="asked to")
    *earlier, last = glymph.history(life[0])
    assert (last.verb, last.action, last.actor, last.reason, last.at) == (
        "purge", "delete", "user", "asked to", clock.now,
    )  # fmt: skip
    assert last.before["id"] == life[0]
    assert {change.before["purged"] for change in (*earlier, last)} == {receipt.operation_id}
    assert [change.verb for change in earlier][:1] == ["add"]
    assert not any(word.decode() in str((*earlier, last)).lower() for word in WORDS)
    (operation,) = glymph.operations(verb="purge")
    assert operation.details["purged"] == [life[0]]
    assert operation.undoable is False


def test_the_past_is_told_without_it(glymph, clock, life):
    then = clock.now
    clock.advance(days=1)
    purge(glymph._ctx, life[0])
    clock.advance(days=1)
    with pytest.raises(errors.MemoryNotFound):
        glymph.get(life[0], at=then)
    assert [m.id for m in glymph.list(at=then)] == [life[1]]
    assert [hit.memory.id for hit in glymph.search("Zarathustra plants", at=then)] == [life[1]]


# the way back there is not


def test_a_purge_cannot_be_undone(glymph, life):
    receipt = purge(glymph._ctx, life[0], tombstone=True)
    with pytest.raises(errors.NotUndoable, match="gone for good"):
        glymph.undo(receipt.operation_id)
    assert len(glymph.tombstones()) >= 1


def test_undo_without_an_id_after_a_purge_touches_nothing_and_says_the_next_step(glymph, life):
    added = glymph.add("Cleo paints")
    receipt = purge(glymph._ctx, life[0])
    before = tables(glymph)
    with pytest.raises(errors.NotUndoable, match=r"gone for good.*undo\(id\)") as raised:
        glymph.undo()
    assert receipt.operation_id in str(raised.value)
    assert tables(glymph) == before
    assert glymph.undo(added.operation_id).succeeded == (added.id,)


def test_undo_without_an_id_goes_back_to_a_purge_and_no_further(glymph, life):
    glymph.add("Cleo paints")
    purge(glymph._ctx, life[0])
    later = glymph.add("Dan sings")
    assert glymph.undo().succeeded == (later.id,)
    with pytest.raises(errors.NotUndoable, match="gone for good"):
        glymph.undo()


def test_a_purge_that_found_nothing_or_of_somebody_else_is_in_no_ones_way(glymph, url, clock, life):
    added = glymph.add("Cleo paints")
    assert purge(glymph._ctx, "no-such").failed
    with Glymph.open(url, clock=clock, actor="other") as other:
        purge(other._ctx, life[0])
    assert glymph.undo().succeeded == (added.id,)


def test_undoing_additions_leaves_what_has_replaced_another_since(glymph):
    old, new = glymph.add_many(["Ana lives in Bern", "Ana lives in Oslo"])
    with glymph._ctx.operation("supersede") as op:
        replace.supersede(op, op.row(old.id), op.row(new.id))
    reasons = {r.id: r.reason for r in glymph.undo(old.operation_id).skipped}
    assert reasons[new.id] == "it has replaced another memory since"
    assert glymph.verify().ok


def test_undoing_an_addition_leaves_what_was_put_into_a_cluster_since(glymph):
    added = glymph.add("Cleo paints")
    glymph.clusters.create("arts")
    glymph.clusters.add("arts", [added.id])
    undone = glymph.undo(added.operation_id)
    assert [r.id for r in undone.skipped] == [added.id]
    assert glymph.verify().ok


def test_undoing_what_came_before_leaves_the_purged_and_puts_back_the_rest(glymph, life):
    archived = glymph.archive(list(life))
    purge(glymph._ctx, life[0])
    undone = glymph.undo(archived.operation_id)
    assert undone.succeeded == (life[1],)
    assert [(r.id, r.reason) for r in undone.skipped] == [(life[0], "it was purged")]
    assert glymph.get(life[1]).state == "LIVE"
    for operation in glymph.operations():
        if operation.undoable:
            glymph.undo(operation.id)
            assert glymph.verify().ok
    assert "arathustra" not in json.dumps(tables(glymph), default=str)


def test_a_link_to_what_is_purged_does_not_come_back(glymph, life):
    unlinked = glymph.unlink(life[1], life[0], "related_to")
    purge(glymph._ctx, life[0])
    assert [r.reason for r in glymph.undo(unlinked.operation_id).skipped][-1:] == [
        "what it joins is gone"
    ]
    assert glymph.verify().ok


# what was replaced


def supersede(glymph, old, new):
    with glymph._ctx.operation("supersede") as op:
        row = op.row(old)
        op.writer.change(
            "memories", {row["key"]: {"superseded_by": new, "version": row["version"] + 1}}
        )
    return op.intent.id


def test_what_it_had_replaced_is_not_current_again(glymph):
    a, b, c = (glymph.add(f"Ana lives in {town}").id for town in ("Bern", "Lisbon", "Oslo"))
    supersede(glymph, a, b)
    second = supersede(glymph, b, c)
    purge(glymph._ctx, b)
    assert glymph.get(a).superseded_by == c
    assert glymph.undo(second).skipped[0].reason == "it was purged"
    purge(glymph._ctx, c)
    assert (glymph.get(a).superseded_by, glymph.get(a).state) == (None, "ARCHIVED")
    (operation, *_) = glymph.operations(verb="purge")
    assert operation.details["archived"] == [a]
    assert glymph.verify().ok


def test_chains_that_are_purged_whole_leave_nothing_to_follow(glymph):
    a, b, c = (glymph.add(f"Ana lives in {town}").id for town in ("Bern", "Lisbon", "Oslo"))
    supersede(glymph, a, b)
    supersede(glymph, b, c)
    purge(glymph._ctx, [c, b])
    assert glymph.get(a).state == "ARCHIVED"
    assert glymph.verify().ok


def test_an_undo_does_not_point_at_a_purged_successor(glymph):
    old = glymph.add("Ana lives in Bern").id
    with glymph._ctx.operation("add") as op:
        new = glymph._ctx.new_id(op.now)
        row = op.row(old)
        copied = {k: v for k, v in row.items() if k not in ("key", "space_id")}
        op.writer.insert("memories", [{**copied, "id": new}])
        op.writer.change("memories", {row["key"]: {"superseded_by": new, "version": 2}})
    undone = glymph.undo(op.intent.id)
    purge(glymph._ctx, new)
    again = glymph.undo(undone.operation_id)
    assert {r.reason for r in again.skipped} == {"it was purged", "what replaced it is gone"}
    assert glymph.verify().ok


# what refuses


def test_protected_and_pinned_refuse_the_whole(glymph, life):
    (identity,) = (m.id for m in glymph.list(kinds=["self"]))
    glymph.pin(life[1])
    before = tables(glymph)
    with pytest.raises(errors.Protected):
        purge(glymph._ctx, [life[0], identity])
    with pytest.raises(errors.Pinned):
        purge(glymph._ctx, [life[0], life[1]], tombstone=True)
    assert tables(glymph) == before


def test_the_store_itself_refuses_the_pinned_and_the_protected(glymph, life):
    (identity,) = (m.id for m in glymph.list(kinds=["self"]))
    glymph.pin(life[0])
    for memory_id, error in ((life[0], errors.Pinned), (identity, errors.Protected)):
        with glymph._ctx.store.reading("default") as reader:
            key = reader.memory(memory_id)["key"]
        with pytest.raises(error):
            remove_bluntly(glymph, key)


def remove_bluntly(glymph, key):
    with glymph._ctx.operation("purge") as op:
        edges, memberships = op.writer.ties([key])
        op.writer.remove("edges", edges)
        op.writer.remove("memberships", memberships)
        op.writer.remove("memories", [key])


def test_unknown_and_purged_ids_are_named_and_the_others_go(glymph, life):
    purge(glymph._ctx, life[0])
    receipt = purge(glymph._ctx, [life[0], "no-such", life[1]])
    assert receipt.succeeded == (life[1],)
    assert [(r.id, r.reason) for r in receipt.skipped] == [(life[0], "it was purged already")]
    assert [(r.id, r.reason) for r in receipt.failed] == [
        ("no-such", "no such memory in this space")
    ]
    with pytest.raises(errors.InvalidInput):
        purge(glymph._ctx, [])


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_only_a_purge_may_blank_the_journal(glymph, life):
    connection = apsw.Connection(file_of(glymph.url))
    change = "UPDATE journal SET after = '{}' WHERE id = 2"
    blank = """UPDATE journal SET image = '{"purged":"x"}' WHERE id = 2"""
    move = """UPDATE journal SET image = '{"purged":"x"}', key = 9 WHERE id = 2"""
    reseal = "UPDATE operations SET hash = 'x', actor = 'x', session = 'x' WHERE key = 2"
    redo = "UPDATE operations SET verb = 'x' WHERE key = 2"
    for verb, allowed in (("add", ()), ("purge", (blank, reseal))):
        for sql in (change, blank, move, reseal, redo):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO writing VALUES (1, 1, 99, ?)", (verb,))
            if sql in allowed:
                connection.execute(sql)
            else:
                with pytest.raises(apsw.ConstraintError, match="never changed"):
                    connection.execute(sql)
            connection.execute("ROLLBACK")
    connection.close()


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_verify_names_a_journal_row_that_no_purge_has_blanked(glymph, life):
    connection = apsw.Connection(file_of(glymph.url))
    connection.execute("INSERT INTO writing VALUES (1, 1, 99, 'purge')")
    connection.execute(
        """UPDATE journal SET image = '{"version":1,"purged":"x"}' WHERE action = 'update'"""
    )
    connection.execute("DELETE FROM writing")
    connection.close()
    details = [problem.detail for problem in glymph.verify().problems]
    assert any("blank without a purge" in detail for detail in details)
    assert any("purged, but not everywhere" in detail for detail in details)


def test_another_space_is_left_alone(glymph, url, clock, life):
    with Glymph.open(url, space="other", clock=clock) as other:
        theirs = other.add(SECRET)
        before = tables(other, "other")
        purge(glymph._ctx, life[0], tombstone=True)
        assert tables(other, "other") == before
        assert purge(glymph._ctx, theirs.id).failed
        assert other.add(SECRET).duplicate_of == theirs.id


# exports, imports and backups


def test_an_export_of_a_space_with_a_purge_is_taken_in_and_stays_the_same(
    glymph, url, clock, life, tmp_path
):
    purge(glymph._ctx, life[0], tombstone=True)
    glymph.export(tmp_path / "one.jsonl")
    glymph.import_(tmp_path / "one.jsonl", space="copy")
    with Glymph.open(url, space="copy", clock=clock) as copy:
        copy.export(tmp_path / "two.jsonl")
        assert copy.verify().ok
        assert copy.history(life[0])[-1].verb == "purge"
        assert purge(copy._ctx, life[1]).succeeded  # keys that an import has moved
        assert copy.verify().ok
    one, two = (
        (tmp_path / name).read_text().splitlines()[1:] for name in ("one.jsonl", "two.jsonl")
    )
    assert one == two


@pytest.mark.parametrize("image", [{"purged": 5}, {"purged": "x", "title": "t"}, {"purged": None}])
def test_an_import_takes_no_odd_blanks(glymph, life, tmp_path, image):
    glymph.export(tmp_path / "e.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    entry = next(
        x[1]
        for x in lines
        if isinstance(x, list) and x[0] == "journal" and x[1]["action"] == "update"
    )
    entry["image"] = json.dumps(image)
    (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    with pytest.raises(errors.InvalidInput):
        glymph.import_(tmp_path / "bad.jsonl", space="copy")


@pytest.fixture
def before_the_purge(glymph, life, tmp_path):
    """An export and a backup that still hold the secret.

    The secret is pinned there and has replaced something.
    """
    old = glymph.add("Ben has another one").id
    supersede(glymph, old, life[0])
    taken = glymph.add(
        SECRET.replace("7731", "7731 or so")
    )  # an undo takes it away; the journal has it
    glymph.undo(taken.operation_id)
    glymph.pin(life[0])
    glymph.export(tmp_path / "e.jsonl")
    glymph.backup(tmp_path / "b.db")
    glymph.unpin(life[0])
    purge(glymph._ctx, [life[0], taken.id], tombstone=True)
    return old


def test_an_import_keeps_out_what_was_purged_since(
    glymph, url, clock, life, before_the_purge, tmp_path
):
    done = glymph.import_(tmp_path / "e.jsonl", space="copy")
    assert done.kept_out == 2
    with Glymph.open(url, space="copy", clock=clock) as copy:
        assert copy.verify().ok
        assert [m.id for m in copy.list()] == [life[1]]
        assert copy.get(before_the_purge).state == "ARCHIVED"
        assert [change.verb for change in copy.history(life[0])][-1] == "purge"
        assert len(copy.tombstones()) == len(glymph.tombstones())
        assert copy.add(LATER.lower()).refused.startswith("tombstoned")
        assert copy.add("Cleo paints").id
        for operation in copy.operations():
            if operation.undoable:
                copy.undo(operation.id)
        assert copy.verify().ok
        copy.export(tmp_path / "again.jsonl")
    glymph._ctx.store.compact()
    glymph.close()
    assert traces(file_of(url), tmp_path / "again.jsonl") == {}


def test_an_import_elsewhere_knows_nothing_of_a_purge_here(
    glymph, clock, life, before_the_purge, tmp_path
):
    with Glymph.open(f"sqlite:///{tmp_path}/other.db", clock=clock) as other:
        assert other.import_(tmp_path / "e.jsonl", space="copy").kept_out == 0


def restore(url, clock, source, target, **options):
    return restore_backup(
        source, target, in_use=url, clock=clock, settings=Settings(embedder="none"), **options
    )


def test_a_restore_keeps_out_what_was_purged_since(
    glymph, url, clock, life, before_the_purge, tmp_path
):
    target = tmp_path / "restored.db"
    planned = restore(url, clock, tmp_path / "b.db", target, apply=False)
    assert not target.exists()
    done = restore(url, clock, tmp_path / "b.db", target)
    assert done == planned
    assert (done.spaces, done.kept_out, done.unread) == (("default",), 2, None)
    assert done.tombstones == len(glymph.tombstones())
    with Glymph.open(f"sqlite:///{target}", clock=clock) as restored:
        assert restored.verify().ok
        assert [m.id for m in restored.list()] == [life[1]]
        assert restored.get(before_the_purge).state == "ARCHIVED"
        assert restored.add(LATER).refused.startswith("tombstoned")
        assert restored.add(LATER, revive=True).id
        restored.undo()
        assert restored.add(LATER).refused.startswith("tombstoned")
        assert restored.verify().ok
    assert (target.stat().st_mode & 0o777, Path(f"{target}.keys").stat().st_mode & 0o777) == (
        0o600,
        0o700,
    )
    assert sorted(one.name for one in tmp_path.iterdir() if "restored" in one.name) == [
        "restored.db", "restored.db.keys",
    ]  # fmt: skip


def test_a_restored_file_holds_no_byte_of_it(glymph, url, clock, life, before_the_purge, tmp_path):
    restore(url, clock, tmp_path / "b.db", tmp_path / "restored.db")
    assert traces(tmp_path / "b.db")
    assert traces(tmp_path / "restored.db") == {}


def test_a_restore_without_tombstones_is_the_backup_itself(glymph, url, clock, life, tmp_path):
    glymph.backup(tmp_path / "b.db")
    purge(glymph._ctx, life[0])
    done = restore(url, clock, tmp_path / "b.db", tmp_path / "restored.db")
    assert (done.kept_out, done.tombstones) == (0, 0)
    with Glymph.open(f"sqlite:///{tmp_path}/restored.db", clock=clock) as restored:
        assert restored.get(life[0]).text == LATER


def test_a_store_in_use_that_is_gone_or_damaged_is_no_obstacle_but_named(
    glymph, url, clock, life, tmp_path
):
    glymph.backup(tmp_path / "b.db")
    (tmp_path / "broken.db").write_text("This is no store, and never was one." * 100)
    for number, (name, said) in enumerate(
        (("absent.db", "no store"), ("broken.db", "not a Glymph store"))
    ):
        in_use = f"sqlite:///{tmp_path}/{name}"
        assert said in restore(in_use, clock, tmp_path / "b.db", tmp_path / f"r{number}.db").unread
        assert (tmp_path / f"r{number}.db").exists()
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_a_restore_refuses_to_guess_without_the_key(
    glymph, url, clock, life, before_the_purge, tmp_path
):
    for file in glymph._ctx.store.keyring.folder.iterdir():
        file.unlink()
    with pytest.raises(errors.KeyMissing):
        restore(url, clock, tmp_path / "b.db", tmp_path / "restored.db")
    assert not (tmp_path / "restored.db").exists()


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_tombstones_of_two_keys_are_never_mixed_by_a_restore(
    glymph, url, clock, life, before_the_purge, tmp_path
):
    identity = glymph.list(kinds=["self"])[0].id
    (tmp_path / "b.db.keys").mkdir()
    (tmp_path / "b.db.keys" / identity).write_text("ab" * 32)
    with pytest.raises(errors.InvalidInput, match="another key"):
        restore(url, clock, tmp_path / "b.db", tmp_path / "restored.db")


# commands


@pytest.fixture
def run(url):
    return lambda *args: CliRunner().invoke(
        app, [*map(str, args), "--url", url], env={"COLUMNS": "200"}
    )


def test_commands_say_what_stayed_out(glymph, run, life, before_the_purge, tmp_path):
    assert "2 memories stayed out: removed for good on request." in run(
        "import", tmp_path / "e.jsonl", "--into", "copy"
    ).stdout.replace("\n", " ")
    arguments = ("restore", tmp_path / "b.db", tmp_path / "restored.db")
    assert "2 memories would stay out" in run(*arguments).stdout.replace("\n", " ")
    assert not (tmp_path / "restored.db").exists()
    said = json.loads(run(*arguments, "--apply", "--json").stdout)
    assert (said["kept_out"], said["applied"], said["unread"]) == (2, True, None)
    assert traces(tmp_path / "restored.db") == {}


def test_commands_name_the_key_and_the_way_without_it(
    glymph, run, life, before_the_purge, clock, tmp_path
):
    assert "The key of its tombstones is" in run("export", tmp_path / "first.jsonl").stdout.replace(
        "\n", " "
    )
    said = json.loads(run("export", tmp_path / "late.jsonl", "--json").stdout)
    assert said["key"] == f"{tmp_path}/late.jsonl.key"
    (tmp_path / "late.jsonl.key").unlink()
    other = ("--url", f"sqlite:///{tmp_path}/other.db")
    refused = CliRunner().invoke(app, ["import", str(tmp_path / "late.jsonl"), "--json", *other])
    assert "--without-tombstones" in str(refused.exception)
    done = CliRunner().invoke(
        app, ["import", str(tmp_path / "late.jsonl"), "--without-tombstones", *other]
    )
    assert "rows loaded" in done.stdout
