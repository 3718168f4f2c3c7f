"""Patterns that are compiled at their first use."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from importlib import import_module

import pytest

import glymph.text
from glymph.text.patterns import compile_late


def test_a_late_pattern_does_what_a_compiled_one_does():
    late, compiled = (
        compile_late(r"(?P<first>a)b+", re.IGNORECASE),
        re.compile(r"(?P<first>a)b+", re.IGNORECASE),
    )
    text = "xABBy ab"
    assert late.findall(text) == compiled.findall(text)
    assert late.sub("-", text) == compiled.sub("-", text)
    assert late.search(text)["first"] == "A"
    assert (late.pattern, late.flags, late.groupindex) == (
        compiled.pattern,
        compiled.flags,
        compiled.groupindex,
    )
    assert late.match("b") is None


def test_it_is_compiled_once_and_when_it_is_used():
    late = compile_late("(")  # no pattern at all
    with pytest.raises(re.error):
        late.search("text")
    with pytest.raises(AttributeError, match="sreach"):
        compile_late("a").sreach("text")


def late_patterns():
    for found in pkgutil.walk_packages(glymph.text.__path__, "glymph.text."):
        held = vars(import_module(found.name))
        for name, value in held.items():
            if isinstance(value, compile_late):
                yield pytest.param(value, id=f"{found.name.removeprefix('glymph.text.')}.{name}")


@pytest.mark.parametrize("late", list(late_patterns()))
def test_every_late_pattern_of_the_reader_compiles(late):
    assert re.compile(late.pattern, late.flags).groups == late.groups


def test_loading_the_modules_compiles_none_of_them_and_a_use_only_its_own():
    code = (
        "from glymph.text import dates, numbers, scripts, sentences, words\n"
        "from glymph.text.patterns import compile_late as late\n"
        "held = lambda: [name for one in (dates, numbers, scripts, sentences, words)\n"
        "    for name, it in vars(one).items() if isinstance(it, late) and it._compiled]\n"
        "before = held(); words.split_words('one two')\n"
        "print(len(before), *held())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0", "WORD"]
