"""No column of either engine holds what was purged, and none is left out of the check.

Every column of text of the real schema either held it before the purge, or is named here with the
reason why it cannot. A new column that neither says nor explains itself fails.
"""

from __future__ import annotations

import apsw
import psycopg
import pytest

from glymph import errors
from glymph.config import Settings
from glymph.service.tokens import create as create_token
from glymph.service.tokens import list_all as list_tokens
from glymph.store.erase_places import NAMES, PLACES, WORDLESS
from glymph.stores import restore_backup
from glymph.testing import FrozenClock
from glymph.text.quotes import GONE
from tests.forget.test_purge_and_the_past import draw_identifier, say_everywhere
from tests.grounds.purging import find_bytes, find_traces, open_at

# Columns that a place covers and that cannot repeat an identifier as it is written.
UNSAID = {
    "memories.kind": "one word", "memories.content_hash": "a hash", "memories.review": "ids",
    "vectors.wording": "a hash", "vectors.vector": "numbers", "chunks.layout": "numbers",
    "chunk_bodies.body": "numbers", "operations.hash": "a hash", "recalls.shown": "ids",
    "recalls.reported": "ids", "recalls.figures": "numbers", "tombstones.fingerprint": "a hash",
    "certificates.body": "names of places", "conversations.state": "notes of a shortened talk",
    "queue.report": "what a job that ran says",
    "spaces.name": "tested by itself: nothing renames a space", "tokens.spaces": "the same",
}  # fmt: skip
NAMELESS_AGENT = f"agent:{GONE}"
INDEX = "memory_text"  # follows the rows; its bytes are looked through in the file


def find_columns(url, same):
    """Returns all columns that may hold text, and those of them that hold it: "table.column"."""
    columns, holding = set(), set()
    for table, column, values in read_columns(url):
        columns.add(f"{table}.{column}")
        said = "\n".join(map(str, values)).casefold()
        if any(one.casefold() in said for one in same):
            holding.add(f"{table}.{column}")
    return columns, holding


