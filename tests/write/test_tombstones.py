"""Tombstones: what was removed for good is known again however it is worded.

Here only, and only with the key.
"""

from __future__ import annotations

import base64
import json
import shutil
import threading
import unicodedata
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.store.keyring import KEY_BYTES, Keyring
from glymph.stores import restore_backup
from glymph.testing import FrozenClock, logical_image
from glymph.write import tombstone_forms, tombstones

FACT = "Ana's number is +1 (555) 010-99"


def bury(glymph, *texts):
    with glymph._ctx.operation("forget") as op:
        tombstones.bury(op, glymph._ctx, texts)
    return glymph._ctx.receipt(op)


def is_buried(glymph, *texts):
    with glymph._ctx.reading() as reader:
        return tombstones.match_tombstones(glymph._ctx, reader, texts)


def keys_of(glymph):
    return glymph._ctx.store.keyring.folder


# what is known again

PEOPLE = ("Ana", "José Núñez", "Zoë", "Łukasz", "Иван", "李雷")
WRITINGS = (
    ("+1 (555) 010-99", "+155501099"),
    ("alice@acme.io", "Alice (at) ACME dot io"),
    ("2023-05-08", "8 May 2023"),
    ("15:00", "3 pm"),
    ("1,234.50 EUR", "€1234.50"),
    ("TKT-4200", "tkt 4200"),
    ("42", "42"),
)
OTHERS = ("+155501098", "alice@acme.com", "9 May 2023", "4 pm", "€1234.60", "tkt 4300", "43")
PATTERNS = ("{} wrote down {}", "the note of {} says: {}", "{} does not want {} kept")


@st.composite
def spacing(draw):
    return draw(st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", " \r\n "]))


@st.composite
def reworded(draw, text):
    """The text with other case, spaces, marks around its words and Unicode form."""
    text = draw(st.sampled_from([str, str.upper, str.lower, str.title]))(text)
    text = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])), text)
    text = (
        draw(st.sampled_from(["", '"', "* ", "(", "… "]))
        + text
        + draw(st.sampled_from(["", ".", "!", '"', " …"]))
    )
    return draw(st.sampled_from(["", " ", "\n"])) + text.replace(" ", draw(spacing()))


@pytest.fixture(scope="module")
def graveyard(tmp_path_factory):
    """A store in which every pattern of every person and thing is buried, in its first writing."""
    url = f"sqlite:///{tmp_path_factory.mktemp('graves')}/memory.db"
    with Glymph.open(url, clock=FrozenClock(), embedder="none") as glymph:
        bury(
            glymph, *(p.format(who, one) for p in PATTERNS for who in PEOPLE for one, _ in WRITINGS)
        )
        yield glymph


FACTS = st.tuples(st.sampled_from(PATTERNS), st.sampled_from(PEOPLE))


@given(FACTS, st.sampled_from(PEOPLE), st.data())
def test_case_spacing_punctuation_and_unicode_form_change_nothing(graveyard, fact, who, data):
    pattern, _ = fact
    assert is_buried(graveyard, data.draw(reworded(pattern.format(who, "42")))) == [True]


@given(FACTS, st.sampled_from(WRITINGS))
def test_the_writing_of_an_identifier_changes_nothing(graveyard, fact, writing):
    pattern, who = fact
    assert is_buried(graveyard, *(pattern.format(who, one) for one in writing)) == [True, True]


@given(FACTS, st.sampled_from(OTHERS), st.data())
def test_another_number_is_another_fact(graveyard, fact, other, data):
    pattern, who = fact
    assert is_buried(graveyard, data.draw(reworded(pattern.format(who, other)))) == [False]


@given(
    st.sampled_from(PATTERNS),
    st.sampled_from(["Anna", "José Nunes", "Zora", "Lukas", "Иванна", "李梅"]),
)
def test_another_name_is_another_fact(graveyard, pattern, who):
    assert is_buried(graveyard, *(pattern.format(who, one) for one, _ in WRITINGS)) == [
        False
    ] * len(WRITINGS)


