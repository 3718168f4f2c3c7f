"""The hosts themselves read what `glymph install` wrote, and start our server by it.

They are large (a gigabyte together), so they are asked by night. None of them is signed in anywhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import glymph
from tests.programs import find_npm_program

pytestmark = pytest.mark.nightly
GLYMPH = Path(sys.executable).with_name("glymph")
HOSTS = {
    "codex": ("@openai/codex@0.169.0", "codex", "enabled"),
    "gemini": ("@google/gemini-cli@0.61.0", "gemini", "Connected"),
    "opencode": ("opencode-ai@1.18.33", "opencode", "connected"),
    "claude-code": ("@anthropic-ai/claude-code@2.1.197", "claude", "Connected"),
}


@pytest.fixture
def run(tmp_path):
    """Runs a command in an empty project, with an empty home and nothing of our environment."""
    home, project = tmp_path / "home", tmp_path / "project"
    (home / ".gemini").mkdir(parents=True)
    (project / ".git").mkdir(parents=True)
    for folder in (".codex", ".config/opencode"):
        (home / folder).mkdir(parents=True)
    trusted = {str(project): "TRUST_FOLDER"}
    (home / ".gemini" / "trustedFolders.json").write_text(json.dumps(trusted))
    environment = {
        "HOME": str(home), "PATH": f"{GLYMPH.parent}:{os.environ['PATH']}", "TERM": "dumb",
        "PYTHONPATH": str(Path(glymph.__file__).parents[1]), "GLYMPH_EMBEDDER": "none",
        "GLYMPH_READER": "none", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
    }  # fmt: skip

    def call(*command):
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, timeout=120,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout + done.stderr

    return call


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_starts_the_server_by_the_file_that_was_written(run, name):
    package, program, says = HOSTS[name]
    host = find_npm_program(program, package, program)
    run(GLYMPH, "install", name, "--apply")
    told = run(host, "mcp", "list")
    assert "glymph" in told
    assert says in told
    run(GLYMPH, "install", "remove", name, "--apply")
    assert says not in run(host, "mcp", "list")


def test_claude_code_takes_the_plugin(run, tmp_path):
    host = find_npm_program("claude", HOSTS["claude-code"][0], "claude")
    run(GLYMPH, "install", "claude-code", "--scope", "plugin", "--apply")
    plugin = tmp_path / "home" / ".glymph" / "claude-code"
    told = run(host, "plugin", "validate", plugin)
    assert "Validation passed" in told
    assert "warning" not in told
    run(host, "plugin", "marketplace", "add", plugin)
    run(host, "plugin", "install", "glymph@glymph")
    assert "enabled" in run(host, "plugin", "list")
    assert "Connected" in run(host, "mcp", "list")
