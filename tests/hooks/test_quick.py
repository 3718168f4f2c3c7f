"""The quick look of hooks: what it shows, what it must not, when it leaves the answer to a handle."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from glymph import Glymph, Settings
from glymph.decay.sections import KINDS
from glymph.hooks import quick, session
from glymph.hooks.quick import find_parts
from glymph.store.backends.sqlite import migrations, quick_look
from glymph.store.backends.sqlite.quick_look import NotQuick
from glymph.stores import DEFAULT_URL
from glymph.upkeep import queue

SAID = "The staging database of Orion lives on the host cormorant."
PROMPT = {"prompt": "Which host does the staging database of Orion live on?"}
START = {"source": "startup"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def glymph(home, tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with Glymph.open(url, space="orion", embedder="none", reader="none") as opened:
        yield opened


@pytest.fixture
def look(glymph, tmp_path):
    def find(event, sent, space="orion"):
        return find_parts(event, sent, f"sqlite:///{tmp_path}/memory.db", space)

    return find


def begun(glymph):
    """A session began with a digest that was kept, and what fades was looked for."""
    glymph.surface()
    list(session._begin_session(glymph))


# what it knows by heart


def test_what_it_knows_by_heart_is_what_the_others_say():
    assert quick_look.SCHEMA == migrations.NEWEST
    assert set(quick_look.NOT_FADING) == {kind for kind, one in KINDS.items() if not one.decays}
    assert quick.USUAL == DEFAULT_URL
    assert Settings().surface_tokens == quick.DIGEST_TOKENS


# prompts


def test_a_prompt_brings_what_shares_its_words_and_notes_it_as_shown(glymph, look):
    glymph.add(SAID)
    glymph.add("Lunch is at noon.")
    (told,) = look("prompt-submit", PROMPT)
    assert SAID in told
    assert "Lunch" not in told
    with glymph._ctx.reading() as reader:
        (row,) = reader.recalls(limit=9)
        assert reader.counter("recalls_ever") == 1
    assert (row["query"], row["actor"]) == (PROMPT["prompt"], "hook")
    assert len(json.loads(row["shown"])) == len(json.loads(row["figures"])) == 1
    assert glymph.verify().ok


def test_it_shows_what_a_handle_would_show(glymph, look):
    for number in range(30):
        glymph.add(f"Host number {number} of Orion runs service {number % 7} since day {number}.")
    glymph.add(SAID)
    (quickly,) = look("prompt-submit", PROMPT)
    (closely,) = session._search_prompt(glymph, PROMPT["prompt"])
    assert quickly.splitlines()[2] == closely.splitlines()[2] == f"- {SAID}"


@pytest.mark.parametrize(
    "what", ["superseded", "flagged", "archived", "trashed", "expired", "distrusted", "elsewhere"]
)
def test_it_never_shows(glymph, look, tmp_path, what):
    fields = {
        "expired": {"expires_at": datetime.now(UTC) - timedelta(days=1)},
        "distrusted": {"trust": 0.1},
    }.get(what, {})
    if what == "elsewhere":
        with Glymph.open(f"sqlite:///{tmp_path}/memory.db", space="other", embedder="none") as one:
            one.add(SAID)
    else:
        added = glymph.add(SAID, **fields)
    if what == "superseded":
        glymph.supersede(added.id, "It is kept on pelican now.")
    elif what == "flagged":
        newer = glymph.add("It is kept on pelican now.")
        glymph.link(newer.id, added.id, "supersedes")
    elif what == "archived":
        glymph.archive(added.id)
    elif what == "trashed":
        glymph.delete(added.id)
    assert not any("cormorant" in part for part in look("prompt-submit", PROMPT))


def test_what_every_project_may_read_is_shown_as_well(glymph, look, tmp_path):
    with Glymph.open(f"sqlite:///{tmp_path}/memory.db", space="global", embedder="none") as shared:
        shared.add(SAID)
    assert [SAID in part for part in look("prompt-submit", PROMPT)] == [True]


def test_a_large_store_is_asked_for_rare_words_only(glymph, look, monkeypatch):
    monkeypatch.setattr(quick_look, "MANY", 10)
    monkeypatch.setattr(quick_look, "MOST_READ", 5)
    for number in range(40):
        glymph.add(f"The staging database of Orion was checked, round {number}.")
    glymph.add(SAID)
    (told,) = look("prompt-submit", PROMPT)
    assert told.splitlines()[2] == f"- {SAID}"


@pytest.mark.parametrize("prompt", [None, 7, "", "  ", "ok thanks"])
def test_a_prompt_that_says_nothing_brings_nothing(glymph, look, prompt):
    glymph.add(SAID)
    assert look("prompt-submit", {"prompt": prompt}) == []


def test_only_so_much_is_put_before_the_agent(glymph, look):
    for number in range(9):
        glymph.add(f"The staging database of Orion, part {number}: " + "cormorant " * 60)
    (told,) = look("prompt-submit", PROMPT)
    assert len(told) <= 4 * quick.PROMPT_TOKENS + 200


# the start of a session


def test_a_session_begins_with_the_kept_digest(glymph, look):
    glymph.add(SAID, kind="fact")
    begun(glymph)
    before = glymph._ctx.store
    assert look("session-start", START) == [glymph.surface()]
    assert before is glymph._ctx.store
    with glymph._ctx.reading() as reader:
        assert reader.counter("recalls_ever") == 2


@pytest.mark.parametrize("what", ["changed", "waiting", "not looked", "compacted", "other budget"])
def test_where_it_does_not_know_a_handle_answers(glymph, look, monkeypatch, what):
    glymph.add(SAID, kind="fact")
    begun(glymph)
    assert look("session-start", START)
    if what == "changed":
        glymph.add("Orion has a second host.")
    elif what == "waiting":
        queue.enqueue(glymph.context, "ended", "session", {"session_id": "s"})
    elif what == "not looked":
        with glymph._ctx.store.writing("orion", None) as writer:
            writer.set_counter(quick.FADING_LOOKED, 0)
    elif what == "other budget":
        monkeypatch.setenv("GLYMPH_SURFACE_TOKENS", "900")
    sent = {"source": "compact"} if what == "compacted" else START
    with pytest.raises(NotQuick):
        look("session-start", sent)


@pytest.mark.parametrize("url", ["postgresql://x/y", "sqlite:///no/such.db", "sqlite:///a%20b.db"])
def test_other_stores_are_for_a_handle(home, url):
    with pytest.raises(NotQuick):
        find_parts("prompt-submit", PROMPT, url, "orion")


def test_a_script_without_spaces_another_schema_and_a_broken_file_are_for_a_handle(
    glymph, look, tmp_path
):
    glymph.add(SAID)
    with pytest.raises(NotQuick):
        look("prompt-submit", {"prompt": "東京の天気"})
    apsw.Connection(str(tmp_path / "memory.db")).pragma("user_version", 99)
    with pytest.raises(NotQuick):
        look("prompt-submit", PROMPT)
    apsw.Connection(str(tmp_path / "memory.db")).pragma("user_version", quick_look.SCHEMA)
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all" * 400)
    with pytest.raises(NotQuick):
        find_parts("prompt-submit", PROMPT, f"sqlite:///{broken}", "orion")


# what is loaded


@pytest.mark.parametrize("event", ["prompt-submit", "session-start"])
def test_it_loads_nothing_heavy(glymph, tmp_path, event):
    glymph.add(SAID, kind="fact")
    begun(glymph)
    url = f"sqlite:///{tmp_path}/memory.db"
    code = (
        "import sys\nfrom glymph.cli import start\n"
        f"sys.argv = ['glymph', 'hook', '{event}', '--url', '{url}', '--space', 'orion']\n"
        "try: start.main()\nexcept SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    sent = json.dumps({"session_id": "s", "cwd": str(tmp_path), **PROMPT, **START})
    run = subprocess.run(
        [sys.executable, "-c", code], input=sent, capture_output=True, text=True, check=True
    )
    assert "cormorant" in run.stdout
    heavy = {"numpy", "pydantic", "rich", "typer", "onnxruntime", "tokenizers", "asyncio"}
    loaded = set(run.stderr.split())
    assert not heavy & {name.split(".")[0] for name in loaded}
    assert "glymph.client" not in loaded