def test_the_contrary_and_a_part_are_other_facts(graveyard):
    assert is_buried(graveyard, "Ana does want 42 kept", "Ana wrote down", "42", "Ana wrote down 42 today") == [
        False, False, False, False,
    ]  # fmt: skip


def test_bare_punctuation_stands_for_itself_only(glymph):
    bury(glymph, "?!")
    assert is_buried(glymph, " ?!\n", "...", "!?") == [True, False, False]


IDENTIFIERS = (
    "jane.doe@kestrel-labs.example", "+1 (555) 010-9934", "DE89 3704 0044 0532 0130 00",
    "4111 1111 1111 1111", "TKT-48213", "https://kestrel-labs.example/u/Jane",
    "9f1c2d3e-4b5a-4678-9abc-def012345678", "B-KL 4821", "00:1A:2B:3C:4D:5E",
)  # fmt: skip
ENCODED = (
    lambda said: base64.b64encode(said.encode()).decode(),
    lambda said: base64.b64encode(base64.b64encode(said.encode())).decode(),
    lambda said: said.encode().hex(),
    lambda said: said.encode().hex(" ").upper(),
    lambda said: "".join(f"%{byte:02X}" for byte in said.encode()),
    lambda said: "".join(f"&#{ord(one)};" for one in said),
    lambda said: said[::-1],
    lambda said: said.swapcase(),
    lambda said: " ".join(said.replace(" ", "")),
)


@pytest.fixture
def names_removed(glymph):
    """A store from which statements with each of the identifiers were removed for good."""
    for one in IDENTIFIERS:
        glymph.add(f"Jane Doe has {one}.")
        glymph.forget(one, mode="purge", apply=True)
    return glymph


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_purged_identifier_stays_out_in_every_encoding(names_removed, identifier):
    for encode in ENCODED:
        for around in ("Ask for {} there.", "note={} and no more"):
            text = around.format(encode(identifier))
            assert names_removed.add(text).refused == tombstones.TOMBSTONED, text


SAID = (
    "ab dash 4471", "AB  dash  4471", "alpha bravo 4471", "alfa-bravo 4471", "AB-four four seven one",
    "alpha bravo four four seven one", "AB dash double four seven one",
)  # fmt: skip


@pytest.mark.parametrize(
    ("identifier", "written"),
    [("zq4471.io", "zq4471[.]io"), ("zq4471.io", "zq4471 (dot) io"), ("zq4471.io", "ZQ4471 dot io"),
     ("https://zq4471.io/login", "hxxps://zq4471[.]io/login"), ("vera.holm@acme.com", "ⓥⓔⓡⓐ.holm@acme.com"),
     ("vera.holm@acme.com", "🅥🅔🅡🅐.🄷🄾🄻🄼@acme.com"), ("vera.holm@acme.com", "vera.holm+news@acme.com"),
     ("+49 170 5559341", "0170 triple five 9341"),
     *(("AB-4471", said) for said in SAID)],
)  # fmt: skip
def test_a_purged_address_stays_out_however_it_is_hidden(glymph, identifier, written):
    glymph.add(f"The roofer has {identifier}.")
    glymph.forget(identifier, mode="purge", apply=True)
    assert glymph.add(f"Ask {written} about slate").refused == tombstones.TOMBSTONED


@pytest.mark.parametrize(
    "text",
    ["A dash of salt, 4471 grains of it", "Alpha and bravo left at 4471", "AB-four is room 4471",
     "Plaka AB-SIFIR BIR IKI", "KOD: BİR IKI SIFIR SIFIR tamam", "ask AB-fıve four four seven"],
)  # fmt: skip
def test_what_only_sounds_like_a_purged_code_comes_in(glymph, text):
    glymph.add("The roofer has AB-4471.")
    glymph.forget("AB-4471", mode="purge", apply=True)
    assert glymph.add(text).refused is None


@pytest.mark.parametrize("said", SAID)
def test_a_purge_finds_a_code_as_it_is_said(glymph, said):
    own = glymph.add(f"The ticket {said} is closed.").id
    plan = glymph.forget("AB-4471", mode="purge")
    assert [action.id for action in plan.actions] == [own]


