"""A model from a file, without one.

What is checked before it is loaded, and how calls and closing meet.
"""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from glymph.errors import InvalidInput, ModelCancelled, ModelFailed, ModelTimedOut
from glymph.llm import open_model
from glymph.llm.dialogue import FREE, Message
from glymph.llm.providers.gguf import GGUFModel, _Either
from tests.llm.scripted import says, service, stalls

ASKED = [Message("user", "Where?")]
ANSWER = {"choices": [{"message": {"content": "Here."}, "finish_reason": "stop"}]}


@pytest.fixture
def behind(tmp_path, monkeypatch):
    """Opens a model whose server is a scripted one; `started` grows with every start."""
    started = []

    def opened(url):
        def serve(self, key):
            started.append(key)
            return SimpleNamespace(listening_address=url.removesuffix("/v1"))

        monkeypatch.setattr(GGUFModel, "_serve", serve)
        monkeypatch.setattr("glymph.llm.providers.gguf.find_spec", lambda name: name)
        (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
        return GGUFModel(tmp_path / "tiny.gguf"), started

    return opened


def test_it_is_started_at_the_first_question_and_again_after_it_was_closed(behind):
    with service(then=says(ANSWER)) as (url, requests):
        model, started = behind(url)
        assert started == []
        assert [model.complete(ASKED).text for _ in range(2)] == ["Here.", "Here."]
        assert len(started) == 1
        model.close()
        model.close()
        model.complete(ASKED)
    assert len(set(started)) == 2
    assert [r["headers"]["Authorization"].split()[1] for r in requests] == [
        started[0],
        started[0],
        started[1],
    ]
    assert (model.name, model.prices) == ("gguf:tiny.gguf", FREE)


def test_closing_calls_off_what_is_asked(behind):
    asked, raised = threading.Event(), []

    def asked_for_ever(handler):
        asked.set()
        stalls(handler)

    with service(asked_for_ever) as (url, _):
        model, _ = behind(url)

        def ask():
            with pytest.raises(ModelCancelled) as caught:
                model.complete(ASKED, timeout=600)
            raised.append(caught.value)

        thread = threading.Thread(target=ask)
        thread.start()
        asked.wait()
        model.close()
        thread.join()
    assert [error.model for error in raised] == ["gguf:tiny.gguf"]


def test_a_call_that_is_called_off_or_late_says_so_with_its_own_time(behind):
    cancel = threading.Event()
    cancel.set()
    with service(then=stalls) as (url, _):
        model, _ = behind(url)
        with pytest.raises(ModelCancelled):
            model.complete(ASKED, cancel=cancel)
        with pytest.raises(ModelTimedOut, match=r"within 0\.1 s"):
            model.complete(ASKED, timeout=0.1)
        model.close()


def test_either_event_ends_a_wait():
    other = threading.Event()
    both = _Either(other)
    assert not both.wait(0.0)
    other.set()
    assert both.wait()
    alone = _Either(None)
    assert not alone.wait(0.001)
    alone.set()
    assert alone.wait()


def test_a_gguf_file_must_be_there_and_be_one(tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"PK\x03\x04")
    with pytest.raises(InvalidInput, match="not a GGUF file"):
        open_model(f"gguf:{other}")
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_model(f"gguf:{tmp_path}/none.gguf")
    with pytest.raises(InvalidInput, match="cannot be read"):
        open_model(f"gguf:{tmp_path}")


def test_without_the_package_it_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr("glymph.llm.providers.gguf.find_spec", lambda name: None)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    with pytest.raises(InvalidInput, match=r"pip install 'glymph\[gguf\]'"):
        open_model(f"gguf:{tmp_path}/tiny.gguf")


def test_a_damaged_gguf_file_is_an_error_and_prints_nothing(tmp_path, capfd):
    pytest.importorskip("xllamacpp")
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + bytes(range(256)) * 9)
    model = GGUFModel(tmp_path / "tiny.gguf")
    assert model.prices == FREE
    with pytest.raises(ModelFailed, match="cannot be loaded"):
        model.complete([])
    assert capfd.readouterr() == ("", "")
