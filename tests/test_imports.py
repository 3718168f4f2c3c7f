"""What each way in may import: a process pays for what it does, and for nothing else.

Whoever adds to a list here makes every such process start slower; `python -m benchmarks start` and
`hook` say by how much.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from glymph import Glymph
from glymph.jobs.project import SHARED, digest_tokens

ROOT = Path(__file__).parents[1]
SAID = "The staging database of Orion lives on the host cormorant."
ASKED = "Which host does the staging database of Orion live on?"
# Parts of the standard library that take several milliseconds, which a quick answer must not cost.
SLOW = frozenset(
    "asyncio calendar dataclasses email html http importlib.resources inspect locale logging "
    "multiprocessing pkgutil secrets shutil socket ssl subprocess tempfile zipfile".split()
)
HOOK_ROOMS = "cli environment errors folders hooks ids jobs"
LOOK_ROOMS = f"{HOOK_ROOMS} extensions lazy moments store text write"
SEARCH_ROOMS = (
    "accessors checks client config context decay embed errors extensions folders forget history "
    "ids lazy learn llm model moments prune reader recall signatures store stores telemetry text "
    "transfer undo upkeep wire write"
)
COMMAND = """
import sys
from glymph.cli import start
sys.argv = ["glymph", *{words}]
try: start.main()
except SystemExit as end: sys.stderr.write(str(end.code or ""))
"""
SEARCH = """
from glymph import Glymph
with Glymph.open({url!r}, space="orion", embedder="none", reader="none") as memory:
    assert memory.search({asked!r})
"""


class Way(NamedTuple):
    """A way in: what runs, and the packages, rooms and slow modules that it may load."""

    code: str
    packages: str = ""
    rooms: str = ""
    slow: str = ""


WAYS = {
    "import glymph": Way("import glymph", rooms="errors"),
    "the class": Way(
        "from glymph import Glymph", "numpy", SEARCH_ROOMS,
        "calendar dataclasses inspect locale logging pkgutil secrets",
    ),
    "a search by words": Way(
        SEARCH, "apsw numpy", SEARCH_ROOMS,
        "calendar dataclasses inspect locale logging pkgutil secrets shutil",
    ),
    "hook session-end": Way(COMMAND, rooms=HOOK_ROOMS),
    "hook session-start": Way(COMMAND, "apsw", LOOK_ROOMS),
    "hook prompt-submit": Way(COMMAND, "apsw", LOOK_ROOMS),
    "--help": Way(
        COMMAND, "annotated_doc shellingham typer", "cli errors extensions tools",
        "dataclasses inspect locale shutil subprocess tempfile",
    ),
}  # fmt: skip


@pytest.fixture
def url(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "home"))
    found = f"sqlite:///{tmp_path}/memory.db"
    for space in ("orion", SHARED):
        with Glymph.open(found, space=space, embedder="none", reader="none") as memory:
            memory.add(SAID)
            memory.surface(digest_tokens(space))
    return found


def loaded(code, sent=""):
    """The modules that a fresh interpreter has loaded when it has run the code."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\nloaded', *sorted(sys.modules))"],
        input=sent, capture_output=True, text=True, check=True,
        env={**os.environ, "GLYMPH_EMBEDDER": "none", "GLYMPH_READER": "none"},
    )  # fmt: skip
    assert run.stderr == ""
    return set(run.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("name", WAYS)
def test_a_way_in_loads_what_is_listed_and_no_more(url, tmp_path, name):
    way = WAYS[name]
    words = [*name.split(), *(("--url", url, "--space", "orion") if "hook" in name else ())]
    code = way.code.format(words=words, url=url, asked=ASKED)
    if name == "hook session-end":  # its worker is another process
        code = f"import glymph.hooks.command as one; one.try_start_worker = lambda *a: 0\n{code}"
    sent = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": ASKED})
    if name == "hook session-start":  # once a day a handle looks for what fades
        loaded(code, sent)
    found = loaded(code, sent) - loaded("")
    foreign = {one.partition(".")[0] for one in found} - sys.stdlib_module_names - {"glymph"}
    rooms = {one.split(".")[1] for one in found if one.startswith("glymph.")}
    assert foreign == set(way.packages.split())
    assert rooms == set(way.rooms.split())
    assert found & SLOW <= set(way.slow.split())


def test_nothing_imports_what_another_package_keeps_to_itself():
    """Such a part may be elsewhere in the next release, or in the oldest that is allowed."""
    private = re.compile(
        r"^\s*(?:from|import) (?!glymph)[a-z0-9]\w*(?:\.\w+)*\._[a-z]", re.MULTILINE
    )
    for file in (ROOT / "src").rglob("*.py"):
        assert not private.search(file.read_text(encoding="utf-8")), file