def test_one_letter_is_not_spelt_it_may_be_a_name(glymph):
    glymph.add("Mike 20481 is his locker tag.")
    assert glymph.forget("M-20481", mode="purge").actions == ()


def test_an_address_with_a_tag_is_buried_alone(glymph):
    glymph.add("The list goes to vera.holm+news@acme.com.")
    glymph.forget("vera.holm+news@acme.com", mode="purge", apply=True)
    assert glymph.add("Vera reads vera.holm@acme.com").refused is None


def test_a_purged_statement_stays_out_encoded(glymph):
    bury(glymph, FACT)
    for encode in ENCODED[:6]:
        assert is_buried(glymph, encode(FACT)) == [True]


def test_other_identifiers_come_in_encoded(names_removed):
    others = ("john@kestrel-labs.example", "+1 (555) 010-9935", "TKT-48214", "4899-010-555")
    for one in others:
        for encode in ENCODED:
            assert is_buried(names_removed, f"Ask for {encode(one)} there.") == [False]


def test_a_few_figures_backwards_are_another_number(glymph):
    glymph.add("The door opens with 4821.")
    glymph.forget("4821", mode="purge", apply=True)
    assert is_buried(glymph, "The door opens with 1284.", "The train leaves from 1284") == [
        False, False,
    ]  # fmt: skip


@pytest.mark.sqlite  # it restores a file
def test_an_update_an_import_and_a_restore_read_encodings_too(glymph, url, clock, tmp_path):
    said = [f"The heron is {encode(IDENTIFIERS[0])}." for encode in ENCODED]
    memory = glymph.add("The newt is asleep.").id
    glymph.add_many(said)
    glymph.backup(tmp_path / "backup.db")
    glymph.export(tmp_path / "before.jsonl")
    with glymph._ctx.operation("forget") as op:
        tombstones.bury(op, glymph._ctx, [], [IDENTIFIERS[0]])
    with pytest.raises(errors.Refused, match="tombstoned"):
        glymph.update(memory, text=said[0])
    glymph.import_(tmp_path / "before.jsonl", space="copy")
    with Glymph.open(url, space="copy", clock=clock) as copy:
        assert [one.text for one in copy.list()] == ["The newt is asleep."]
        assert copy.verify().ok
    restore_backup(tmp_path / "backup.db", tmp_path / "back.db", in_use=url, clock=clock)
    with Glymph.open(f"sqlite:///{tmp_path}/back.db", clock=clock) as back:
        assert [one.text for one in back.list()] == ["The newt is asleep."]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
def test_the_first_turn_of_a_circle_is_found(ring):
    first = tombstone_forms._find_first(ring)
    assert ring[first:] + ring[:first] == min(ring[at:] + ring[:at] for at in range(len(ring)))


@pytest.mark.parametrize("unit", ["S3 ", "é ", "\\x41", "Q/"])
def test_marks_take_no_more_looks_where_there_is_more_text(unit, monkeypatch):
    """A text ten times as long is looked at ten times as long: no piece is read again."""
    looked = []
    real = tombstone_forms.RUN

    class Counting:
        def finditer(self, text):
            looked.append(len(text))
            return real.finditer(text)

        def findall(self, text):
            looked.append(len(text))
            return real.findall(text)

    monkeypatch.setattr(tombstone_forms, "RUN", Counting())
    spent = []
    for size in (1_000, 10_000):
        looked.clear()
        tombstones.list_marks(b"k" * KEY_BYTES, (unit * size)[:size])
        spent.append(sum(looked))
    assert spent[1] <= 15 * spent[0]


# where they count


def test_tombstones_of_another_space_never_count(glymph, url, clock):
    with Glymph.open(url, space="other", clock=clock) as other:
        bury(other, FACT)
        assert is_buried(other, FACT) == [True]
        assert is_buried(glymph, FACT) == [False]
        bury(glymph, FACT)
        (mine,), (theirs,) = rows(glymph, other)
        assert mine["fingerprint"] != theirs["fingerprint"]  # each has a key of its own
        assert other.tombstones.lift(glymph.tombstones()[0].number).failed
        assert glymph.tombstones.lift(all=True).succeeded
        assert is_buried(other, FACT) == [True]


