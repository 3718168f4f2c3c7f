"""Erase certificates: what each place says, what stays pending and why.

And that none tells the text.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from glymph import Glymph, errors
from glymph.forget import certificate as certifying
from glymph.forget import complete_certificates as completing
from glymph.forget import trash
from glymph.forget.certificate import certify, list_certificates
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.purge import erase_wordings, purge, purge_certified, remove_for_good
from glymph.plain import plain
from glymph.store.certificate import Certificate, PlaceStatus
from glymph.store.erase_places import PLACES
from glymph.store.reader import Reader
from glymph.testing.embedders import WordEmbedder
from glymph.text.normal import content_hash
from glymph.text.quotes import Quotes

SECRET = "Zarathustra keeps the spare key under plank 7731"
WORDS = ("zarathustra", "spare", "plank", "7731 ")


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(), settings={"compare": "off"}
    ) as handle:
        yield handle


def status(certificate):
    return {one.name: one.status for one in certificate.places}


def rows(glymph, table):
    with glymph._ctx.store.database._pool.connection() as connection:
        return list(connection.each(f"SELECT * FROM {table}", {}))


def say(op, memory_id, text):
    """Rewrites a memory as a part of an operation."""
    row = op.row(memory_id)
    values = {
        "text": text,
        "title": text,
        "content_hash": content_hash(text, row["kind"], row["event_at"]),
    }
    op.writer.change(
        "memories", {row["key"]: {**values, "updated_at": op.now, "version": row["version"] + 1}}
    )


def holding_a_reader(glymph):
    """A connection of somebody else in the middle of reading."""
    connection = apsw.Connection(glymph.url.removeprefix("sqlite:///"))
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM memories").fetchall()
    return connection


def test_a_reason_that_only_names_ids_survives_the_purge_of_a_number_that_is_part_of_one():
    quotes = Quotes(("ticket 7001",), frozenset({"7001"}))
    other = "01900000-0000-7001-8000-000000000001"
    details = json.dumps(
        {"reasons": {other: f"said elsewhere by {other}", "b": "it was about 7001", "c": "fine"}}
    )
    kept = json.loads(quotes.cut_from_details(details))
    assert kept == {"reasons": {other: f"said elsewhere by {other}", "c": "fine"}}
    assert quotes.cut_from_details('{"note": "about 7001"}') == "{}"
    assert Quotes((other,)).in_json(json.dumps([f"the key {other}"]))


def test_a_purge_is_certified_place_by_place(glymph):
    added = glymph.add(SECRET)
    done = purge_certified(glymph._ctx, added.id).certificate
    assert done.complete
    assert {place.name for place in PLACES} < set(status(done))
    assert {"write-ahead log", "page gaps", "free pages", "derived memories"} < set(status(done))
    out = {name for name, found in status(done).items() if found == "out of reach"}
    assert out == {"own backups and exports", "disk and running processes"}
    assert all(one.how for one in done.places)
    assert list_certificates(glymph._ctx) == [done]
    assert list_certificates(glymph._ctx, pending=True) == []


def test_a_place_that_nobody_erases_is_pending_instead_of_missing(glymph):
    alone = replace(glymph._ctx, text_keepers=lambda: ())
    done = purge_certified(alone, glymph.add(SECRET).id).certificate
    assert [one.name for one in done.pending] == [one.name for one in PLACES if one.apart]
    assert "Glymph.open" in done.text


def test_it_reads_well_and_is_plain_data(glymph):
    added = glymph.add(SECRET)
    done = purge_certified(glymph._ctx, added.id).certificate
    lines = done.text.splitlines()
    assert lines[0].startswith(f"Erase certificate of {done.operation_id}")
    assert "complete in this store; out of reach: own backups and exports" in lines[0]
    assert len(lines) == len(done.places) + 1
    assert json.loads(json.dumps(plain(done)))["places"][0]["status"] == "clean"


def test_a_reader_that_began_before_keeps_it_pending_until_it_ends(glymph):
    added = glymph.add(SECRET)
    reader = holding_a_reader(glymph)
    done = purge_certified(glymph._ctx, added.id).certificate
    assert not done.complete
    assert {one.name for one in done.pending} == {"write-ahead log", "free pages", "page gaps"}
    assert "3 places pending" in done.text
    (still,) = complete_certificates(glymph._ctx)
    assert not still.complete
    reader.close()
    (after,) = complete_certificates(glymph._ctx)
    assert after.complete
    assert after.completed_at is not None
    assert complete_certificates(glymph._ctx) == []
    assert glymph.verify().ok


def test_what_the_journal_forgot_is_asked_for_at_once(glymph, monkeypatch):
    """Each removal that the journal remembers is looked at: once for a certificate, not once each."""
    many = [one.id for one in glymph.add_many([f"{SECRET} {n}" for n in range(5)])]
    glymph.delete(many)
    reader = holding_a_reader(glymph)
    glymph.trash.empty(all=True)
    asked = []
    find = Reader.removed_keys
    monkeypatch.setattr(Reader, "entries", lambda self, operations: [])  # as after journal_days
    monkeypatch.setattr(
        Reader, "removed_keys", lambda self, ids: asked.append(sorted(ids)) or find(self, asked[-1])
    )
    (still,) = complete_certificates(glymph._ctx)
    assert asked == [sorted(many)]
    assert not still.complete
    reader.close()
    (after,) = complete_certificates(glymph._ctx)
    assert after.complete


def test_an_undone_memory_is_found_by_its_id_as_long_as_the_journal_goes(glymph):
    gone = glymph.add(SECRET)
    glymph.undo(gone.operation_id)
    stays = glymph.add("The tea is in the blue tin")
    with glymph._ctx.reading() as reader:
        assert reader.removed_keys([gone.id, stays.id, "nobody"]).keys() == {gone.id}
        assert reader.removed_keys([]) == {}
        assert reader.removed_key(gone.id) == reader.removed_keys([gone.id])[gone.id]


def test_pending_ones_survive_a_restart(glymph, url, clock):
    added = glymph.add(SECRET)
    reader = holding_a_reader(glymph)
    purge(glymph._ctx, added.id)
    glymph.close()
    with Glymph.open(url, clock=clock) as again:
        assert len(list_certificates(again._ctx, pending=True)) == 1
        reader.close()
        assert [one.complete for one in complete_certificates(again._ctx)] == [True]


def test_a_process_that_dies_before_looking_leaves_a_pending_one_that_the_job_completes(glymph):
    added = glymph.add(SECRET)
    kept = glymph.add("Ben waters the plants and Zoe")
    with glymph._ctx.operation("purge") as op:
        say(op, kept.id, "Ben waters the plants")
        erase_wordings(op, glymph._ctx, [kept.id])
        remove_for_good(op, glymph._ctx, [added.id])
    (left,) = list_certificates(glymph._ctx, pending=True)
    assert left.places == (PlaceStatus("every place", "pending", "not checked yet"),)
    (done,) = complete_certificates(glymph._ctx)
    assert done.complete
    assert {place.name for place in PLACES} < set(status(done))
    assert "by key only" in next(one.how for one in done.places if one.name == "journal")
    assert glymph.verify().ok


def test_a_store_that_is_too_large_to_be_written_anew_at_once_waits_for_compact(
    glymph, monkeypatch
):
    monkeypatch.setattr(certifying, "REWRITTEN_AT_ONCE", 1)
    monkeypatch.setattr(completing, "REWRITTEN_AT_ONCE", 1)
    done = purge_certified(glymph._ctx, glymph.add(SECRET).id).certificate
    assert {one.name for one in done.pending} == {"page gaps"}
    assert "glymph store compact" in done.text
    assert not complete_certificates(glymph._ctx)[0].complete
    assert complete_certificates(glymph._ctx, compact=True)[0].complete


def test_a_writer_at_work_is_waited_for_by_the_job_not_by_the_caller(glymph, url):
    added = glymph.add(SECRET)
    with glymph._ctx.operation("purge") as op:
        erased = remove_for_good(op, glymph._ctx, [added.id])
    busy = apsw.Connection(url.removeprefix("sqlite:///"))
    busy.execute("BEGIN IMMEDIATE")
    outcome = glymph._ctx.store.settle(rewrite=False)
    assert "page gaps" in {one.name for one in outcome.as_they_are if one.status == "pending"}
    busy.close()
    assert certify(glymph._ctx, op.intent.id, erased).complete


def test_nothing_stored_tells_what_was_removed(glymph):
    added = glymph.add(SECRET, title="Zarathustra's plank")
    reader = holding_a_reader(glymph)
    purge(glymph._ctx, added.id, reason="asked to", tombstone=True)
    reader.close()
    stored = json.dumps(rows(glymph, "certificates")).lower()
    assert not [word for word in WORDS if word in stored]


def test_emptying_the_trash_leaves_a_certificate_and_no_tombstone(glymph, clock):
    added = glymph.add(SECRET)
    glymph.delete(added.id)
    clock.advance(days=31)
    receipt = glymph.trash.empty()
    (done,) = list_certificates(glymph._ctx)
    assert (done.operation_id, done.complete) == (receipt.operation_id, True)
    assert glymph.tombstones() == ()
    glymph.trash.empty()
    assert len(list_certificates(glymph._ctx)) == 1


def test_a_full_trash_is_emptied_in_parts_that_are_one_operation(glymph, monkeypatch):
    monkeypatch.setattr(trash, "MOST_AT_ONCE", 3)
    ids = [one.id for one in glymph.add_many(f"{SECRET} {n}" for n in range(8))]
    glymph.delete(ids[:4])
    glymph.delete(ids[4:])
    receipt = glymph.trash.empty(all=True)
    assert sorted(receipt.succeeded) == sorted(ids)
    (whole,) = glymph.operations(verb="purge")
    assert (whole.id, whole.hash, whole.reason) == (
        receipt.operation_id,
        receipt.hash,
        "trash emptied",
    )
    assert [one.complete for one in list_certificates(glymph._ctx)] == [True] * 3
    assert glymph.verify().ok


def test_emptying_the_trash_completes_older_ones(glymph):
    reader = holding_a_reader(glymph)
    purge(glymph._ctx, glymph.add(SECRET).id)
    reader.close()
    glymph.trash.empty()
    assert [one.complete for one in list_certificates(glymph._ctx)] == [True]


def test_a_purge_of_nothing_is_never_complete_and_leaves_none(glymph):
    done = purge_certified(glymph._ctx, "no-such").certificate
    assert (done.found, done.complete, done.places) == (False, False, ())
    assert list_certificates(glymph._ctx) == []


def test_an_unknown_operation_has_none(glymph):
    added = glymph.add(SECRET)
    with glymph._ctx.operation("purge") as op:
        erased = remove_for_good(op, glymph._ctx, [added.id])
    with pytest.raises(errors.OperationNotFound):
        certify(glymph._ctx, "no-such", erased)


def test_certificates_go_with_their_space_and_are_not_exported(glymph, url, clock, tmp_path):
    with Glymph.open(url, space="other", clock=clock) as other:
        purge(other._ctx, other.add(SECRET).id)
        other.export(tmp_path / "other.jsonl")
    assert "page gaps" not in (tmp_path / "other.jsonl").read_text()
    assert list_certificates(glymph._ctx) == []
    for _ in glymph._ctx.store.delete_space("other"):
        pass
    assert rows(glymph, "certificates") == []


# what is left and repeats it


def test_memories_drawn_from_it_or_quoting_it_are_listed(glymph):
    secret = glymph.add(SECRET)
    lesson = glymph.add("Keys are hidden badly", links=[(secret.id, "derived_from")])
    related = glymph.add("Ben waters the plants", links=[(secret.id, "related_to")])
    quoting = glymph.add(f"Ana says that  {SECRET.upper()}, which is odd")
    glymph.add("Zarathustra has a plank and a spare key")
    done = purge_certified(glymph._ctx, secret.id)
    assert {(one.id, one.why) for one in done.derived} == {
        (lesson.id, "rests on it"),
        (quoting.id, "quotes it"),
    }
    (pending,) = done.certificate.pending
    assert pending.name == "derived memories"
    assert quoting.id in pending.detail
    assert lesson.id in pending.detail
    assert related.id not in pending.detail


def test_a_quoting_memory_that_is_edited_later_loses_what_it_said(glymph, clock):
    secret = glymph.add(SECRET)
    quoting = glymph.add(f"Ana says that {SECRET}, which is odd")
    assert not purge_certified(glymph._ctx, secret.id).certificate.complete
    assert not complete_certificates(glymph._ctx)[0].complete
    clock.advance(days=1)
    glymph.update(quoting.id, text="Ana says odd things")
    outcome = complete_certificates(glymph._ctx)
    assert all(one.complete for one in outcome)
    assert all(one.complete for one in list_certificates(glymph._ctx)) or complete_certificates(
        glymph._ctx
    )
    assert "arathustra" not in json.dumps(rows(glymph, "journal"))
    assert glymph.get(quoting.id).text == "Ana says odd things"
    assert glymph.verify().ok


def test_former_wordings_of_others_that_repeated_it_are_found_and_go(glymph, clock):
    secret = glymph.add(SECRET)
    other = glymph.add(f"Ana told Ben: {SECRET.upper()}!")
    clock.advance(days=1)
    glymph.update(other.id, text="Ana told Ben about something")
    done = purge_certified(glymph._ctx, secret.id).certificate
    assert [one.name for one in done.pending] == ["journal"]
    assert other.id in done.pending[0].detail
    complete_certificates(glymph._ctx)
    assert list_certificates(glymph._ctx, pending=True) == []
    assert "arathustra" not in json.dumps(rows(glymph, "journal"))
    assert glymph.verify().ok


def test_former_wordings_that_only_share_words_with_it_are_named_and_stay(glymph, clock):
    secret = glymph.add(SECRET)
    other = glymph.add("Ana told Ben about Zarathustra and a plank")
    once = glymph.add("Ana has a spare umbrella")
    clock.advance(days=1)
    glymph.update(other.id, text="Ana told Ben about something")
    glymph.update(once.id, text="Ana has an umbrella")
    done = purge_certified(glymph._ctx, secret.id).certificate
    (journal,) = (one for one in done.places if one.name == "journal")
    assert (done.complete, journal.status) == (True, "clean")
    assert other.id in journal.detail
    assert once.id not in journal.detail
    assert "Zarathustra" in str(glymph.history(other.id))


def test_pages_lose_what_they_quote_whole_and_are_named_for_the_rest(glymph, clock):
    secret = glymph.add(SECRET)
    glymph.write(f"Today: {SECRET}. Buy milk.")
    glymph.write("Buy milk, ask Zarathustra about planks and a plank.", mode="append")
    done = purge_certified(glymph._ctx, secret.id).certificate
    assert glymph.page().startswith("Today: (removed by a purge). Buy milk.")
    assert [one.name for one in done.pending] == ["pages", "journal"] or "pages" in {
        o.name for o in done.pending
    }
    assert "7731" not in json.dumps(
        [rows(glymph, "pages"), [r["image"] + r["after"] for r in rows(glymph, "journal")]]
    )
    clock.advance(days=1)
    glymph.write("Buy milk.")
    complete_certificates(glymph._ctx)
    assert list_certificates(glymph._ctx, pending=True) == []
    assert "arathustra" not in json.dumps([rows(glymph, "pages"), rows(glymph, "journal")])
    assert glymph.verify().ok


def test_names_and_rules_of_clusters_are_cut_with_their_past(glymph):
    secret = glymph.add(SECRET)
    glymph.clusters.create("Zarathustra's things")
    glymph.clusters.create("Of boards", rule={"tag": "plank 7731"})
    undone = glymph.clusters.create("What Zarathustra said")
    glymph.undo(undone.operation_id)
    glymph.clusters.create("Zarathustra's past")
    dropped = glymph.clusters.delete("Zarathustra's past")
    glymph.clusters.create("Other things")
    done = purge_certified(glymph._ctx, secret.id).certificate
    assert done.complete
    assert status(done)["clusters"] == "clean"
    names = {one.name for one in glymph.clusters()}
    assert names == {"(removed by a purge)'s things", "Of boards", "Other things"}
    everything = json.dumps(
        [rows(glymph, table) for table in ("clusters", "journal", "operations")]
    )
    assert not [word for word in WORDS if word in everything.lower()]
    glymph.undo(dropped.operation_id)
    assert {one.name for one in glymph.clusters()} == names
    assert glymph.verify().ok


def test_a_conversation_named_after_it_gets_another_name(glymph):
    secret = glymph.add(SECRET).id
    kept = glymph.conversations("store")
    kept.append("Zarathustra keeps the spare key", {"role": "user", "content": "Hello."})
    kept.append("day", {"role": "user", "content": "Good morning."})
    done = purge_certified(glymph._ctx, secret, tombstone=True).certificate
    assert done.complete
    assert [one["name"] for one in rows(glymph, "conversations")] == ["day", "(removed by a purge)"]
    assert [one["content"] for one in kept.messages("(removed by a purge)")] == ["Hello."]
    assert not [word for word in WORDS if word in done.text.lower()]


def test_what_is_left_as_it_is_keeps_it_from_being_complete(glymph, clock):
    secret = glymph.add(SECRET).id
    glymph.conversations("store").append("day", {"role": "user", "content": SECRET})
    glymph.delete(secret)
    clock.advance(days=31)
    trash.empty(glymph._ctx)  # nobody asked for what it says to be gone
    (done,) = list_certificates(glymph._ctx)
    assert status(done)["conversations"] == "left"
    assert not done.complete
    assert "left as it is: conversations" in done.text
    assert list_certificates(glymph._ctx, pending=True) == []  # there is nothing more to do


def test_a_conflict_between_others_that_repeats_it_goes(glymph):
    secret, a, b = (
        glymph.add(text).id for text in (SECRET, "Ben waters the plants", "Ben waters the roses")
    )
    with glymph._ctx.operation("add") as op:
        row = {
            "reason": "Zarathustra said one of them, on the plank",
            "raised_at": op.now,
            "expires_at": op.now + 1,
        }
        op.writer.insert(
            "conflicts", [{"id": glymph._ctx.new_id(op.now), "older": a, "newer": b, **row}]
        )
    assert purge_certified(glymph._ctx, secret).certificate.complete
    assert rows(glymph, "conflicts") == []
    assert "arathustra" not in json.dumps(rows(glymph, "journal"))
    assert glymph.verify().ok


def test_what_is_said_between_the_purge_and_the_look_goes_too(glymph):
    secret = glymph.add(SECRET)
    with glymph._ctx.operation("purge") as op:
        erased = remove_for_good(op, glymph._ctx, [secret.id])
    glymph.recall("where is Zarathustra?")
    assert certify(glymph._ctx, op.intent.id, erased).complete
    assert [row["query"] for row in rows(glymph, "recalls")] == [""]
    assert glymph.verify().ok


def test_a_model_that_was_at_work_meanwhile_brings_no_vector_back(glymph):
    secret = glymph.add(SECRET)
    glymph.embed()
    with glymph._ctx.reading() as reader:
        (model,) = (row["key"] for row in reader.models())
        (vector,) = reader.vectors_of(model, [reader.memory(secret.id)["key"]])
    purge(glymph._ctx, secret.id)
    with glymph._ctx.store.writing("default", None) as writer:
        writer.add_vectors(model, [vector])
    assert rows(glymph, "vectors") == []


def test_the_reason_of_a_purge_must_not_repeat_what_goes(glymph):
    secret = glymph.add(SECRET)
    with pytest.raises(errors.InvalidInput, match="Reword it"):
        purge(glymph._ctx, secret.id, reason=f"forget that {SECRET.lower()}")
    assert glymph.get(secret.id).text == SECRET


# former wordings of a memory that stays


def rewrite(glymph, memory_id, text, **options):
    """What forgetting a part of a compound memory does.

    It is one purge that rewrites the memory and erases what it said.
    """
    with glymph._ctx.operation("purge", reason="user_requested") as op:
        say(op, memory_id, text)
        erased = erase_wordings(op, glymph._ctx, [memory_id], **options)
    return certify(glymph._ctx, op.intent.id, erased)


@pytest.fixture
def compound(glymph, clock):
    added = glymph.add(f"{SECRET}, and Ben waters the plants", tags=["home"])
    glymph.add(f"{SECRET}, and Ben waters the plants".upper())
    clock.advance(days=1)
    glymph.update(added.id, text=f"{SECRET}, and Ben waters the roses", reason="not plants")
    glymph.archive(added.id)
    glymph.restore(added.id)
    glymph.recall("where is the spare key of Zarathustra?")
    glymph.embed()
    return added.id


def test_former_wordings_go_and_the_memory_stays(glymph, compound, url):
    before = glymph.search("Zarathustra")
    assert before
    done = rewrite(glymph, compound, "Ben waters the roses", tombstone=True)
    assert done.complete
    memory = glymph.get(compound)
    assert (memory.text, memory.state, memory.tags) == ("Ben waters the roses", "LIVE", ("home",))
    assert glymph.verify().ok
    assert glymph.search("Zarathustra plank") == []
    glymph.embed()
    assert glymph.search("who waters the roses")[0].memory.id == compound
    assert glymph.add(f"{SECRET}, and Ben waters the plants").refused.startswith("tombstoned")
    glymph.close()
    content = Path(url.removeprefix("sqlite:///")).read_bytes().lower()
    assert not [word for word in WORDS if word.encode() in content]


def test_its_history_stays_without_its_words(glymph, compound):
    rewrite(glymph, compound, "Ben waters the roses")
    told = glymph.history(compound)
    assert [change.verb for change in told][-1] == "purge"
    assert {"add", "update", "archive", "restore"} <= {change.verb for change in told}
    assert not [word for word in WORDS if word in str(told).lower()]


def test_undoing_what_was_done_before_leaves_it_alone_and_what_came_after_is_undone(
    glymph, compound, clock
):
    (update,) = glymph.operations(verb="update")
    rewrite(glymph, compound, "Ben waters the roses")
    assert [r.reason for r in glymph.undo(update.id).skipped] == ["what it said then was purged"]
    clock.advance(days=1)
    later = glymph.update(compound, text="Ben waters all roses")
    glymph.undo(later.operation_id)
    assert glymph.get(compound).text == "Ben waters the roses"
    assert glymph.verify().ok


def test_it_can_be_exported_imported_rewritten_again_and_purged(
    glymph, compound, clock, url, tmp_path
):
    rewrite(glymph, compound, "Ben waters the roses")
    clock.advance(days=1)
    rewrite(glymph, compound, "Ben waters")
    assert glymph.verify().ok
    glymph.export(tmp_path / "e.jsonl")
    glymph.import_(tmp_path / "e.jsonl", space="copy")
    with Glymph.open(url, space="copy", clock=clock) as copy:
        assert copy.verify().ok
    assert purge_certified(glymph._ctx, compound, tombstone=True).certificate.complete
    assert "roses" not in json.dumps(rows(glymph, "journal"))  # the copy's are blank, too
    assert glymph.verify().ok
    glymph.import_(tmp_path / "e.jsonl", space="late")
    with Glymph.open(url, space="late", clock=clock) as late:
        assert late.verify().ok
        assert list(late.list()) == []


def test_unknown_ids_are_named(glymph):
    with glymph._ctx.operation("purge") as op:
        erase_wordings(op, glymph._ctx, ["no-such"])
    assert [r.id for r in op.failed] == ["no-such"]


def test_values_are_erased_wherever_they_are_quoted(glymph):
    added = glymph.add("Write to ana@example.org about the key", kind="note")
    glymph.add("Ana and example are words, write about org")
    glymph.recall("who is ana@example.org?")
    purge(glymph._ctx, added.id, also=["ana@example.org"])
    assert [row["query"] for row in rows(glymph, "recalls")] == [""]


def test_a_certificate_is_a_value():
    one = Certificate("x", None, (PlaceStatus("a", "clean", "b"),), True)
    with pytest.raises(AttributeError):
        one.complete = False
