"""Stores to purge in on both engines, identifiers in many spellings, and the search for traces."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from glymph import Glymph

PLAIN = {"compare": "off", "junk_gate": "off"}
ENGINES = ["sqlite", "postgresql"]


def make_stores(request):
    """Yields what makes stores in folders of their own; both are gone after the test."""
    made = []

    def make():
        folder = Path(tempfile.mkdtemp())
        if request.param == "sqlite":
            url = f"sqlite:///{folder}/memory.db"
        else:
            server = request.getfixturevalue("postgres")
            url = server.database(template=request.getfixturevalue("postgres_template"))
        made.append((folder, url))
        return folder, url

    yield make
    for folder, url in made:
        shutil.rmtree(folder)
        if request.param == "postgresql":
            request.getfixturevalue("postgres").drop(url)


def open_at(url, clock, **options):
    return Glymph.open(url, clock=clock, embedder="none", settings=PLAIN, **options)


KINDS = ("mail", "phone", "code")


def spell(kind, number):
    """An identifier's spellings, and another that only looks alike."""
    other = number[:-1] + str((int(number[-1]) + 1) % 10)
    if kind == "mail":
        host = f"zq{number}.io"
        same = [f"zoe@{host}", f"ZOE@{host.upper()}", f"zoe (at) zq{number} dot io"]
        return same, f"zoe@zq{other}.io"
    if kind == "phone":
        a, b, c = number[:3], number[3:5], number[5:]
        same = [f"+49{number}", f"+49 {a} {b}{c}", f"+49 ({a}) {b}-{c}", f"0049-{a}-{b}-{c}"]
        return same, f"+49{other}"
    return [f"QXT-{number}", f"qxt {number}", f"QXT{number}", f"Qxt_{number}"], f"QXT-{other}"


@st.composite
def identifier(draw):
    """An identifier, its spellings, and another that only looks alike."""
    number = draw(st.sampled_from("23456789")) + draw(st.text("0123456789", min_size=7, max_size=7))
    return spell(draw(st.sampled_from(KINDS)), number)


def find_traces(glymph, spellings):
    """Returns what the rows of the space still hold of it, its journal included."""
    rows = list(glymph._ctx.store.dump(glymph.space))
    everything = json.dumps(rows, default=str, ensure_ascii=False).casefold()
    return [one for one in spellings if one.casefold() in everything]


def find_bytes(folder, spellings):
    """Returns the files of a store that still hold it, logs included."""
    found = {}
    for file in sorted(folder.glob("*.db*")):
        content = file.read_bytes().lower() if file.is_file() else b""
        if held := [one for one in spellings if one.lower().encode() in content]:
            found[file.name] = held
    return found
