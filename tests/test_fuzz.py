"""A small part of the fuzzing, the same at every run, and each thing that it has found."""

from __future__ import annotations

from collections import Counter

import apsw
import pytest

from benchmarks import fuzz
from benchmarks.harness import fuzz_http, fuzz_targets, mutations
from benchmarks.harness.fuzz_targets import PARSERS, Target
from glymph import Glymph, environment
from glymph.config import Settings
from glymph.errors import InvalidInput
from glymph.learn.transcript import turns
from glymph.store import open_store
from glymph.text import lists
from glymph.text.sentences import begins_sentence
from glymph.text.values import values
from glymph.transfer.verify import verify

SHARE = 0.004  # of the full size
SEED = 1


@pytest.mark.parametrize("source", [fuzz_targets.every, fuzz_http.requests])
def test_a_slice_of_every_way_in_neither_crashes_nor_hangs_nor_leaves_anything(
    source, tmp_path, monkeypatch
):
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "home"))
    for target in source(tmp_path):
        tally = fuzz.fuzz(target, max(5, round(target.share * SHARE)), SEED)
        assert (tally.crashes, tally.hangs, tally.effects) == (Counter(), Counter(), Counter())


def test_the_same_seed_makes_the_same_inputs():
    target = Target("any", 1, lambda draw: mutations.change_value(draw, {"a": ["b", 1]}), bool)

    def make(seed):
        return [mutations.write_json(fuzz.make_input(target, seed, number)) for number in range(50)]

    assert make(3) == make(3) != make(4)


def test_what_must_not_be_is_counted(monkeypatch):
    state = [0]

    def take(number):
        state[0] += 1
        if number == 0:
            raise InvalidInput("x", "no")  # refused, and yet something has changed
        if number == 1:
            raise KeyError("no")
        while number == 2:
            continue

    numbers = iter((0, 1, 2, 3))
    target = Target(
        "bad", 4, lambda _: next(numbers), take, image=lambda: state[0], moved=lambda: state[0]
    )
    monkeypatch.setattr(fuzz, "HANG_S", 0.05)
    tally = fuzz.fuzz(target, 4, SEED)
    assert (tally.inputs, tally.refused) == (4, 1)
    assert [one.total() for one in (tally.crashes, tally.hangs, tally.effects)] == [1, 1, 1]


# Found by it


@pytest.mark.parametrize(
    ("parser", "first", "part"),
    [("values", "", "1-"), ("values", "x", "3"), ("lists", "", "A"), ("similarity", "", "A "),
     ("requests", "", "#")],
)  # fmt: skip
def test_a_long_text_of_one_pattern_is_read_to_its_end(parser, first, part):
    tally = fuzz.Tally()
    target = Target("long", 1, lambda _: "", lambda text: bool(PARSERS[parser](text)) or True)
    fuzz._feed(target, first + part * (60_000 // len(part)), tally, part)
    assert (tally.crashes, tally.hangs) == (Counter(), Counter())


def test_the_patterns_for_long_texts_find_what_they_found():
    assert [one.key for one in values("mail a.b-c+d@x.org, code AB-12-cd, 1-1-1")] == [
        "a.b-c+d@x.org", "ab-12-cd", "1", "1", "1",
    ]  # fmt: skip
    text = 'One. Two "three" (four) five\nsix:  seven, eight'
    begun = [word for word in text.split() if begins_sentence(text, text.index(word.strip('"(')))]
    assert begun == ["One.", "Two", '"three"', "(four)", "six:", "seven,"]
    assert lists.without_item("apples, pears and figs", lambda item: item == "pears") == (
        "apples and figs"
    )


def test_an_identifier_with_figures_of_several_scripts_is_looked_for(glymph):
    code = "७72f७²७5-04²7-5375-2c٤f"
    memory = glymph.add(f"The badge of Tom is {code}.").id
    assert [action.id for action in glymph.forget(code).actions] == [memory]


@pytest.mark.parametrize("value", [mutations.nested(3000), {}, None])
def test_a_setting_of_another_kind_is_refused(value):
    for name in ("trash_days", "retention"):
        with pytest.raises(InvalidInput, match=name):
            Settings.parse({name: value})


@pytest.mark.parametrize(
    "text",
    ["trash_days = " + "[" * 3000 + "]" * 3000, "trash_days = " + "9" * 5000, "a = \ufffe\0"],
)
def test_a_file_of_settings_that_cannot_be_read_is_told(text):
    path = environment.make_home() / "config.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput):
        environment.effective_settings()


@pytest.mark.parametrize(
    "told", ['{"parts": "x"}', '{"parts": [1]}', '{"parts": {"a": "b"}, "spaces": 3}', "[" * 3000]
)
def test_a_map_that_is_none_is_refused(tmp_path, told):
    (tmp_path / "map.json").write_text(told)
    with pytest.raises(InvalidInput, match="map"):
        open_store(f"shards:///{tmp_path}/map.json", Settings())


def test_a_filter_nested_too_deeply_is_refused(glymph):
    for name in ("limit", "min_score", "budget_tokens", "states", "sections"):
        with pytest.raises(InvalidInput):
            glymph.search("heron", **{name: [mutations.nested(3000)]})


def test_a_turn_that_is_neither_text_nor_object_counts_as_unreadable():
    assert turns([True, 3, None, {"role": "user", "content": "Hello."}])[1] == 3


@pytest.mark.parametrize(
    "image", ["[]", '{"colour": 1}', "[" * 3000, '{"key": ' + "9" * 5000 + "}", "{"]
)
def test_a_damaged_journal_is_told_and_not_stumbled_over(tmp_path, image):
    path = tmp_path / "memory.db"
    with Glymph.open(f"sqlite:///{path}") as glymph:
        glymph.add("The heron nests by the mill.")
        raw = apsw.Connection(str(path))
        for (name,) in raw.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("UPDATE journal SET after = ? WHERE tbl = 'memories'", (image,))
        raw.close()
        assert "journal" in {problem.check for problem in verify(glymph.context).problems}


def test_a_table_without_a_column_is_a_damaged_store(tmp_path):
    path = tmp_path / "memory.db"
    Glymph.open(f"sqlite:///{path}").close()
    raw = apsw.Connection(str(path))
    raw.execute("ALTER TABLE plans RENAME COLUMN id TO di")
    raw.close()
    with Glymph.open(f"sqlite:///{path}") as glymph:
        problems = verify(glymph.context).problems
    assert ("schema", "table plans has no column id") in {(p.check, p.detail) for p in problems}
