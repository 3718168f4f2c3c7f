"""Every example of docs/extending.md, installed as a package and run as a program would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
BLOCK = re.compile(r"^```(python|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
GROUPS = {
    "rules",
    "groupings",
    "tools",
    "jobs",
    "embedders",
    "readers",
    "models",
    "stores",
    "importers",
}


def install(folder):
    """Writes the files of the page and the metadata of a package that has its entry points."""
    program, entry_points = [], []
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "toml":
            entry_points.append(re.sub(r'\[project\.entry-points\."(.+?)"\]', r"[\1]", text))
        elif name := FILE.match(text):
            (folder / name[1]).write_text(text, encoding="utf-8")
        else:
            program.append(text)
    metadata = folder / "glymph_examples-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: glymph-examples\nVersion: 1.0\n"
    )
    ini = "\n".join(entry_points).replace('"', "")
    (metadata / "entry_points.txt").write_text(ini, encoding="utf-8")
    return "\n".join(program), ini


def test_every_extension_point_has_an_example_that_works(tmp_path):
    program, entry_points = install(tmp_path)
    assert set(re.findall(r"\[glymph\.(\w+)\]", entry_points)) == GROUPS
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