def read_columns(url):
    if url.startswith("sqlite"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        for (table,) in connection.execute(tables).fetchall():
            for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
                if kind not in {"INTEGER", "REAL", "INT"} and not table.startswith(INDEX):
                    rows = connection.execute(f'SELECT "{column}" FROM "{table}"').fetchall()
                    yield table, column, [value for (value,) in rows]
        connection.close()
        return
    with psycopg.connect(url) as connection:
        named = connection.execute(
            "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = 'glymph'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
            "AND format_type(a.atttypid, NULL) NOT IN ('bigint', 'integer', 'double precision')"
        ).fetchall()
        for table, column in named:
            rows = connection.execute(f'SELECT "{column}"::text FROM glymph."{table}"').fetchall()
            yield table, column, [value for (value,) in rows]


def live(url, clock, same, choose):
    """Says it in every column that can say it."""
    with open_at(url, clock, session=f"with {choose()}", actor=f"clerk {choose()}") as glymph:
        say_everywhere(glymph, choose)
        store, now = glymph.context.store, clock()
        create_token(store, choose(), spaces=["*"], role="read", actor=f"agent:{choose()}", now=now)
        glymph.undo(glymph.add("Gone again", session=f"chat {choose()}").operation_id)
        kept = glymph.add("Ben waters the plants").id
        glymph.update(kept, tags=["green"])
        beside = {"tags": [choose()], "entities": [choose()], "attributes": {"ref": choose()}}
        glymph.add(f"Finn has {choose()} on file", source=choose(), **beside)
        with glymph.context.operation("add") as op:
            op.fail(kept, f"it says nothing of {choose()}")
        glymph.surface()
    return kept


def list_declared():
    return {column for place in PLACES for column in place.columns if not column.endswith(".*")}


@pytest.mark.parametrize("kind", ["mail", "phone"])
def test_every_column_that_can_say_it_is_clean_after_a_purge(place, kind):
    folder, url = place
    same, _, choose = draw_identifier(kind, 1)
    clock = FrozenClock()
    kept = live(url, clock, same, choose)
    columns, holding = find_columns(url, same)
    assert holding - list_declared() == set()
    assert (columns & list_declared()) - holding - set(UNSAID) == set()
    assert holding.isdisjoint(WORDLESS)
    with open_at(url, clock) as glymph:
        glymph.export(folder / "before.jsonl")
        glymph.backup(folder / "before.backup")
        assert glymph.forget(same[0], mode="purge", apply=True).certificate.complete
        assert find_columns(url, same)[1] == set()
        assert glymph.get(kept).text == "Ben waters the plants"
        assert glymph.verify().ok
        assert [token.actor for token in list_tokens(glymph.context.store)] == [NAMELESS_AGENT]
        glymph.import_(folder / "before.jsonl", space="copy")
        restore_backup(
            folder / "before.backup", folder / "restored.db", in_use=url, clock=clock,
            settings=Settings(embedder="none"),
        )  # fmt: skip
    for copy in (url, f"sqlite:///{folder}/restored.db"):
        assert find_columns(copy, same)[1] == set()
    assert find_bytes(folder, same) == {}
    with open_at(url, clock, space="copy") as copied:
        assert copied.get(kept).text == "Ben waters the plants"
        assert copied.verify().ok


MAIL = "vera@rooms.example"


def purge(glymph):
    return glymph.forget(MAIL, mode="purge", apply=True).certificate


def test_a_purge_within_a_session_that_tells_it_leaves_the_sessions_name_out(place, clock):
    _, url = place
    with open_at(url, clock, session=f"with {MAIL}", actor=f"agent:{MAIL}") as glymph:
        glymph.add(f"Her mail is {MAIL}")
        kept = glymph.add("Ben waters the plants").id
        with open_at(url, clock, session=f"with {MAIL}", actor=f"clerk {MAIL}") as person:
            assert purge(person).complete
        assert find_traces(glymph, [MAIL]) == []
        assert glymph.get(kept).text == "Ben waters the plants"
        # A handle that stays open, and whoever opens one by the same names, leave none of them.
        for one in (glymph, open_at(url, clock, session=f"with {MAIL}", actor=f"agent:{MAIL}")):
            own = one.add(f"Said to {one}", session=f"chat with {MAIL}").id
            one.add_many([{"text": f"Box {at} for {one}", "session": MAIL} for at in range(2)])
            one.update(own, tags=["late"])
            one.recall("who waters the plants?")
            with one.context.bulk("add"):
                pass
            assert one.get(own).session is None
            assert find_traces(one, [MAIL]) == []
            actors = {done.actor for done in one.operations(limit=100)}
            assert actors == {NAMELESS_AGENT, GONE}
            assert one.verify().ok
        one.close()


def test_what_was_done_together_stays_together_under_another_name(place, clock):
    _, url = place
    with open_at(url, clock, actor="user") as glymph:
        first = [glymph.add(f"Shelf {at}", session=f"with {MAIL}").id for at in range(2)]
        second = glymph.add("A lamp", session=f"{MAIL} again").id
        other = glymph.add("A chair", session="with nobody").id
        edited = glymph.update(first[0], text="Shelf 10").operation_id
        before = clock()
        clock.advance(days=1)
        glymph.add(f"Her mail is {MAIL}")
        assert purge(glymph).complete
        names = [glymph.get(one).session for one in (*first, second, other)]
        assert names[0] == names[1] != names[2]
        assert all(GONE in name for name in names[:3])
        assert names[3] == "with nobody"
        assert len(glymph.operations(session=names[0])) == 2
        assert {one.session for one in glymph.list(at=before)} >= set(names)
        glymph.undo(edited)  # what was done before can still be taken back
        assert (glymph.get(first[0]).text, glymph.get(first[0]).session) == ("Shelf 0", names[0])
        assert {done.actor for done in glymph.operations()} == {"user"}
        assert glymph.verify().ok


def test_an_operation_that_is_still_open_loses_its_names_too(place, clock):
    _, url = place
    with open_at(url, clock, session=f"with {MAIL}") as glymph:
        glymph.add(f"Her mail is {MAIL}")
        left = glymph.context.open_parent("add", reason=f"asked by {MAIL}")  # of a killed process
        assert purge(glymph).complete
        assert find_traces(glymph, [MAIL]) == []
        glymph.context.store.close_parent(glymph.space, left)
        assert glymph.verify().ok


def test_the_certificate_says_that_the_name_of_the_space_tells_it(place, clock):
    _, url = place
    with open_at(url, clock, space=MAIL) as glymph:
        glymph.add(f"Her mail is {MAIL}")
        certificate = purge(glymph)
        assert not certificate.complete
        found = {one.name: one for one in certificate.places}[NAMES]
        assert found.status == "left"
        assert "space rename" in found.detail
        assert MAIL not in certificate.text


def test_only_a_purge_renames_sessions_and_it_changes_nothing_else(place, clock):
    _, url = place
    with open_at(url, clock, session="daily") as glymph:
        glymph.add("Ben waters the plants")
        ctx = glymph.context
        with ctx.reading() as reader:
            row = next(one for one in reader.operations(limit=10) if one["verb"] == "add")
            entry = reader.entries([row["key"]])[0]
        same = {name: row[name] for name in ("key", "hash", "reason", "details", "actor")}
        for verb in ("update", "fold"):
            with pytest.raises(errors.Refused, match="never changed"), ctx.operation(verb) as op:
                op.writer._repeat("seal_anew", [{**same, "session": "nightly"}])
        images = {"image": "{}", "after": '{"session":"nightly"}'}
        with pytest.raises(errors.Refused, match="never changed"), ctx.operation("purge") as op:
            op.writer._repeat("set_images", [{"id": entry.id, **images}])
        assert glymph.verify().ok
