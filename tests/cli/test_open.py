"""`glymph open` and `glymph serve`: a link that signs in once, and a port that is taken."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

GLYMPH = [sys.executable, "-m", "glymph.cli.main"]


def test_the_link_opens_the_dashboard_and_the_server_ends_when_told(tmp_path):
    command = [*GLYMPH, "open", "--no-browser", "--at", "127.0.0.1:0"]
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    with subprocess.Popen(
        [*command, "--url", url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as server:  # fmt: skip
        try:
            link = re.search(r"http://\S+", server.stdout.readline())[0]
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with opener.open(link, timeout=30) as answer:
                assert "Nothing is remembered yet" in answer.read().decode()
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(link, timeout=30)
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0


@pytest.mark.parametrize("name", ["serve", "open"])
def test_a_port_that_is_taken_ends_the_command_before_it_writes_anything(name, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [*GLYMPH, name, "--at", address, "--url", f"sqlite:///{tmp_path / 'memory.db'}"],
            capture_output=True, text=True, timeout=60, check=False,
            env=os.environ | {"HOME": str(tmp_path)},
        )  # fmt: skip
    assert done.returncode == 1
    [told] = done.stderr.splitlines()
    assert told.startswith(f"glymph: at: cannot listen on {address}")
    assert "`lsof -i :" in told
    assert "--at HOST:PORT" in told
    assert list(tmp_path.iterdir()) == []
