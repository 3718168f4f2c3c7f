"""A server that is killed loses nothing it acknowledged; one that is told to stop finishes."""

from __future__ import annotations

import signal

import pytest

from benchmarks import serve
from benchmarks.harness.served import served_process
from glymph import Glymph
from glymph.errors import ServerAway


@pytest.mark.nightly
def test_a_killed_server_loses_nothing_and_applies_retries_once(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/memory.db"
    monkeypatch.setattr(serve, "UNTIL_KILL", 12)
    lost, twice, retried, sound = serve._kill(url, tmp_path)
    assert (lost, twice, sound) == (0, 0, True)
    assert retried > 0


def test_a_server_that_is_told_to_stop_ends_in_order(tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with (
        served_process(url, tmp_path) as server,
        Glymph.open(f"http://127.0.0.1:{server.port}") as glymph,
    ):
        made = glymph.add("The last one before the end.").id
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        with pytest.raises(ServerAway):
            glymph.add("Too late.")
    with Glymph.open(url) as glymph:
        assert glymph.get(made).text == "The last one before the end."