def rows(*handles):
    return [
        [row for table, row in h._ctx.store.dump(h.space) if table == "tombstones"] for h in handles
    ]


def test_without_tombstones_no_key_is_read_or_made(glymph, monkeypatch):
    monkeypatch.setattr(Keyring, "get", lambda *_: pytest.fail("the key was read"))
    assert is_buried(glymph, FACT, "more") == [False, False]
    assert is_buried(glymph) == []
    assert glymph.tombstones(text=FACT) == ()
    assert not keys_of(glymph).exists()


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_they_are_found_by_index(glymph, url):
    bury(glymph, FACT)
    connection = apsw.Connection(url.removeprefix("sqlite:///"))
    for condition in ("", " AND fingerprint IN (SELECT value FROM json_each('[\"f\"]'))"):
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN SELECT 1 FROM tombstones WHERE space_id = 1{condition}"
        )
        assert "USING COVERING INDEX tombstones_by_fingerprint" in str(plan.fetchall())
    connection.close()


# burying, lifting and the way back


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_a_tombstone_tells_when_and_by_what_and_never_what(glymph, url, clock, tmp_path):
    receipt = bury(glymph, FACT)
    bury(glymph, FACT.upper())
    found = glymph.tombstones()
    assert {(one.created_at, one.operation) for one in found} == {(clock.now, receipt.operation_id)}
    glymph.export(tmp_path / "e.jsonl")
    for file in (Path(url.removeprefix("sqlite:///")), tmp_path / "e.jsonl"):
        assert b"(555) 010" not in file.read_bytes()
        assert b"55501099" not in file.read_bytes()
        assert b"Ana" not in file.read_bytes()
        assert keyring_key(glymph).hex().encode() not in file.read_bytes()
    assert glymph.verify().ok


def keyring_key(glymph):
    (file,) = keys_of(glymph).iterdir()
    return glymph._ctx.store.keyring.get(file.name)


def test_undo_takes_a_burial_back(glymph):
    before = logical_image(glymph._ctx.store, "default")
    receipt = bury(glymph, FACT, "another")
    undone = glymph.undo(receipt.operation_id)
    assert [name.split()[0] for name in undone.succeeded] == ["tombstone"] * 2
    assert logical_image(glymph._ctx.store, "default") == before
    assert is_buried(glymph, FACT) == [False]
    glymph.undo(undone.operation_id)
    assert is_buried(glymph, FACT, "another") == [True, True]


def test_tombstones_change_only_inside_an_operation(glymph):
    bury(glymph, FACT)
    (one,) = glymph.tombstones()
    with pytest.raises(errors.Refused), glymph._ctx.store.writing("default", None) as writer:
        writer.bury(["f"], at=1)
    with pytest.raises(errors.Refused), glymph._ctx.store.writing("default", None) as writer:
        writer.remove("tombstones", [one.number])
    assert glymph.tombstones() == (one,)


@pytest.mark.parametrize("way", ["number", "numbers", "text", "all"])
def test_lifting_lets_a_fact_be_learnt_again_and_undo_forbids_it_again(glymph, way):
    bury(glymph, FACT)
    bury(glymph, "stays")
    (number,) = (one.number for one in glymph.tombstones(text=FACT))
    options = {
        "number": {"numbers": number},
        "numbers": {"numbers": [number, number]},
        "text": {"text": "ana's number is +155501099!"},
        "all": {"all": True},
    }
    receipt = glymph.tombstones.lift(**options[way], reason="asked to")
    assert receipt.verb == "lift"
    assert str(number) in receipt.succeeded
    assert is_buried(glymph, FACT, "stays") == [False, way != "all"]
    assert glymph.verify().ok
    glymph.undo(receipt.operation_id)
    assert is_buried(glymph, FACT, "stays") == [True, True]
    assert glymph.verify().ok


