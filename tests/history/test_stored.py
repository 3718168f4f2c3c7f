"""Conversations in the store: the same life as in files, and reached by all that reaches a store."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput, ModelFailed
from glymph.history.history import History
from glymph.history.shorten import AT_IT
from glymph.store.certificate import CLEAN, LEFT
from glymph.store.erase_places import CONVERSATIONS
from glymph.stores import restore_backup
from glymph.testing import ScriptedModel

SECRET = "Anna's phone number is +49 170 1234567."
NUMBER = "+49 170 1234567"
SETTINGS = {"unit": "messages", "consolidation_threshold": 6, "keep_recent_ratio": 0.34}


def user(text):
    return {"role": "user", "content": text}


def agent(text):
    return {"role": "assistant", "content": text}


def crates(count):
    return [user(f"Crate {at} with {3 * at} lamps goes to Bergen.") for at in range(count)]


@pytest.fixture
def history(glymph):
    return glymph.conversations("store", settings=SETTINGS)


def rows(glymph):
    """All that the store holds of conversations, as one text."""
    with glymph.context.store.snapshot(glymph.space) as shot:
        return "".join(str(row) for _, row in shot.rows(tables=("conversations", "messages")))


def status(certificate):
    return next(one for one in certificate.places if one.name == CONVERSATIONS)


# a life


def test_messages_are_kept_shortened_and_found_again(glymph, history):
    messages = [*crates(9), agent("All noted.")]
    history.append("s", *messages)
    built = history.build("s")
    assert built.shortened.by == "rules"
    assert (built.summarised, len(built.messages)) == (8, 2)
    assert "Bergen" in built.system
    assert history.messages("s") == messages
    assert history.search("s", "crate 3 lamps", limit=1)[0].number == 4
    assert history.summary("s")
    assert [memory.kind for memory in glymph.list(session="s")].count("session_summary") >= 1
    assert list(history.build("s").messages) == messages[8:]
    assert history.exists("s")
    assert not history.exists("t")
    assert history.session_folder("s") is None


def test_another_handle_goes_on_where_this_one_was(url, clock, glymph, history):
    history.append("s", *crates(9))
    built = history.build("s")
    with Glymph.open(url, clock=clock) as again:
        theirs = again.conversations("store", settings=SETTINGS)
        assert theirs.build("s") == history.build("s")
        theirs.append("s", agent("Fine."))
    assert len(history.build("s").messages) == len(built.messages) + 1


def test_a_model_that_fails_changes_nothing(url, clock):
    model = ScriptedModel([ModelFailed("scripted", "it says so", "Ask again.")] * 9)
    with Glymph.open(url, clock=clock, model=model) as glymph:
        history = glymph.conversations("store", settings=SETTINGS)
        history.append("s", *crates(9))
        built = history.build("s")
        assert list(built.messages) == crates(9)
        assert "it says so" in built.problems[0]


def test_who_shortens_keeps_others_out_until_it_ends_or_was_killed(glymph, history, clock):
    history.append("s", *crates(9))
    shelf = history.session("s").shelf
    with shelf.claim() as mine, shelf.claim() as yours:
        assert (mine, yours) == (True, False)
        built = history.build("s")
        assert built.problems == (AT_IT,)
        assert len(built.messages) == 9
    with glymph.context.store.writing(
        glymph.space, None
    ) as writer:  # somebody who was killed meanwhile
        key = writer.begin_conversation("s")
        assert writer.claim_conversation(key, now=1, until=2**50)
    clock.advance(minutes=11)
    assert history.build("s").problems == ()


def test_the_whole_of_a_long_conversation_is_read_page_by_page_and_its_end_alone_when_it_is_sent(
    glymph, history, monkeypatch
):
    monkeypatch.setattr("glymph.history.shelves.AT_ONCE", 7)
    history.append("s", *crates(30))
    history.consolidate("s")
    assert history.messages("s") == crates(30)
    assert history.search("s", "crate 23", limit=1)[0].number == 24
    store = glymph.context.store
    usual, read = type(store).reading, []

    def reading(space):
        context = usual(store, space)
        opened = type(context).__enter__

        class Watched:
            def __enter__(self):
                reader = opened(context)
                after = reader.messages_after
                reader.messages_after = lambda key, number, **more: (
                    read.append(number),
                    after(key, number, **more),
                )[1]
                return reader

            def __exit__(self, *told):
                return context.__exit__(*told)

        return Watched()

    monkeypatch.setattr(store, "reading", reading)
    built = history.build("s")
    assert len(built.messages) == 2
    assert read == [28]


def test_a_state_that_cannot_be_read_is_told_and_the_conversation_shown_whole(glymph, history):
    history.append("s", *crates(9))
    history.build("s")
    with glymph.context.store.writing(glymph.space, None) as writer:
        writer.keep_conversation_state(writer.begin_conversation("s"), '{"version": 99}')
    small = glymph.conversations("store")
    built = small.build("s")
    assert "cannot be read" in built.problems[0]
    assert list(built.messages) == crates(9)
    assert history.build("s").summarised == 7


def test_without_a_folder_and_without_a_store_there_is_no_place_for_it():
    with pytest.raises(InvalidInput, match="Glymph handle"):
        History(None)


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\x00b"])
def test_a_session_has_a_name_that_any_place_can_hold(history, name):
    with pytest.raises(InvalidInput):
        history.append(name, user("Hello."))


# processes


def _append(url, name, count, begun):
    with Glymph.open(url) as glymph:
        history = glymph.conversations("store")
        for at in range(count):
            history.append("s", user(f"{name} {at} a"), agent(f"{name} {at} b"))
            begun.put(at)


def started(url, name, count):
    context = multiprocessing.get_context("spawn")
    begun = context.Queue()
    process = context.Process(target=_append, args=(url, name, count, begun))
    process.start()
    return process, begun


def test_two_processes_that_append_lose_nothing_and_keep_what_belongs_together(
    url, glymph, history
):
    both = [started(url, name, 25) for name in ("left", "right")]
    for process, _ in both:
        process.join(60)
        assert process.exitcode == 0
    texts = [message["content"] for message in history.messages("s")]
    for name in ("left", "right"):
        own = [text for text in texts if text.startswith(name)]
        assert own == [f"{name} {at} {part}" for at in range(25) for part in "ab"]
    assert all(texts[at][:-1] == texts[at + 1][:-1] for at in range(0, 100, 2))


def test_a_process_that_is_killed_leaves_whole_appends(url, glymph, history):
    process, begun = started(url, "left", 10_000)
    for _ in range(5):
        begun.get(timeout=60)
    os.kill(process.pid, signal.SIGKILL)
    process.join(60)
    texts = [message["content"] for message in history.messages("s")]
    assert len(texts) >= 10
    assert texts == [f"left {at} {part}" for at in range(len(texts) // 2) for part in "ab"]
    history.append("s", user("And on."))
    assert history.messages("s")[-1] == user("And on.")


# purges


@pytest.fixture
def told(history):
    """A conversation that says it in its notes, in old turns and in new ones."""
    history.append("s", user(SECRET), agent("Noted."), *crates(8))
    history.build("s")
    history.append("s", user("Please call. The number is 0049-170-1234567, as I said. Thanks!"))
    call = {"name": "call", "arguments": json.dumps({"phone": NUMBER, "sum": 3})}
    history.append(
        "s", {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": call}]}
    )
    history.append("t", user("Nothing of it."))
    return history


def test_what_is_removed_for_good_is_gone_from_messages_and_notes(glymph, told):
    assert "1234567" in told.summary("s")
    standing, count = told.session("s").load()[0].standing, len(told.messages("s"))
    glymph.add(SECRET, kind="fact")
    done = glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert "1234567" not in rows(glymph)
    assert (status(done.certificate).status, done.certificate.complete) == (CLEAN, True)
    found = told.session("s").load()[0].standing
    assert (found.cursor, found.consolidations) == (standing.cursor, standing.consolidations)
    assert len(told.messages("s")) == count
    assert "Thanks!" in told.messages("s")[-2]["content"]
    assert told.messages("t") == [user("Nothing of it.")]
    assert told.build("s").problems == ()


def test_a_dry_run_counts_and_changes_nothing(glymph, told):
    before = rows(glymph)
    found = glymph.conversations.erase(NUMBER)
    assert (found.conversations, found.files) == (2, 0)
    assert found.messages >= 3
    assert rows(glymph) == before
    done = glymph.conversations.erase(NUMBER, apply=True)
    assert (done.messages, done.left) == (found.messages, ())
    assert glymph.conversations.erase(NUMBER).messages == 0
    assert glymph.operations(limit=1)[0].reason == "cut out of conversations"
    assert glymph.verify().ok


def test_a_purge_that_was_killed_says_that_conversations_were_not_looked_through(
    glymph, told, monkeypatch
):
    glymph.add(SECRET, kind="fact")

    def killed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("glymph.forget.forget.certify", killed)
    with pytest.raises(KeyboardInterrupt):
        glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    found = status(glymph.compact().certificates[0])
    assert (found.status, "glymph memory history erase" in found.detail) == (LEFT, True)


def test_an_older_export_does_not_bring_it_back(glymph, told, tmp_path):
    memory = glymph.add(SECRET, kind="fact")
    glymph.export(tmp_path / "old.jsonl")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert memory.id not in {one.id for one in glymph.list()}
    glymph.import_(tmp_path / "old.jsonl", space="again")
    with glymph.context.store.snapshot("again") as shot:
        texts = str(list(shot.rows(tables=("conversations", "messages"))))
    assert "Bergen" in texts
    assert SECRET not in texts


@pytest.mark.sqlite
def test_an_older_backup_does_not_bring_it_back(glymph, told, url, tmp_path):
    glymph.add(SECRET, kind="fact")
    glymph.backup(tmp_path / "old.db")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    restore_backup(tmp_path / "old.db", tmp_path / "new.db", in_use=url, apply=True)
    assert b"is +49 170 1234567" not in (tmp_path / "new.db").read_bytes()
    with Glymph.open(f"sqlite:///{tmp_path}/new.db") as again:
        assert again.conversations("store").search("s", "Bergen")
        assert again.verify().ok


def test_spaces_keep_theirs_apart_and_take_them_along(glymph, told, url, clock):
    with Glymph.open(url, space="other", clock=clock) as other:
        theirs = other.conversations("store")
        theirs.append("s", user(SECRET))
        glymph.conversations.erase(SECRET, NUMBER, apply=True)
        assert theirs.messages("s") == [user(SECRET)]
        other.rename_space("other", "moved")
        assert other.conversations("store").messages("s") == [user(SECRET)]
    glymph.delete_space("moved")
    with Glymph.open(url, space="moved", clock=clock) as anew:
        assert anew.conversations("store").messages("s") == []


# where they lie


def test_the_setting_puts_them_into_the_store(url, clock):
    with Glymph.open(url, clock=clock, settings={"history_folder": "store"}) as glymph:
        history = glymph.conversations()
        assert history.folder is None
        history.append("s", user("Hello."))
    with Glymph.open(url, clock=clock) as glymph:
        assert glymph.conversations("store").messages("s") == [user("Hello.")]


def test_where_no_folder_lies_beside_the_store_they_lie_in_it(url, glymph):
    usual = glymph.conversations().folder
    assert (usual is None) == (not url.startswith("sqlite"))


def test_a_folder_that_a_server_was_told_of_is_reached_by_a_purge(glymph, tmp_path):
    history = glymph.conversations(tmp_path / "own")
    history.append("s", user(SECRET))
    glymph.add(SECRET, kind="fact")
    glymph.forget(f"the phone {NUMBER}", mode="purge", apply=True)
    assert "1234567" not in str(history.messages("s"))
