"""The example of the README as somebody runs it.

In a process of its own, with the model that is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_holds_with_and_without_the_local_model(tmp_path):
    code = "\n".join(
        re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    )
    opened = 'Glymph.open("sqlite:///agent.db")'
    assert opened in code
    for embedder in ("auto", "none"):
        folder = tmp_path / embedder
        folder.mkdir()
        own = code.replace(opened, f'Glymph.open("sqlite:///agent.db", embedder={embedder!r})')
        done = subprocess.run(
            [sys.executable, "-c", own], cwd=folder, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), embedder
