"""Which reader a spec opens, and what happens where its weights are missing or not ours."""

from __future__ import annotations

import json

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput, ReaderFailed
from glymph.reader import automatic, open_reader, weights
from glymph.reader.automatic import AutomaticReader
from glymph.reader.contract import Reader
from glymph.reader.local_reader import LocalReader
from glymph.reader.no_reader import NoReader


@pytest.fixture(autouse=True)
def _as_installed(monkeypatch):
    monkeypatch.setattr(automatic, "explain_absence", weights.explain_absence)


def test_none_knows_hard_rules_only():
    assert isinstance(open_reader("none"), NoReader)


def test_a_reader_of_a_program_is_taken_as_it_is():
    own = NoReader()
    assert open_reader(own) is own
    assert isinstance(own, Reader)


def test_an_object_that_is_no_reader_is_refused_by_name():
    with pytest.raises(InvalidInput, match="relate, find_targets, score, grade, sift, estimate_ms"):
        open_reader(object())


def test_an_unknown_spec_names_the_known_ones():
    with pytest.raises(InvalidInput, match="auto, none, local"):
        open_reader("psychic")
    with pytest.raises(InvalidInput, match="auto, none, local"):
        Glymph.open("sqlite:///never.db", settings={"reader": "psychic"})


def test_auto_without_the_package_knows_hard_rules_only(monkeypatch, caplog):
    automatic.say_once.cache_clear()
    monkeypatch.setattr(weights, "NEEDS", ("no_such_package",))
    caplog.set_level("INFO", "glymph")
    assert isinstance(open_reader("auto"), NoReader)
    assert isinstance(open_reader("auto"), NoReader)
    assert [record.getMessage() for record in caplog.records] == [
        "No local reader: no_such_package not installed. Run `pip install 'glymph[reader]'`. "
        "Until then only hard rules judge texts."
    ]


def test_local_without_the_package_is_an_error_with_the_next_step(monkeypatch):
    monkeypatch.setattr(weights, "NEEDS", ("no_such_package",))
    with pytest.raises(InvalidInput, match="pip install 'glymph\\[reader\\]'"):
        open_reader("local")


def test_missing_weights_are_a_typed_error(tmp_path):
    with pytest.raises(ReaderFailed, match=r"cannot be read.*force-reinstall"):
        LocalReader(folder=tmp_path).grade(["hm"])


def test_changed_weights_are_a_typed_error(tmp_path):
    for name in json.loads(weights.RECORD.read_text())["files"]:
        (tmp_path / name).write_bytes(b"not ours")
    with pytest.raises(ReaderFailed, match=r"not the known file.*force-reinstall"):
        LocalReader(folder=tmp_path).relate("a", ["b"])


def test_auto_steps_back_where_weights_are_changed(tmp_path):
    reader = AutomaticReader(lambda: LocalReader(folder=tmp_path))
    assert reader.relate("a b", ["A b", "c"])[0].kind == "same"
    assert reader.name == "none"
    assert reader.score("who?", ["me"]) is None
    assert reader.grade(["x"])[0].sure == 0
    assert reader.find_targets("purge", "x", ["y"])[0].sure == 0
    assert reader.estimate_ms("q", ["x", "y"]) == [0.0, 0.0]
