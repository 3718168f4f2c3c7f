"""The benchmark of the house counts what it says it counts."""

from __future__ import annotations

from textwrap import dedent

import pytest

from benchmarks import house
from benchmarks.harness.contract import Options


def package(tmp_path, **files):
    """A package `home` with these files; a name like `room__file` lies in a folder."""
    root = tmp_path / "home"
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return root


def test_rooms_are_the_folders_of_a_package(tmp_path):
    rooms = house.count_rooms(
        package(tmp_path, write__add="x = 1\n", write__edit="", top="y = 2\n")
    )
    assert {name: (room.files, room.lines) for name, room in rooms.items()} == {
        "write": (2, 1),
        "top": (1, 1),
    }


def test_habits_are_counted_in_a_file(tmp_path):
    text = f"""
    def told():
        import json  # on first use
        return json

    def find_stale():
        return "{"x" * 100}"
    """
    found = house.count_file(package(tmp_path, add=text) / "add.py")
    assert (found.lazy_imports, found.long_lines, found.comments) == (1, 1, 1)
    assert (found.names, found.participles) == (3, 1)  # two functions and the file


@pytest.mark.parametrize("name", ["told", "hearing", "grouped", "kept"])
def test_a_lone_participle_is_recognised(name):
    assert house.is_participle(name)


@pytest.mark.parametrize(
    "name", ["find_grouped", "string", "embed", "is_pinned", "settle", "ranking"]
)
def test_other_names_are_no_participles(name):
    assert not house.is_participle(name)


def test_files_that_import_each_other_are_a_circle(tmp_path):
    root = package(
        tmp_path,
        a="from home import b\n",
        b="def later():\n    from home.c import x\n    return x\n",
        c="from home.a import b\nx = 1\n",
        d="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from home import e\n",
        e="from home import d\n",
    )
    assert house.find_circles(root) == [["home.a", "home.b", "home.c"]]


def test_members_of_protocols_are_the_contract(tmp_path):
    root = package(
        tmp_path,
        store="""
        from typing import Protocol
        class Reader(Protocol):
            space: str
            def rows(self): ...
        class Real:
            def other(self): ...
        """,
    )
    assert list(house.contract_members(root)) == ["Reader.space", "Reader.rows"]


def test_the_house_itself_is_measured():
    figures = house.run(Options())
    assert figures["lines"].value > 1000
    assert figures["files"].value > 100
    assert figures["write_files"].value > 1
    assert figures["tests"].value > 1000
