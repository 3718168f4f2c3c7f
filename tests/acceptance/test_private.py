"""What Glymph makes is for its owner alone, and what it runs opens no socket unasked."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from glymph.errors import EmbedderFailed
from glymph.folders import make_folder
from glymph.inference import Session
from glymph.reader.weights import explain_absence

ROOT = Path(__file__).parents[2]
# One life of a store, in a process of its own: its umask must not be the tests'.
LIFE = """
import os, sys
os.umask(int(sys.argv[1], 8))
from pathlib import Path
from glymph import Glymph, environment
from glymph.jobs import spool

here = Path(sys.argv[2])
environment.write_config({"trash_days": 9})
spool.drop(environment.home() / environment.SPOOL, {"event": "session-end", "space": "default"})
url = f"sqlite:///{here}/a/b/memory.db"
with Glymph.open(url, embedder="none", model=f"recorded:{here}/c/answers") as glymph:
    glymph.add("Ines likes green tea.", kind="fact")
    glymph.forget(glymph.forget("Ines likes green tea.", mode="purge"), mode="purge", apply=True)
    glymph.extract([{"role": "user", "content": "We ship Orion in October."}])
    talks = glymph.conversations()
    for at in range(60):
        talks.append("a talk", {"role": "user", "content": f"Crate {at} holds {at + 9} lamps."})
    talks.write_memory("My page.", session="a talk")
    other = glymph.conversations(here / "d" / "e" / "talks")
    other.append("another talk", {"role": "user", "content": "Hello."})
    glymph.export(here / "export.jsonl")
    glymph.backup(here / "backup.db")
"""


def run(code, *arguments, home):
    names = {name: value for name, value in os.environ.items() if not name.startswith("GLYMPH_")}
    environment = names | {"GLYMPH_HOME": str(home), "PYTHONPATH": f"{ROOT / 'src'}"}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, cwd=ROOT,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_every_folder_and_file_is_for_its_owner_alone(tmp_path):
    run(LIFE, "000", tmp_path, home=tmp_path / "f" / "home")
    made = [path for path in tmp_path.rglob("*") if not path.is_symlink()]
    open_to_others = {
        str(path.relative_to(tmp_path)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in made
        if stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    }
    assert open_to_others == {}
    names = {path.name for path in made}
    assert {"memory.db", "export.jsonl", "backup.db", "config.toml", "memory.md"} <= names
    assert {"memory.db.keys", "questions.jsonl"} <= names


# Every call by which a process could talk to another, told before it is made.
WATCHED = """
import json, os, sys
calls, proc = [], os.path.isdir("/proc/self/fd")
def watch(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        calls.append([event, repr(arguments[1:])[:200]])
    if event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"):
        calls.append([event, repr(arguments)[:200]])
sys.addaudithook(watch)
from glymph import Glymph

with Glymph.open(f"sqlite:///{sys.argv[1]}/memory.db") as glymph:
    facts = [
        "Orion keeps its records in the cellar of the old mill since the flood of 2019.",
        "The lamp of Orion was repaired by Henrik Olsson for 75 euros on 3 May.",
        "Orion meets every second Tuesday at seven in the library of Uppsala.",
        "The van of Orion has a winter tyre with a slow leak at the rear left wheel.",
        "Orion pays its rent of 1,250 euros to Brandt on the fifth of each month.",
        "Orion pays its rent to Olsson now.",
    ]
    glymph.add_many([{"text": one, "kind": "fact", "entities": ["Orion"]} for one in facts])
    glymph.settle()
    found = glymph.search("Who repaired the lamp?")
    glymph.consolidate()
    glymph.extract([{"role": "user", "content": "I am allergic to wasps. We ship in October."}])
    glymph.surface()
    glymph.forget("the van of Orion")
    glymph.analyze()
    glymph.lifecycle()
    told = {"found": len(found), "reader": glymph.context.reader.name, "calls": calls}
    # What native code opened, which tells no audit hook.
    names = os.listdir("/proc/self/fd") if proc else []
    paths = [f"/proc/self/fd/{name}" for name in names]
    links = [os.readlink(path) for path in paths if os.path.islink(path)]
    told["open"] = [link for link in links if link.startswith("socket:")]
    told["local"] = "onnxruntime" in sys.modules
print(json.dumps(told))
"""


def test_no_socket_is_opened_and_no_process_started_unasked(tmp_path):
    told = json.loads(run(WATCHED, tmp_path, home=tmp_path / "home").splitlines()[-1])
    assert told["found"]
    assert (told["calls"], told["open"]) == ([], [])
    if not explain_absence():
        assert told["local"], "the local models took part"


def test_the_watch_sees_what_it_watches_for(tmp_path):
    watch, _, _ = WATCHED.partition("from glymph")
    code = f"""{watch}
import socket, subprocess
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    one.bind(("127.0.0.1", 0))
    one.connect(("127.0.0.1", 9))
subprocess.run([sys.executable, "-c", ""])
print(json.dumps(calls))"""
    told = json.loads(run(code, tmp_path, home=tmp_path / "home"))
    assert {"socket.bind", "socket.connect", "subprocess.Popen"} <= {event for event, _ in told}


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
def test_the_umask_decides_nothing_about_a_folder(tmp_path, umask):
    (tmp_path / "there").mkdir(mode=0o755)
    before = os.umask(umask)
    try:
        for _ in range(2):
            make_folder(tmp_path / "there" / "a" / "b")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "there").rglob("*")]
    assert modes == [0o700, 0o700]
    assert stat.S_IMODE((tmp_path / "there").stat().st_mode) == 0o755


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path):
    (tmp_path / "taken").write_text("x")
    for path in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(OSError, match="taken"):
            make_folder(path)


def test_the_runtime_of_local_models_is_told_to_report_nothing(monkeypatch):
    onnxruntime = pytest.importorskip("onnxruntime")
    called = []
    monkeypatch.setattr(onnxruntime, "disable_telemetry_events", lambda: called.append(True))
    with pytest.raises(EmbedderFailed):
        Session("a model", b"which is none", EmbedderFailed)
    assert called == [True]
