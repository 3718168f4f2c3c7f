"""The example of the README as somebody runs it, and its picture.

In a process of its own, with the model that is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def find_blocks(language: str) -> str:
    text = README.read_text(encoding="utf-8")
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S))


def test_the_example_holds_with_and_without_the_local_model(tmp_path):
    code, printed = find_blocks("python"), find_blocks("text")
    opened = 'Glymph.open("sqlite:///agent.db")'
    assert opened in code
    for models in ({}, {"embedder": "none"}, {"embedder": "none", "reader": "none"}):
        folder = tmp_path / "-".join(["with", *models])
        folder.mkdir()
        own = code.replace(opened, f'Glymph.open("sqlite:///agent.db", settings={models!r})')
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", own],
            cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, printed, ""), models


def test_it_fits_a_screen_and_a_half():
    shown = [line for line in README.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(shown) <= 80


def test_the_pictures_it_shows_are_there_and_fetch_nothing():
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README.read_text(encoding="utf-8"))
    assert pictures == ["docs/images/demo.svg"]
    drawn = (ROOT / pictures[0]).read_text(encoding="utf-8")
    assert "url(" not in drawn.replace("url(#", "")
    assert "glymph demo" in unescape(drawn).replace("\xa0", " ")
