"""The obligations of the store contract that recall rests on. `StoreSuite` includes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from glymph import errors
from glymph.store.contract import Filter
from glymph.store.journal import Restoration
from glymph.store.mirror import Mirror
from glymph.store.store import Store
from glymph.testing.builders import intent
from glymph.testing.images import logical_image
from glymph.testing.store_ground import A, B, StoreGround
from glymph.text.query import Words


class RecallSuite(StoreGround):
    """Words, neighbours, links, changes and vectors, as a search asks a store for them."""

    # words

    def test_words_are_matched_in_any_form_and_the_better_match_comes_first(
        self, store: Store
    ) -> None:
        both = self.add(store, text="the trading reports are due")
        one = self.add(
            store, text="a report about something else, with many words that dilute what it says"
        )
        self.add(store, text="nothing of the kind")
        with store.reading(A) as reader:
            found = reader.match(Words(("trade", "REPORT")), Filter(), limit=9)
            assert [key for key, _ in found] == [both["key"], one["key"]]
            assert found[0][1] > found[1][1] > 0
            assert reader.match(Words(("trade", "REPORT")), Filter(), limit=1) == found[:1]
            assert reader.match(Words(()), Filter(), limit=9) == []

    def test_any_word_is_safe_to_ask_for(self, store: Store) -> None:
        self.add(store, text="plain words")
        odd = (
            "AND",
            "NEAR",
            '"',
            "a*b",
            "x'y",
            "日本",
            "ß",
            "-",
            "title:x",
            "%",
            "_",
            "\\",
            ":*",
            "a & b",
            "!",
            "<->",
        )
        with store.reading(A) as reader:
            for word in odd:
                assert reader.match(Words((word,)), Filter(), limit=9) == []
                assert reader.match_among([], Words((word,)), limit=9) == []
                assert reader.frequency(word) == 0.0
            assert reader.match(
                Words((*odd, "plain"), (("plain", '"'), ("AND", "NEAR"))), Filter(), limit=9
            )

    def test_two_words_that_stand_close_count_more_than_far_apart(self, store: Store) -> None:
        filler = " ".join(f"w{n}" for n in range(30))
        apart = self.add(store, text=f"red {filler} car")
        close = self.add(store, text=f"red car {filler}")
        with store.reading(A) as reader:
            found = reader.match(Words(("red", "car"), (("red", "car"),)), Filter(), limit=9)
        assert [key for key, _ in found] == [close["key"], apart["key"]]

    def test_tags_entities_titles_and_days_are_words_too(self, store: Store) -> None:
        row = self.add(
            store, text="plain", title="Heading", tags=json.dumps(["tagged"]),
            entities=json.dumps(["Nate"]),
            event_at=1_683_547_200_000_000,
        )  # fmt: skip
        with store.reading(A) as reader:
            for word in ("heading", "tagged", "nate", "May", "2023", "8"):
                assert [key for key, _ in reader.match(Words((word,)), Filter(), limit=9)] == [
                    row["key"]
                ]
                assert [key for key, _ in reader.match_among([row], Words((word,)), limit=9)] == [
                    row["key"]
                ]

    def test_only_memories_of_the_space_that_pass_the_filter_match(self, store: Store) -> None:
        ours, hidden, _ = (self.add(store, space, text="shared word") for space in (A, A, B))
        with store.writing(A, intent("archive")) as writer:
            writer.set_state([hidden["key"]], state="ARCHIVED", at=1, by="archive")
        with store.reading(A) as reader:
            assert [key for key, _ in reader.match(Words(("shared",)), Filter(), limit=9)] == [
                ours["key"]
            ]
            without = Filter(states=("LIVE", "ARCHIVED"), without=[ours["key"]])
            assert [key for key, _ in reader.match(Words(("shared",)), without, limit=9)] == [
                hidden["key"]
            ]

    def test_any_of_many_phrases_is_held_by_the_oldest_first(self, store: Store) -> None:
        one = self.add(store, text="the ticket TKT 4711 waits")
        two = self.add(store, text="it is 4711, said Mira")
        self.add(store, text="the number 4712")
        self.add(store, B, text="the ticket TKT 4711")
        with store.reading(A) as reader:
            asked = ["TKT 4711", "4711", "four seven one one", "?!"]
            assert reader.hold(asked, Filter(), limit=9) == [one["key"], two["key"]]
            assert reader.hold(asked, Filter(), limit=1) == [one["key"]]
            assert reader.hold(["TKT 4711"], Filter(), limit=9) == [one["key"]]
            assert reader.hold(["TKT 4711"], Filter(kinds=["lesson"]), limit=9) == []
            assert reader.hold(["nobody said this"], Filter(), limit=9) == []
            assert reader.hold([], Filter(), limit=9) == []

    def test_given_rows_are_matched_as_they_are_given_and_nothing_else(self, store: Store) -> None:
        row = self.add(store, text="what is stored")
        other = self.add(store, text="what was said")
        past = {**row, "text": "what was said before", "title": "t"}
        before = logical_image(store, A)
        with store.reading(A) as reader:
            assert [key for key, _ in reader.match_among([past], Words(("said",)), limit=9)] == [
                row["key"]
            ]
            assert reader.match_among([past], Words(("stored",)), limit=9) == []
            found = reader.match_among([past, other], Words(("said", "before")), limit=9)
            assert [key for key, _ in found] == [row["key"], other["key"]]
            assert reader.match_among([past], Words(()), limit=9) == []
        assert logical_image(store, A) == before

    def test_pieces_are_held_anywhere_in_a_memory(self, store: Store) -> None:
        whole = self.add(store, text="私は東京タワーに住む")
        half = self.add(store, text="a note", title="東京")
        self.add(store, B, text="東京タワー")
        with store.reading(A) as reader:
            found = reader.match_pieces(["東京", "タワ"], Filter(), limit=9)
            assert found == [(whole["key"], 1.0), (half["key"], 0.5)]
            assert reader.match_pieces(["東京", "タワ"], Filter(), limit=1) == found[:1]
            assert reader.match_pieces(["%", "_", "'"], Filter(), limit=9) == []
            assert reader.match_pieces(["東京"], Filter(kinds=["lesson"]), limit=9) == []

    def test_the_frequency_of_a_word_is_about_its_share_of_the_texts(self, store: Store) -> None:
        for number in range(40):
            self.add(store, text="common rare" if number == 0 else "common")
        with store.reading(A) as reader:
            assert reader.frequency("common") > 0.5
            assert 0 < reader.frequency("rare") < 0.1
            assert reader.frequency("absent") == 0.0
            assert 0.2 < reader.frequency("common", most=0.2) < 0.5  # counted no further
            assert reader.frequency("rare", most=0.2) == reader.frequency("rare")

    def test_neighbours_are_those_of_the_same_session_and_space(self, store: Store) -> None:
        a, b = self.add(store, session="s"), self.add(store, session="s")
        self.add(store, session="t"), self.add(store, B, session="s"), self.add(store)
        c = self.add(store, session="s")
        alone = self.add(store)
        keys = [row["key"] for row in (a, b, c, alone)]
        none = (None, None)
        assert self.beside(store, keys) == [
            (None, b["key"]), (a["key"], c["key"]), (b["key"], None), none,
        ]  # fmt: skip
        assert self.beside(store, []) == []
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [b["key"]])
        without = [keys[0], *keys[2:]]
        assert self.beside(store, without) == [(None, c["key"]), (a["key"], None), none]

    def beside(self, store: Store, keys: list[int]) -> list[tuple[int | None, int | None]]:
        """The keys before and after each of these in its session, as a mirror tells them."""
        with store.reading(A) as reader:
            shown = Mirror(None).refresh(reader)
        assert shown is not None
        told = shown.find_in_sessions(shown.slots(keys).tolist())
        key_of = [*shown["key"].tolist(), None]  # the last for -1
        sides = (side.tolist() for side in shown.find_beside(told))
        found = dict(zip(told.tolist(), zip(*sides, strict=True), strict=True))
        both = [found.get(slot, (-1, -1)) for slot in shown.slots(keys).tolist()]
        return [(key_of[before], key_of[after]) for before, after in both]

    def test_links_touching_memories_are_given_once_with_what_fading_needs(
        self, store: Store
    ) -> None:
        a, b, c = self.add(store), self.add(store), self.add(store)
        self.connect(store, a, b)
        self.connect(store, c, a)
        with store.reading(A) as reader:
            found = reader.edges_touching([a["key"], b["key"]])
            assert sorted(found) == sorted(
                [
                    (a["key"], b["key"], "related_to", 0.5, 1, None),
                    (c["key"], a["key"], "related_to", 0.5, 1, None),
                ]
            )
            assert reader.edges_touching([]) == []
        with store.reading(B) as reader:
            assert reader.edges_touching([a["key"], b["key"]]) == []

    # what a mirror keeps up with

    def test_a_mirror_learns_which_memories_changed_since_an_operation(self, store: Store) -> None:
        a, b = self.add(store), self.add(store)
        with store.reading(A) as reader:
            start = reader.newest_change()
            assert reader.changed_rows("memories", start) == []
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {a["key"]: {"title": "changed"}})
        self.add(store, B)
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [b["key"]])
        with store.reading(A) as reader:
            assert reader.newest_change() > start
            assert sorted(reader.changed_rows("memories", start)) == [a["key"], b["key"]]
            assert reader.changed_rows("memories", reader.newest_change()) == []

    def test_mirrored_rows_say_what_the_filter_asks_about_in_the_order_of_keys(
        self, store: Store
    ) -> None:
        a = self.add(store, tags=json.dumps(["x"]), session="s", expires_at=9, event_at=5)
        b = self.add(store, kind="lesson", superseded_by=a["id"], entities=json.dumps(["Nate"]))
        self.add(store, B)
        with store.reading(A) as reader:
            identity = reader.identity()["key"]
            rows = [tuple(row) for row in reader.mirror_rows([b["key"], identity, a["key"], 10**9])]
            assert [row[0] for row in rows] == [identity, a["key"], b["key"]]
            assert rows[1] == (
                a["key"],
                "LIVE KNOWLEDGE 0 note",
                5,
                9,
                "s",
                '["x"]',
                None,
                a["content_hash"][:16],
                len(a["text"].encode()),
            )
            assert rows[2][1:3] == ("LIVE KNOWLEDGE 1 lesson", b["created_at"])
            assert rows[2][3:-1] == (None, None, None, '["Nate"]', b["content_hash"][:16])
            columns = [row for page in reader.mirror_columns() for row in zip(*page, strict=True)]
            assert columns == rows

    # vectors

    def embed(
        self, store: Store, rows: list[dict[str, Any]], values: list[bytes], space: str = A
    ) -> int:
        """Keeps vectors of a model of two dimensions; gives back its key."""
        with store.writing(space, None) as writer:
            model = writer.add_model("m", 2, at=1)
            kept = [(row["key"], bytes.fromhex(row["content_hash"][:16])) for row in rows]
            writer.add_vectors(
                model, [(*place, value) for place, value in zip(kept, values, strict=True)]
            )
            return model

    def test_a_model_is_one_name_and_dimension_of_one_space(self, store: Store) -> None:
        with store.writing(A, None) as writer:
            keys = [
                writer.add_model(name, size, at=1)
                for name, size in (("m", 2), ("m", 3), ("n", 2), ("m", 2))
            ]
            assert keys[0] == keys[3]
            assert len(set(keys)) == 3
        with store.reading(A) as reader:
            assert reader.model_key("m", 3) == keys[1]
            assert [(row["name"], row["dimension"], row["vectors"]) for row in reader.models()] == [
                ("m", 2, 0), ("m", 3, 0), ("n", 2, 0),
            ]  # fmt: skip
        with store.reading(B) as reader:
            assert reader.model_key("m", 2) is None
            assert reader.models() == []

    def test_a_vector_is_kept_as_it_was_first_given(self, store: Store) -> None:
        rows = [self.add(store), self.add(store)]
        model = self.embed(store, rows, [b"abcd", b"\0\xff\0\xff"])
        self.embed(store, rows[:1], [b"zzzz"])
        with store.reading(A) as reader:
            words = [bytes.fromhex(row["content_hash"][:16]) for row in rows]
            first, second = (
                (rows[0]["key"], words[0], b"abcd"),
                (rows[1]["key"], words[1], b"\0\xff\0\xff"),
            )
            assert sorted(map(tuple, reader.vectors_of(model, [row["key"] for row in rows]))) == [
                first,
                second,
            ]
            assert [tuple(row) for row in reader.vectors_after(model, 0, limit=1)] == [first]
            assert [tuple(row) for row in reader.vectors_after(model, rows[0]["key"], limit=9)] == [
                second
            ]
            assert reader.vectors_of(model, []) == []

    def test_new_vectors_are_told_from_those_a_mirror_has(self, store: Store) -> None:
        rows = [self.add(store), self.add(store)]
        model = self.embed(store, rows[:1], [b"abcd"])
        with store.reading(A) as reader:
            newest = reader.newest_vector()
            assert reader.vectors_between(model, newest, newest + 100) == ([], b"", b"")
        theirs = self.add(store, B)
        self.embed(store, [theirs], [b"wxyz"], B)
        self.embed(store, rows[1:], [b"e\0\0h"])
        with store.reading(A) as reader:
            assert reader.newest_vector() > newest
            assert reader.vectors_between(model, newest, newest + 100) == (
                [rows[1]["key"]],
                bytes.fromhex(rows[1]["content_hash"][:16]),
                b"e\0\0h",
            )
            assert reader.vectors_of(model, [theirs["key"]]) == []

    def test_a_vector_belongs_to_a_memory_and_a_model_of_its_own_space(self, store: Store) -> None:
        ours, theirs = self.add(store), self.add(store, B)
        model, other = (
            self.embed(store, [ours], [b"abcd"]),
            self.embed(store, [theirs], [b"wxyz"], B),
        )
        for key, memory in ((model, theirs), (other, ours)):
            with pytest.raises(errors.Isolated), store.writing(A, None) as writer:
                writer.add_vectors(key, [(memory["key"], b"12345678", b"abcd")])
        assert store.check() == []

    def test_a_vector_outlives_its_wording_and_its_memory(self, store: Store) -> None:
        row = self.add(store)
        model = self.embed(store, [row], [b"abcd"])
        before = logical_image(store, A)
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"content_hash": "f" * 64}})
        assert not any(table == "vectors" for table, _ in logical_image(store, A))
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [row["key"]])
        with store.writing(A, intent("undo")) as writer:
            writer.put_back(
                [Restoration("memories", row["key"], False, before["memories", row["key"]])]
            )
        assert logical_image(store, A) == before
        with store.reading(A) as reader:
            assert len(reader.vectors_of(model, [row["key"]])) == 1
        assert store.check() == []

    def test_what_waits_for_a_vector_is_told_newest_first(self, store: Store) -> None:
        rows = [self.add(store) for _ in range(4)]
        model = self.embed(store, rows[1:2], [b"abcd"])
        with store.writing(A, intent("archive")) as writer:
            writer.set_state([rows[2]["key"]], state="ARCHIVED", at=1, by="archive")
        with store.reading(A) as reader:

            def find_waiting(state: str = "LIVE", before: int = 2**62, limit: int = 9) -> list[int]:
                return [
                    row["key"]
                    for row in reader.find_unembedded(
                        model, state=state, before=before, limit=limit
                    )
                ]

            assert find_waiting() == [rows[3]["key"], rows[0]["key"]]
            assert find_waiting(limit=1) == [rows[3]["key"]]
            assert find_waiting(before=rows[3]["key"]) == [rows[0]["key"]]
            assert find_waiting("ARCHIVED") == [rows[2]["key"]]
            assert (reader.count_unembedded(model), reader.count_unembedded(None)) == (2, 3)

    def test_a_model_is_forgotten_in_portions_and_goes_with_its_last_vector(
        self, store: Store
    ) -> None:
        rows = [self.add(store) for _ in range(3)]
        model = self.embed(store, rows, [b"abcd"] * 3)
        theirs = self.embed(store, [self.add(store, B)], [b"wxyz"], B)
        for gone in (2, 1):
            with store.writing(A, None) as writer:
                assert writer.forget_model(model, limit=2) == gone
        with store.reading(A) as reader:
            assert reader.model_key("m", 2) is None
        with store.reading(B) as reader:
            assert reader.models()[0]["vectors"] == 1
            assert reader.model_key("m", 2) == theirs

    def test_vectors_move_with_their_space_and_go_with_it(self, store: Store) -> None:
        rows = [self.add(store), self.add(store)]
        self.embed(store, rows, [b"abcd", b"\0\xff\0\xff"])
        dumped = list(store.dump(A))
        highest = {"memories": rows[1]["key"], "operations": 99, "models": 9, "vectors": 9}
        for _ in store.load("copy", iter(dumped), highest=highest, chunk=3):
            pass
        assert list(store.dump("copy")) == dumped
        with store.reading("copy") as reader:
            model = reader.model_key("m", 2)
            assert model is not None
            assert sorted(row[2] for row in reader.vectors_after(model, 0, limit=9)) == [
                b"\0\xff\0\xff",
                b"abcd",
            ]
        for _ in store.delete_space("copy"):
            pass
        assert store.check() == []
        assert list(store.dump(A)) == dumped
