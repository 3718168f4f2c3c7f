"""Documentation that cannot go stale: every Python block runs, every page is what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


def test_every_link_between_pages_leads_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_word_of_the_public_surface_is_in_the_reference():
    from glymph.config import Settings
    from glymph.tools import all_tools

    reference = "".join(path.read_text() for path in (ROOT / "docs" / "reference").glob("*.md"))
    for name in [*all_tools(), *Settings.__dataclass_fields__]:
        assert f"`{name}`" in reference or f"## {name}" in reference, name