def test_undoing_a_lift_leaves_alone_what_was_buried_anew(glymph):
    bury(glymph, FACT, "another")
    lifted = glymph.tombstones.lift(all=True)
    bury(glymph, FACT)
    undone = glymph.undo(lifted.operation_id)
    assert [refusal.reason for refusal in undone.skipped] == ["the same was made anew since"]
    assert len(undone.succeeded) == 1
    assert is_buried(glymph, FACT, "another") == [True, True]


def test_what_is_not_buried_cannot_be_lifted_and_its_text_is_not_kept(glymph, url):
    bury(glymph, FACT)
    receipt = glymph.tombstones.lift(text="never a secret")
    assert (receipt.succeeded, [r.id for r in receipt.failed]) == ((), ["text"])
    assert [r.id for r in glymph.tombstones.lift([10**6, -1]).failed] == ["1000000", "-1"]
    assert "secret" not in json.dumps([o.details for o in glymph.operations()], default=str)
    assert len(glymph.tombstones()) == 1


@pytest.mark.parametrize(
    "given",
    [{}, {"numbers": 1, "all": True}, {"text": "a", "all": True}, {"numbers": [1], "text": "a"}, {"numbers": []},
     {"numbers": "1"}, {"numbers": ["1"]}, {"numbers": [True]}, {"numbers": None}, {"text": " "}, {"text": 5},
     {"numbers": range(50_001)}, {"text": "\ud800"}],
)  # fmt: skip
def test_what_to_lift_is_said_in_one_way(glymph, given):
    before = glymph.operations()
    with pytest.raises(errors.InvalidInput):
        glymph.tombstones.lift(**given)
    assert glymph.operations() == before


def test_an_operation_lifts_what_it_is_about_to_store(glymph):
    bury(glymph, FACT, "another")
    with glymph._ctx.operation("add") as op:
        assert len(tombstones.unbury(op, glymph._ctx, [FACT])) == 1
        assert tombstones.match_tombstones(glymph._ctx, op.writer, [FACT, "another"]) == [
            False,
            True,
        ]
    glymph.undo(op.intent.id)
    assert is_buried(glymph, FACT) == [True]


# the key


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_only_its_owner_can_read_a_key(glymph):
    bury(glymph, FACT)
    assert keys_of(glymph).stat().st_mode & 0o777 == 0o700
    (file,) = keys_of(glymph).iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.name == glymph.list(kinds=["self"])[0].id
    assert len(keyring_key(glymph)) == KEY_BYTES


