"""`glymph open`: a link that signs in once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest


def test_the_link_opens_the_dashboard_and_the_server_ends_when_told(tmp_path):
    command = [
        sys.executable,
        "-m",
        "glymph.cli.main",
        "open",
        "--no-browser",
        "--at",
        "127.0.0.1:0",
    ]
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
