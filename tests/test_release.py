"""What a release must agree on; `make release` does the rest in environments of its own."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from glymph.cli.main import app
from release import build

ROOT = Path(__file__).parents[1]


def test_every_place_says_the_same_version():
    assert len(set(build.find_versions().values())) == 1, build.find_versions()


def test_this_python_is_among_those_found():
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in dict(build.find_pythons())


def test_the_sdist_takes_files_from_the_root_only():
    """A bare `src` would also mean that of packages/glymph-reader, with its weights."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all(pattern.startswith("/") for pattern in included)


def test_the_demo_that_a_release_plays_says_whether_its_store_is_sound():
    told = json.loads(CliRunner().invoke(app, ["demo", "--json"]).stdout)
    build.check_demo(told)
    with pytest.raises(build.Failed, match="a row is gone"):
        build.check_demo({**told, "end": {**told["end"], "problems": ["a row is gone"]}})


def test_the_tools_are_pinned():
    for file in ("release/requirements.txt", "docs/requirements.txt"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert all("==" in line or line.startswith("#") for line in lines)
