"""Conversations in a store: a part of the store's suite."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.store.conversations import Message, Rewording
from glymph.store.store import Store
from glymph.testing.builders import intent
from glymph.testing.store_ground import A, B, StoreGround


class ConversationSuite(StoreGround):
    """The promises that a history in a store relies on."""

    def say(self, store: Store, *bodies: str, space: str = A, name: str = "s") -> int:
        with store.writing(space, None) as writer:
            key = writer.begin_conversation(name)
            writer.append_messages(key, bodies)
        return key

    def read_messages(self, store: Store, space: str = A, name: str = "s") -> list[Message]:
        with store.reading(space) as reader:
            row = reader.conversation(name)
            return [] if row is None else reader.messages_after(row["key"], 0, limit=100)

    def test_messages_are_numbered_in_each_conversation_and_stay_in_their_space(
        self, store: Store
    ) -> None:
        key = self.say(store, "{}", '{"a": 1}')
        assert self.say(store, '{"b": "ü\\u0000"}') == key
        self.say(store, '{"theirs": 1}', space=B)
        self.say(store, '{"other": 1}', name="t")
        assert self.read_messages(store) == [(1, "{}"), (2, '{"a": 1}'), (3, '{"b": "ü\\u0000"}')]
        assert self.read_messages(store, B) == [(1, '{"theirs": 1}')]
        with store.reading(A) as reader:
            assert reader.messages_after(key, 1, limit=1) == [(2, '{"a": 1}')]
            assert reader.newest_message(key) == (3, '{"b": "ü\\u0000"}')
            assert reader.newest_message(10**6) is None
            listed = [(row["name"], row["state"]) for row in reader.conversations(limit=9)]
            assert listed == [("s", "{}"), ("t", "{}")]
            assert [row["name"] for row in reader.conversations(after="s", limit=9)] == ["t"]
            assert [len(reader.conversations(limit=limit)) for limit in (1, 2)] == [1, 2]
        with store.reading(B) as reader:
            assert reader.messages_after(key, 0, limit=9) in (
                [],
                [(1, '{"theirs": 1}')],
            )  # keys may be a space's

    def test_what_is_written_and_where_it_stands_come_together_or_not_at_all(
        self, store: Store
    ) -> None:
        key = self.say(store, "{}")
        with pytest.raises(ZeroDivisionError), store.writing(A, None) as writer:
            writer.append_messages(key, ["{}"])
            writer.keep_conversation_state(key, '{"at": 1}')
            raise ZeroDivisionError
        assert len(self.read_messages(store)) == 1
        with store.writing(A, None) as writer:
            writer.keep_conversation_state(key, '{"at": 2}')
        with store.reading(A) as reader:
            assert (reader.conversation("s") or {})["state"] == '{"at": 2}'

    def test_a_message_is_changed_or_removed_by_a_purge_alone(self, store: Store) -> None:
        key = self.say(store, '{"a": 1}', '{"b": 1}')
        anew = [Rewording(1, '{"a": 1}', '{"a": 0}'), Rewording(2, "something else", '{"b": 0}')]
        for verb in (None, "update"):
            meant = [None if verb is None else intent(verb) for _ in range(2)]
            with (
                pytest.raises(errors.Refused, match="never changed"),
                store.writing(A, meant[0]) as writer,
            ):
                writer.reword_messages(key, anew)
            with (
                pytest.raises(errors.Refused, match="never deleted"),
                store.writing(A, meant[1]) as writer,
            ):
                writer.remove_conversation(key)
        with store.writing(A, intent("purge")) as writer:
            writer.reword_messages(key, anew)
        assert [body for _, body in self.read_messages(store)] == ['{"a": 0}', '{"b": 1}']
        with store.writing(A, intent("purge")) as writer:
            writer.remove_conversation(key)
        assert self.read_messages(store) == []
        with store.reading(A) as reader:
            assert reader.conversation("s") is None

    def test_a_message_belongs_to_a_conversation_of_its_space(self, store: Store) -> None:
        with pytest.raises(errors.Isolated), store.writing(B, None) as writer:
            writer.append_messages(10**6, ["{}"])

    def test_one_at_a_time_may_shorten_a_conversation(self, store: Store) -> None:
        key = self.say(store, "{}")

        def claim(now: int, until: int) -> bool:
            with store.writing(A, None) as writer:
                return writer.claim_conversation(key, now=now, until=until)

        assert claim(10, 20)
        assert not claim(15, 25)
        assert claim(20, 30), "the claim before has ended"
        assert not claim(19, 29), "a clock that is a little behind"
        assert claim(1, 11), "a clock was set back"
        with store.writing(A, None) as writer:
            writer.give_back_conversation(key, until=30)  # another's by now
        assert not claim(5, 15)
        with store.writing(A, None) as writer:
            assert writer.claimed_until(key) == 11
            writer.give_back_conversation(key, until=11)
        assert claim(5, 15)
        with store.writing(A, None) as writer:
            writer.revoke_claims()
            assert writer.claimed_until(key) == 0

    def test_folders_are_noted_once_and_for_a_space(self, store: Store) -> None:
        for path, owner in (("/b", "x"), ("/a", "x"), ("/b", "x"), ("/b", "y")):
            with store.writing(A, None) as writer:
                writer.note_folder(path, owner)
        with store.reading(A) as ours, store.reading(B) as theirs:
            assert ours.folders() == [("/b", "x"), ("/a", "x"), ("/b", "y")]
            assert theirs.folders() == []

    def test_conversations_go_along_with_a_load_and_end_with_their_space(
        self, store: Store
    ) -> None:
        self.say(store, "{}", space=B)  # so that keys differ
        key = self.say(store, '{"a": 1}', '{"b": 2}')
        with store.writing(A, None) as writer:
            writer.keep_conversation_state(key, '{"at": 1}')
            writer.note_folder("/a", "x")
        rows = list(store.dump(A))
        highest: dict[str, int] = {}
        for table, row in rows:
            if table != "journal":
                highest[table] = max(highest.get(table, 0), row["key"])
        list(store.load("copy", iter(rows), highest=highest, chunk=3))
        list(store.delete_space(A))
        assert self.read_messages(store, "copy") == [(1, '{"a": 1}'), (2, '{"b": 2}')]
        self.say(store, '{"c": 3}', space="copy")
        assert [number for number, _ in self.read_messages(store, "copy")] == [1, 2, 3]
        with store.reading("copy") as reader:
            assert (reader.conversation("s") or {})["state"] == '{"at": 1}'
            assert reader.folders() == [("/a", "x")]
        assert store.check() == []
