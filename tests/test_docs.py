"""Documentation that cannot go stale: every Python block runs, every page is what the code says."""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from typer.testing import CliRunner

from docs import drawings, site_hooks

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


RUN_ELSEWHERE = {"extending.md"}  # by test_extending: its examples are installed first


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if BLOCK.search(p.read_text()) and p.name not in RUN_ELSEWHERE],
    ids=lambda p: p.name,
)
def test_every_python_block_of_a_page_runs(page, tmp_path, monkeypatch):
    """The blocks of one page run one after the other, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), names)
    assert names["memory"].verify().ok
    names["memory"].close()


TYPED = re.compile(r"^```(?:console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TURN = {"role": "user", "content": "Remember that the truck of day 7 leaves at nine."}


def talk(glymph):
    glymph.conversations().append("warehouse", *[TURN] * 30)
    return {}


def keep_a_file(glymph):
    Path("notes.txt").write_text(json.dumps({"text": "The depot opens at seven."}) + "\n")
    Path("session.jsonl").write_text(json.dumps({"session_id": "s1", **TURN}) + "\n")
    return {
        "~/.mem0": "notes.txt --from jsonl",
        "notes.txt --from jsonl --from": "notes.txt --from",
    }


def name_ids(glymph):
    """What stands for an id on the page: a memory, a plan, a time that the journal reaches."""
    memory = glymph.add("Ada lives in Berlin").id
    plan = glymph.analyze(min_staleness=0, include_isolated=True)
    soon = (glymph.context.now() + timedelta(days=1)).isoformat()
    return {"MEMORY_ID": memory, "PLAN --groups 1": f"{plan.id} --groups {plan.groups[0].group}",
            "2026-03-01T00:00Z": soon}  # fmt: skip


# Pages whose commands are run as they stand, with what each needs before.
PREPARED = {
    "quickstart.md": None,
    "how-to/first-steps.md": name_ids,
    "how-to/history.md": talk,
    "how-to/import.md": keep_a_file,
    "how-to/models.md": keep_a_file,
    "how-to/tune-decay.md": None,
    "how-to/upgrade.md": None,
}
# Commands of other programs, and those that serve until they are stopped or need a server.
PLAN = re.compile(r"^Plan ([0-9a-f]{8})", re.MULTILINE)  # that a page goes on with
NOT_RUN = re.compile(r"pip |glymph (mcp|serve|open|sleep worker|store migrate)|.* 0192f0c1")


@pytest.mark.parametrize("page", PREPARED)
def test_every_command_of_a_page_runs(page, tmp_path, monkeypatch):
    """One after the other, on a fresh store, in an empty folder."""
    from glymph import Glymph
    from glymph.cli.main import app
    from glymph.cli.output import LEFT_ALONE

    url = f"sqlite:///{tmp_path / 'memory.db'}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("HOME", str(tmp_path))
    with Glymph.open(url) as glymph:
        prepare = PREPARED[page]
        given = prepare(glymph) if prepare else {}
    blocks = "\n".join(TYPED.findall((ROOT / "docs" / page).read_text(encoding="utf-8")))
    commands = [line.removeprefix("$ ") for line in blocks.splitlines() if line.strip()]
    typed = [one for one in commands if not NOT_RUN.match(one)]
    assert typed
    for command in typed:
        for shown, meant in given.items():
            command = command.replace(shown, meant)
        program, *arguments = shlex.split(command, comments=True)
        if program == "export":
            for name, _, value in (one.partition("=") for one in arguments):
                monkeypatch.setenv(name, value)
            continue
        assert program == "glymph", command
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code in (0, LEFT_ALONE), f"{command}\n{done.output}\n{done.exception!r}"
        assert not done.stderr, f"{command}\n{done.stderr}"  # no hint that it has another name
        if shown := PLAN.search(done.output):
            given["PLAN"] = shown[1]


LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINKING = [*PAGES, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


def headings(page: Path) -> set[str]:
    """What can be linked to, as the site and forges name it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = unicodedata.normalize("NFKD", line)
        found.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return found


def test_every_link_between_pages_leads_to_a_page_and_a_heading():
    for page in LINKING:
        for target, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            if "://" in target:
                continue
            found = page.parent / target if target else page
            assert found.exists(), f"{page.name} links to {target}"
            if anchor:
                assert anchor in headings(found), f"{page.name} links to {target}#{anchor}"


# the site


def test_every_page_is_in_the_site_once_and_the_glossary_last():
    def pages(entry):
        if isinstance(entry, str):
            return [entry]
        inner = entry.values() if isinstance(entry, dict) else entry
        return [page for one in inner for page in pages(one)]

    listed = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    there = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(listed) == sorted(there | set(site_hooks.SHOWN.values()))
    assert listed[-1] == "glossary.md"


def test_the_site_loads_nothing_from_elsewhere():
    """Fonts come from a service unless they are off; a repository's address is asked for its stars."""
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert config["theme"]["font"] is False
    assert "repo_url" not in config
    assert config["plugins"] == ["search"]


@pytest.mark.parametrize(
    ("page", "link", "turned"),
    [
        ("docs/how-to/mcp.md", "](../../SECURITY.md#reporting)", "](../security.md#reporting)"),
        ("docs/faq.md", "](concepts.md#spaces)", "](concepts.md#spaces)"),
        ("SECURITY.md", "](docs/how-to/mcp.md)", "](how-to/mcp.md)"),
        ("docs/faq.md", "](https://example.org/a.md)", "](https://example.org/a.md)"),
        ("docs/how-to/serve.md", "](../../deploy)", f"]({site_hooks.SOURCE}/deploy)"),
    ],
)
def test_links_out_of_the_docs_are_turned_for_the_site(page, link, turned):
    from pathlib import PurePosixPath

    assert site_hooks.turn_links(link, PurePosixPath(page)) == turned


def test_the_drawings_are_what_the_code_draws():
    for path, drawn in drawings.draw_all():
        assert path.read_text(encoding="utf-8") == drawn, "run `python -m docs.drawings`"
        assert ET.fromstring(drawn).find("{http://www.w3.org/2000/svg}title") is not None


def test_the_table_of_the_glossary_is_one_and_in_order():
    rows = re.findall(r"^\| (.*?) \|", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    assert rows[0] == "word"
    assert rows[1:] == sorted(rows[1:], key=str.casefold)


def test_every_word_of_the_public_surface_is_in_the_reference():
    from glymph.config import Settings
    from glymph.tools import all_tools

    reference = "".join(path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md"))
    for name in [*all_tools(), *Settings.__dataclass_fields__]:
        assert f"`{name}`" in reference or f"## {name}" in reference, name


def test_what_supersede_leaves_alone_leads_to_the_questions():
    from glymph.tools.render import render_receipt

    asked = {"id": "m", "reason": "'x' may mean this one or another: answer the question about it"}
    receipt = {"verb": "supersede", "succeeded": ["a"], "skipped": [asked], "failed": [],
        "operation_id": "o"}  # fmt: skip
    told = [line.text for line in render_receipt(receipt)]
    assert any(one.endswith("Answer it with: glymph questions") for one in told)
    other = {**receipt, "skipped": [{"id": "m", "reason": "is pinned"}]}
    assert not any("glymph questions" in line.text for line in render_receipt(other))
    assert "`glymph questions`" in (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")
