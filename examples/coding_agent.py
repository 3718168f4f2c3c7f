"""A coding agent with hooks: its host calls `glymph hook`, and the next session knows.

A host such as Claude Code does this by itself after `glymph install claude-code`; here a program
plays the host. Run it: python examples/coding_agent.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from glymph import Glymph

SAID = (
    ("user", "We decided to use PostgreSQL for the billing service."),
    ("assistant", "Noted. I will write the migration for PostgreSQL."),
    ("user", "Always run the linter before you commit."),
)


def call_hook(event: str, home: Path, **sent: Any) -> str:
    """Calls a hook as a host does, with JSON on its standard input; returns the text it gives."""
    own = {"GLYMPH_HOME": str(home), "GLYMPH_URL": f"sqlite:///{(home / 'memory.db').as_posix()}"}
    done = subprocess.run(
        [sys.executable, "-m", "glymph.cli.start", "hook", event, "--space", "shop"],
        input=json.dumps({"session_id": "s1", "cwd": str(home), **sent}),
        env={**os.environ, **own, "GLYMPH_EMBEDDER": "none", "GLYMPH_READER": "none"},
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    if not done.stdout:
        return ""
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


def wait_for_memories(home: Path, seconds: float = 60) -> list[str]:
    """Returns what a process in the background has read out of the session, once it is done."""
    ends = time.monotonic() + seconds
    url = f"sqlite:///{(home / 'memory.db').as_posix()}"
    with Glymph.open(url, space="shop", embedder="none", reader="none") as memory:
        while not (found := [one.text for one in memory.list()]) and time.monotonic() < ends:
            time.sleep(0.2)
        return found


def main() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        transcript = home / "session.jsonl"
        lines = [json.dumps({"role": role, "content": text}) for role, text in SAID]
        transcript.write_text("\n".join(lines) + "\n", encoding="utf-8")

        call_hook("session-end", home, transcript_path=str(transcript), reason="other")
        print("The session ended; in the background it was read:")
        for text in wait_for_memories(home):
            print(f"  {text}")

        print("The next session begins with:")
        print(call_hook("session-start", home, session_id="s2", source="startup"))
        print("A prompt brings what bears on it:")
        print(call_hook("prompt-submit", home, prompt="Which database does billing use?"))


if __name__ == "__main__":
    main()
