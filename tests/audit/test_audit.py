"""An audit names what is wrong with memories, says what it could not judge, and changes nothing."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from glymph import Glymph
from glymph.audit import audit
from glymph.audit.find import DENIAL
from glymph.audit.grade import choose_grade
from glymph.audit.page import render_page
from glymph.reader.contract import Judgement
from glymph.reader.weights import explain_absence
from tests.cli import test_cli
from tests.cli.test_cli import DONE, FAILED
from tests.importers import peers

cli = test_cli.cli
KEY = "AKIA" + "Q3EXT7WMNB2LZK5H"
RECORDS = [
    {"id": "a", "text": "Anna lives in Lisbon with her cat", "created_at": "2025-01-01"},
    {"id": "b", "text": "ANNA lives in Lisbon  with her cat", "created_at": "2025-01-02"},
    {"id": "c", "text": "Anna moved to Porto in May", "created_at": "2025-05-01"},
    {"id": "d", "text": "ok thanks", "created_at": "2025-05-01"},
    {"id": "e", "text": f"Deploys use the key {KEY}", "created_at": "2025-05-02"},
    {"id": "f", "text": "Bob answers at bob.meyer@example.org", "created_at": "2025-05-03"},
    {"id": "g", "text": "The shop opens at nine", "created_at": "2025-05-04"},
    {"id": "h", "text": "The shop is closed all day", "created_at": "2025-05-04"},
    {"id": "i", "text": "<script>alert('x')</script> is what the form let through", "created_at": "2025-05-05"},
]  # fmt: skip
UPDATES = {("c", "a"), ("g", "h"), ("h", "g")}


class KnowingReader:
    """A reader that knows the answers for these records: it stands for one that is right."""

    name = "knowing"

    def __init__(self):
        self.by_text = {one["text"]: one["id"] for one in RECORDS}

    def relate(self, newer, older):
        new = self.by_text[newer.removeprefix(f"{DENIAL} ")]
        return [
            Judgement("replaces", 0.97, (0.01, 0.01, 0.97, 0.01))
            if (new, self.by_text[old]) in UPDATES
            else Judgement("none", 0.97, (0.97, 0.01, 0.01, 0.01))
            for old in older
        ]

    def grade(self, texts):
        return [Judgement("lasting", 0.97, (0.01, 0.01, 0.97, 0.01)) for _ in texts]

    def find_targets(self, verb, request, texts, new=None):
        raise NotImplementedError

    def score(self, question, texts):
        return None

    def sift(self, sentences):
        raise NotImplementedError

    def estimate_ms(self, question, texts):
        return [1.0] * len(texts)


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)))
    return file


def named(result, check):
    return [
        tuple(shown.id for shown in one.memories) for one in result.findings if one.check == check
    ]


def test_every_check_finds_what_is_planted(source):
    before = peers.picture(source)
    result = audit(source, embedder="none", reader=KnowingReader())
    assert peers.picture(source) == before
    assert named(result, "duplicate") == [("b", "a")]
    assert named(result, "stale") == [("a", "c")]  # the older one is named first
    assert [set(pair) for pair in named(result, "contradiction")] == [{"g", "h"}]
    assert named(result, "junk") == [("d",)]
    assert named(result, "secret") == [("e",)]
    assert named(result, "identifier") == [("f",)]
    assert (result.memories, result.flawed, result.grade) == (9, 5, "F")


class DenyingReader(KnowingReader):
    """A reader that sees what two texts are to each other only where one is said as a denial."""

    def __init__(self, plain):
        super().__init__()
        self.plain = plain

    def relate(self, newer, older):
        if newer.startswith(DENIAL):
            return super().relate(newer, older)
        return [Judgement("none", 0.9, self.plain) for _ in older]


@pytest.mark.parametrize("plain", [(0.97, 0.01, 0.01, 0.01), (0.07, 0.9, 0.02, 0.01)])
def test_what_one_text_denies_is_asked_by_saying_it_as_a_denial(tmp_path, plain):
    # Also where the texts by themselves seem to have nothing in common, or to say the same.
    file = tmp_path / "notes.jsonl"
    shop = [one for one in RECORDS if one["id"] in "gh"]
    file.write_text("\n".join(map(json.dumps, shop)))
    result = audit(file, embedder="none", reader=DenyingReader(plain))
    assert [set(pair) for pair in named(result, "contradiction")] == [{"g", "h"}]
    assert named(result, "near") == []


def test_the_shipped_reader_names_contradictions(tmp_path):
    if reason := explain_absence():
        pytest.skip(reason)
    said = [
        "The hotel has 24 rooms.", "There are 19 rooms in the house.",
        "Deposits are refunded in full up to 48 hours before arrival.",
        "Deposits are never paid back.",
        "Room 12 has a bath, room 14 a shower.", "Elena speaks Greek.",
    ]  # fmt: skip
    file = tmp_path / "notes.jsonl"
    rows = [{"id": f"{at}", "text": text} for at, text in enumerate(said)]
    file.write_text("\n".join(map(json.dumps, rows)))
    result = audit(file, embedder="none", reader="local")
    found = {frozenset(pair) for pair in named(result, "contradiction")}
    assert found == {frozenset("01"), frozenset("23")}


def test_nothing_shown_holds_a_secret_or_identifies_a_person(source):
    result = audit(source, embedder="none", reader=KnowingReader())
    everything = render_page(result, datetime(2026, 1, 1, tzinfo=UTC)) + repr(result)
    assert KEY not in everything
    assert "bob.meyer" not in everything
    assert "[mail]" in everything


def test_what_could_not_be_judged_is_said(source):
    result = audit(source, embedder="none", reader="none")
    assert named(result, "duplicate") == [("b", "a")]
    assert named(result, "stale") == []
    assert len(result.unjudged) == 2
    assert "embedder" in result.unjudged[0]
    assert "reader" in result.unjudged[1]


def test_the_page_stands_alone_and_escapes_texts(source):
    result = audit(source, embedder="none", reader=KnowingReader())
    page = render_page(result, datetime(2026, 1, 1, tzinfo=UTC))
    assert "<script" not in page
    assert not re.search(r"""(?:src|href|url|@import)\s*[=(]""", page)
    assert "default-src 'none'" in page
    evil = {
        "id": "x",
        "text": "<b onclick=alert(1)>hello there friend</b> ok",
        "created_at": "2025-01-01",
    }
    source.write_text(json.dumps(evil) + "\n" + json.dumps(evil | {"id": "y"}))
    page = render_page(
        audit(source, embedder="none", reader="none"), datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert "&lt;b onclick" in page
    assert "<b onclick" not in page


@pytest.mark.parametrize(
    ("flawed", "total", "secret", "grade"),
    [
        (0, 0, False, "A"), (2, 100, False, "A"), (3, 100, False, "B"), (10, 100, False, "C"),
        (20, 100, False, "D"), (35, 100, False, "E"), (36, 100, False, "F"), (0, 100, True, "D"),
        (30, 100, True, "E"),
    ],
)  # fmt: skip
def test_the_grade_follows_its_rule(flawed, total, secret, grade):
    assert choose_grade(flawed, total, secret=secret) == grade


def test_a_space_is_judged_through_its_handle(url):
    with Glymph.open(url, embedder="none", reader="none") as memory:
        memory.add("The deploy script is in tools/deploy")
        memory.add("Call Bob at +49 30 901820 about the lease")
        before = [(one.id, one.access_count, one.version) for one in memory.list().items]
        result = audit(memory)
        assert (result.kind, result.memories, result.grade) == ("glymph", 2, "A")
        assert result.counts["identifier"] == 1
        assert [(one.id, one.access_count, one.version) for one in memory.list().items] == before


def test_the_command_fits_a_terminal_and_has_a_status_for_pipelines(
    cli, source, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("GLYMPH_READER", "none")
    monkeypatch.setenv("GLYMPH_EMBEDDER", "none")
    page = tmp_path / "audit.html"
    said = cli("audit", source, "--html", page)
    assert said.code == DONE
    assert said.out.startswith("Grade ")
    assert max(map(len, said.out.splitlines())) <= 80
    assert page.read_text().startswith("<!doctype html>")
    assert cli("audit", source, "--fail-under", "F").code == DONE
    assert cli("audit", source, "--fail-under", "b").code == FAILED
    facts = cli("audit", source, "--json").json
    assert facts["counts"]["duplicate"] == 1
    assert cli("audit", source, "--fail-under", "Z", "--json").error["code"] == "InvalidInput"


def test_the_command_judges_a_store_of_glymph_and_leaves_it_as_it_is(cli, url, monkeypatch):
    monkeypatch.setenv("GLYMPH_READER", "none")
    monkeypatch.setenv("GLYMPH_EMBEDDER", "none")
    cli("add", "The nightly run starts at two")
    facts = cli("audit", url, "--json").json
    assert (facts["kind"], facts["memories"]) == ("glymph", 1)
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        before = file.read_bytes(), file.stat().st_mtime_ns, sorted(file.parent.iterdir())
        by_file = cli("audit", file, "--json").json
        assert by_file["memories"] == 1
        assert (file.read_bytes(), file.stat().st_mtime_ns, sorted(file.parent.iterdir())) == before


def test_the_page_is_never_written_over_the_source(cli, source):
    before = source.read_bytes()
    said = cli("audit", source, "--html", source, "--json")
    assert said.error["code"] == "InvalidInput"
    assert source.read_bytes() == before
    nowhere = source.parent / "missing" / "audit.html"
    assert cli("audit", source, "--html", nowhere, "--json").error["code"] == "InvalidInput"