def test_all_who_make_the_key_at_once_have_the_same(tmp_path):
    identity = "0" * 36
    found = []
    gate = threading.Barrier(8)

    def make():
        gate.wait()
        found.append(Keyring(tmp_path / "memory.db.keys").get_or_create(identity))

    threads = [threading.Thread(target=make) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [Keyring(tmp_path / "memory.db.keys").get(identity)] * 8
    assert [file.name for file in (tmp_path / "memory.db.keys").iterdir()] == [identity]


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_without_the_key_nothing_is_taken_for_new_and_the_way_on_is_named(glymph, tmp_path):
    bury(glymph, FACT)
    folder = keys_of(glymph)
    shutil.move(folder, tmp_path / "away")
    for attempt in (
        lambda: is_buried(glymph, "new"),
        lambda: bury(glymph, "more"),
        lambda: glymph.tombstones(text=FACT),
        lambda: glymph.tombstones.lift(text=FACT),
    ):
        with pytest.raises(
            errors.KeyMissing, match=r"from a backup.*glymph store tombstones lift --all --apply`"
        ):
            attempt()
    assert not folder.exists()
    assert len(glymph.tombstones()) == 1  # to look at them takes no key
    shutil.move(tmp_path / "away", folder)
    assert is_buried(glymph, FACT, "new") == [True, False]


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_tombstones_without_a_key_can_be_given_up(glymph):
    bury(glymph, FACT)
    shutil.rmtree(keys_of(glymph))
    lifted = glymph.tombstones.lift(all=True)
    assert is_buried(glymph, FACT) == [False]
    glymph.undo(lifted.operation_id)
    with pytest.raises(errors.KeyMissing):
        is_buried(glymph, FACT)


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_a_missing_key_names_the_space(url, clock):
    with Glymph.open(url, space="other", clock=clock) as other:
        bury(other, FACT)
        shutil.rmtree(keys_of(other))
        with pytest.raises(errors.KeyMissing, match=r"'other'.*--all --apply --space other`"):
            is_buried(other, FACT)


# taking them elsewhere


def test_a_renamed_space_keeps_its_key(glymph):
    bury(glymph, FACT)
    glymph.rename_space("default", "other")
    assert is_buried(glymph, FACT) == [True]


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_a_backup_carries_the_keys(glymph, url, clock, tmp_path, mode):
    bury(glymph, FACT)
    with Glymph.open(url + mode) as source:
        source.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db.keys").stat().st_mode & 0o777 == 0o700
    assert [f.stat().st_mode & 0o777 for f in (tmp_path / "copy.db.keys").iterdir()] == [0o600]
    with Glymph.open(f"sqlite:///{tmp_path}/copy.db{mode}", clock=clock) as copy:
        assert is_buried(copy, FACT, "new") == [True, False]


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_a_backup_of_a_store_without_keys_makes_no_folder(glymph, tmp_path):
    glymph.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db.keys").exists()


def test_an_export_keeps_tombstones_and_its_copy_knows_them_by_the_same_key(
    glymph, url, clock, tmp_path
):
    bury(glymph, FACT)
    glymph.export(tmp_path / "e.jsonl")
    glymph.import_(tmp_path / "e.jsonl", space="copy")
    with Glymph.open(url, space="copy", clock=clock) as copy:
        assert is_buried(copy, FACT, "new") == [True, False]
        receipt = copy.tombstones.lift(all=True)
        assert is_buried(glymph, FACT) == [True]
        copy.undo(receipt.operation_id)
        assert is_buried(copy, FACT) == [True]
        assert copy.verify().ok


@pytest.fixture
def elsewhere(clock, tmp_path):
    """Another store, with the default space only."""
    with Glymph.open(f"sqlite:///{tmp_path}/other.db", clock=clock) as other:
        yield other


def space(glymph, name, clock):
    return Glymph.open(glymph.url, space=name, clock=clock)


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_the_key_goes_along_beside_the_export_and_never_in_it(glymph, elsewhere, clock, tmp_path):
    bury(glymph, FACT)
    glymph.export(tmp_path / "e.jsonl")
    key = tmp_path / "e.jsonl.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert keyring_key(glymph).hex() in key.read_text()
    assert keyring_key(glymph).hex() not in (tmp_path / "e.jsonl").read_text()
    elsewhere.import_(tmp_path / "e.jsonl", space="copy")
    with space(elsewhere, "copy", clock) as copy:
        assert is_buried(copy, FACT, "new") == [True, False]
        assert copy.verify().ok


def test_an_export_without_tombstones_has_no_key(glymph, tmp_path):
    glymph.add(FACT)
    glymph.export(tmp_path / "e.jsonl")
    assert not (tmp_path / "e.jsonl.key").exists()


def test_a_lifted_tombstone_takes_its_key_along_for_the_way_back(
    glymph, elsewhere, clock, tmp_path
):
    bury(glymph, FACT)
    lifted = glymph.tombstones.lift(all=True)
    glymph.export(tmp_path / "e.jsonl")
    elsewhere.import_(tmp_path / "e.jsonl", space="copy")
    with space(elsewhere, "copy", clock) as copy:
        copy.undo(lifted.operation_id)
        assert is_buried(copy, FACT, "new") == [True, False]


def test_a_key_is_never_overwritten_and_no_export_is_left_without_it(glymph, tmp_path):
    bury(glymph, FACT)
    (tmp_path / "e.jsonl.key").write_text("another")
    with pytest.raises(errors.InvalidInput, match="never overwrites"):
        glymph.export(tmp_path / "e.jsonl")
    assert [file.name for file in tmp_path.iterdir() if "e.jsonl" in file.name] == ["e.jsonl.key"]
    assert (tmp_path / "e.jsonl.key").read_text() == "another"


@pytest.mark.parametrize("content", ["", "nonsense", f"{'0' * 36} {'ab' * 32}", "cut"])
def test_an_import_asks_for_the_right_key_and_names_the_way_without(
    glymph, elsewhere, tmp_path, content
):
    bury(glymph, FACT)
    glymph.export(tmp_path / "e.jsonl")
    key = tmp_path / "e.jsonl.key"
    whole = key.read_text()
    key.write_text(whole[:-9] if content == "cut" else content)
    with pytest.raises(errors.StoreError, match=r"e\.jsonl\.key.*Copy"):
        elsewhere.import_(tmp_path / "e.jsonl", space="copy")
    key.unlink()
    with pytest.raises(
        errors.InvalidInput, match=r"e\.jsonl\.key is missing.*--without-tombstones"
    ):
        elsewhere.import_(tmp_path / "e.jsonl", space="copy")
    assert [one.name for one in elsewhere.spaces()] == ["default"]
    assert not keys_of(elsewhere).exists()


def test_tombstones_can_be_given_up_by_an_import(glymph, elsewhere, clock, tmp_path):
    bury(glymph, FACT, "another")
    glymph.export(tmp_path / "e.jsonl")
    (tmp_path / "e.jsonl.key").unlink()
    elsewhere.import_(tmp_path / "e.jsonl", space="copy", tombstones=False)
    with space(elsewhere, "copy", clock) as copy:
        assert copy.tombstones() == ()
        assert copy.add(FACT).id
        assert [one.verb for one in copy.operations(limit=2)] == ["add", "lift"]
        assert copy.verify().ok


@pytest.mark.sqlite  # looks into the file, or into the folder of keys beside it
def test_a_space_whose_key_is_lost_can_still_be_exported(glymph, elsewhere, tmp_path):
    bury(glymph, FACT)
    shutil.rmtree(keys_of(glymph))
    glymph.export(tmp_path / "e.jsonl")
    assert not (tmp_path / "e.jsonl.key").exists()
    elsewhere.import_(tmp_path / "e.jsonl", space="copy", tombstones=False)


def test_tombstones_of_two_keys_are_never_mixed(glymph, elsewhere, clock, tmp_path):
    glymph.export(tmp_path / "early.jsonl")
    elsewhere.import_(tmp_path / "early.jsonl", space="copy")
    with space(elsewhere, "copy", clock) as copy:
        bury(copy, "a fact of theirs")
    bury(glymph, FACT)
    glymph.export(tmp_path / "e.jsonl")
    with pytest.raises(errors.InvalidInput, match=r"another key.*--without-tombstones"):
        elsewhere.import_(tmp_path / "e.jsonl", space="again")
    elsewhere.import_(tmp_path / "e.jsonl", space="again", tombstones=False)
    with space(elsewhere, "again", clock) as again:
        assert is_buried(again, FACT, "a fact of theirs") == [False, True]
        assert again.verify().ok


def test_no_page_and_no_cluster_takes_a_purged_identifier_in_again(glymph):
    glymph.add("The mail of Eve is eve.karlsen@acme.io", kind="fact")
    glymph.forget("eve.karlsen@acme.io", mode="purge", apply=True)
    glymph.write("My page is about gardens")
    for way in (
        lambda: glymph.write("My page: EVE.KARLSEN@ACME.IO"),
        lambda: glymph.write("eve.karlsen (at) acme.io", mode="append"),
        lambda: glymph.clusters.create("Friends of eve.karlsen@acme.io"),
        lambda: glymph.clusters.create("Friends", rule={"tag": "eve.karlsen@acme.io"}),
    ):
        with pytest.raises(errors.Refused, match="removed on request"):
            way()
    assert glymph.page() == "My page is about gardens"
    assert glymph.clusters() == []
    glymph.clusters.create("Friends of Eve")
