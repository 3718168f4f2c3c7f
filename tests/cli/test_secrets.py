"""Secrets in settings and addresses: no command, error or log shows one."""

from __future__ import annotations

import json
import logging

import pytest

from glymph.cli.worker import OneLine
from glymph.telemetry import JsonLines, PlainLines
from glymph.text.secrets import SECRET, mask_url
from tests.grounds.commands import run_main

PASSWORD, TOKEN = "hunter2", "tok" + "en4711"
ADDRESSES = {
    f"postgresql://app:{PASSWORD}@db.example.com:5432/shop": PASSWORD,
    f"postgresql://db.example.com/shop?user=app&password={PASSWORD}": PASSWORD,
    f"https://{TOKEN}@models.example.com/v1": TOKEN,
    f"https://:{PASSWORD}@models.example.com/v1": PASSWORD,
    f"https://models.example.com/v1?api_key={TOKEN}": TOKEN,
    f"https://models.example.com/v1?model=x&sig={TOKEN}&page=2": TOKEN,
    f"https://models.example.com/v1;token={TOKEN}": TOKEN,
    f"https://app%40corp:{PASSWORD}@models.example.com/v1#frag": PASSWORD,
}


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Runs a command with settings of its own; what it prints and its errors."""
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GLYMPH_URL", f"sqlite:///{tmp_path}/memory.db")

    def run(*arguments):
        said = run_main(monkeypatch, capsys, *arguments)
        return said.out + said.err

    return run


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_is_shown_without_its_secret(url):
    shown = mask_url(url)
    assert ADDRESSES[url] not in shown
    assert SECRET in shown
    assert "example.com" in shown
    assert mask_url(shown) == shown


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1", "sqlite:////home/eva/memory.db?mode=ro", "http://[::1]:8080/v1",
        "https://example.com/a@b?page=2", "none", "openai:gpt-5", "gguf:/models/a.gguf", "",
    ],
)  # fmt: skip
def test_an_address_without_one_stays_as_it_is(url):
    assert mask_url(url) == url


@pytest.mark.parametrize("url", [url for url in ADDRESSES if url.startswith("https")])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_settings_are_shown_without_secrets_in_addresses(run, url, form, monkeypatch):
    assert ADDRESSES[url] not in run("config", "set", "embedder_url", url, *form)
    assert ADDRESSES[url] not in run("config", "show", *form)
    assert ADDRESSES[url] not in run("config", "show", "--effective", *form)


def test_a_command_that_is_a_model_is_shown_without_its_key(run):
    told = run("config", "set", "model", f"command:ask --api-key {TOKEN}9x8y7z")
    assert TOKEN not in told + run("config", "show", "--json")


@pytest.mark.parametrize(
    "command", [["doctor"], ["status"], ["list"], ["init"], ["worker", "--dead"]]
)
def test_a_store_that_cannot_be_reached_is_named_without_its_password(run, command, monkeypatch):
    monkeypatch.setenv(
        "GLYMPH_URL", f"postgresql://app:{PASSWORD}@127.0.0.1:1/shop?connect_timeout=1"
    )
    shown = run(*command)
    assert shown
    assert PASSWORD not in shown


def test_a_scheme_that_nobody_serves_is_named_without_its_password(run, monkeypatch):
    monkeypatch.setenv("GLYMPH_URL", f"mysql://app:{PASSWORD}@db.example.com/shop")
    for form in ((), ("--json",)):
        assert PASSWORD not in run("list", *form)


@pytest.mark.parametrize("formatter", [JsonLines(), PlainLines("%(message)s"), OneLine()])
def test_no_log_tells_a_secret_or_steers_a_terminal(formatter):
    record = logging.makeLogRecord(
        {
            "msg": "cannot reach %s \x1b[2J\u202e",
            "args": (next(iter(ADDRESSES)),),
            "levelname": "INFO",
        }
    )
    line = formatter.format(record)
    assert PASSWORD not in line
    assert "\x1b" not in line
    assert "\u202e" not in line


def test_json_for_machines_says_the_same_and_steers_nothing(run):
    text = "a\x9b31m \u202e \u2028 \U000e0041 b"
    told = run("add", text, "--json")
    found = run("search", "a b", "--json")
    assert json.loads(found)["hits"][0]["text"] == text
    assert not {"\x9b", "\u202e", "\u2028", "\U000e0041"} & set(told + found)
