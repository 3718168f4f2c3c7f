"""A command as a model: small programs that behave and misbehave."""

from __future__ import annotations

import json
import os
import shlex
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from glymph.errors import InvalidInput, ModelCancelled, ModelFailed, ModelTimedOut
from glymph.llm.dialogue import UNKNOWN, Message, Prices, Usage
from glymph.llm.providers import command
from glymph.llm.providers.command import CommandModel

ASKED = [Message("system", "Be brief."), Message("user", "Where does Ünal live?")]
PATIENCE = 20.0  # seconds: a call that is not ended by what is tested takes far longer
FOR_EVER = "import time\nwhile True: time.sleep(1)\n"


@pytest.fixture
def program(tmp_path):
    """Makes a program out of a text and gives its command line."""

    def written(text):
        path = tmp_path / "a program.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return shlex.join([sys.executable, "-X", "utf8", str(path)])

    return written


def test_it_reads_the_prompt_and_prints_the_answer(program):
    model = CommandModel(program("import sys; print(sys.stdin.read().upper())"))
    reply = model.complete(ASKED)
    assert reply.text == "BE BRIEF.\n\nWHERE DOES ÜNAL LIVE?"
    assert reply.ended == "done"
    assert reply.usage.tokens_in > 5
    assert reply.usage.tokens_out > 5
    assert reply.usage.cost_usd is None


def test_it_is_told_about_the_form_and_what_it_said_before(program):
    model = CommandModel(program("import sys; print(sys.stdin.read())"))
    said = model.complete(
        [*ASKED, Message("assistant", "Hm.")], {"type": "object"}, max_tokens=77
    ).text
    assert "You answered:\nHm." in said
    assert "at most 77 tokens" in said
    assert said.endswith('{"type": "object"}')


def test_what_claude_prints_as_json_is_understood(program):
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 5,
        "output_tokens": 4,
    }
    told = {
        "type": "result",
        "is_error": False,
        "result": "{}",
        "usage": usage,
        "total_cost_usd": 0.25,
    }
    reply = CommandModel(program(f"print({json.dumps(told)!r})")).complete(ASKED)
    assert (reply.text, reply.usage) == ("{}", Usage(18, 4, 0.25))


@pytest.mark.parametrize("usage", [None, {"input_tokens": "x"}])
def test_claude_without_usage_is_estimated(program, usage):
    told = {"is_error": False, "result": "Lisbon", "usage": usage}
    reply = CommandModel(program(f"print({json.dumps(told)!r})")).complete(ASKED)
    assert reply.text == "Lisbon"
    assert reply.usage.tokens_in > 5


@pytest.mark.parametrize(
    "printed", ['{"result": "x"}', '{"result": 5, "usage": {}}', "[1]", '{"city": "Rome"}']
)
def test_any_other_json_is_the_answer_itself(program, printed):
    assert CommandModel(program(f"print({printed!r})")).complete(ASKED).text == printed


def test_an_error_that_claude_reports_is_one(program):
    told = {"is_error": True, "result": "Credit balance is too low", "usage": {}}
    with pytest.raises(ModelFailed, match="Credit balance is too low") as caught:
        CommandModel(program(f"print({json.dumps(told)!r})")).complete(ASKED)
    assert caught.value.charged


def test_a_command_that_fails_is_quoted_without_the_key(program):
    failing = "import sys; print('x' * 999, 'bad sk-secret', file=sys.stderr); sys.exit(3)"
    with pytest.raises(ModelFailed, match=r"ended with 3 \(.*bad \[key\]") as caught:
        CommandModel(program(failing), key="sk-secret").complete(ASKED)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("key", ["sk-ant-api03-" + "Ab1" * 12, "AKIA" + "Z9" * 8])
def test_keys_of_anybody_that_a_command_complains_with_are_not_repeated(program, key):
    failing = f"import sys; print('Invalid key {key} given', file=sys.stderr); sys.exit(1)"
    with pytest.raises(ModelFailed, match=r"Invalid key \[secret\] given"):
        CommandModel(program(failing)).complete(ASKED)
    told = {"is_error": True, "result": f"Invalid key {key}", "usage": {}}
    with pytest.raises(ModelFailed, match=r"Invalid key \[secret\]"):
        CommandModel(program(f"print({json.dumps(told)!r})")).complete(ASKED)


def test_a_command_that_does_not_exist_is_named():
    with pytest.raises(ModelFailed, match="no-such-program-here cannot be started") as caught:
        CommandModel("no-such-program-here -p").complete(ASKED)
    assert not caught.value.charged


def test_a_command_need_not_read_its_prompt(program):
    long = [Message("user", "x" * 1_000_000)]
    assert CommandModel(program("print('ok')")).complete(long).text == "ok"


def test_the_whole_group_is_ended_when_the_call_is_called_off(program, tmp_path):
    with_a_child = f"""
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", {FOR_EVER!r}])
        open({str(tmp_path / "pid")!r}, "w").write(f"{{child.pid}}\\n")
        time.sleep(999)
    """
    model, cancel = CommandModel(program(with_a_child)), threading.Event()
    pid = tmp_path / "pid"

    def call_off_when_the_child_runs():
        while not (pid.exists() and pid.read_text().endswith("\n")):
            threading.Event().wait(0.005)
        cancel.set()

    watcher = threading.Thread(target=call_off_when_the_child_runs, daemon=True)
    watcher.start()
    with pytest.raises(ModelCancelled):
        model.complete(ASKED, timeout=PATIENCE, cancel=cancel)
    watcher.join()
    assert _ends(int(pid.read_text()))


def test_no_answer_in_time_is_told_with_the_time(program):
    began = time.monotonic()
    with pytest.raises(ModelTimedOut, match=r"within 0\.2 s"):
        CommandModel(program(FOR_EVER)).complete(ASKED, timeout=0.2)
    assert time.monotonic() - began < PATIENCE


def test_a_child_that_keeps_the_output_open_does_not_outlive_the_deadline(program):
    leaves_one = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {FOR_EVER!r}]); print('done')"
    with pytest.raises(ModelTimedOut):
        CommandModel(program(leaves_one)).complete(ASKED, timeout=1.0)


@pytest.mark.parametrize("pipe", ["stdout", "stderr"])
def test_what_prints_without_end_is_ended(program, monkeypatch, pipe):
    monkeypatch.setattr(command, "MOST_BYTES", 100_000)
    with pytest.raises(ModelFailed, match="printed more than 100,000 bytes"):
        CommandModel(program(f"import sys\nwhile True: sys.{pipe}.write('x' * 4096)")).complete(
            ASKED
        )


@pytest.mark.parametrize(("outer", "inner"), [(None, "1"), ("1", "2"), ("nonsense", "1")])
def test_what_runs_inside_is_told_how_deep_it_is(program, monkeypatch, outer, inner):
    monkeypatch.setenv("OF_THE_CALLER", "kept")
    if outer:
        monkeypatch.setenv("GLYMPH_DEPTH", outer)
    shows = "import os; print(os.environ['GLYMPH_DEPTH'], os.environ['OF_THE_CALLER'])"
    assert CommandModel(program(shows)).complete(ASKED).text == f"{inner} kept"


def test_a_command_inside_a_command_inside_a_command_is_refused(program, monkeypatch):
    monkeypatch.setenv("GLYMPH_DEPTH", "2")
    with pytest.raises(ModelFailed, match="inside itself"):
        CommandModel(program("print('never')")).complete(ASKED)


def test_no_shell_looks_at_the_command(program, tmp_path):
    line = (
        program("import sys; print(sys.argv[1:])")
        + " '$HOME' ; '>' "
        + shlex.quote(str(tmp_path / "made"))
    )
    assert "$HOME" in CommandModel(line).complete(ASKED).text
    assert not (tmp_path / "made").exists()


def test_names_and_prices():
    model = CommandModel("/usr/bin/claude -p --model haiku --append-system-prompt 'a secret'")
    assert (model.name, model.prices) == ("command:claude:haiku", UNKNOWN)
    assert CommandModel("llm --model=gpt-4o-mini").name == "command:llm:gpt-4o-mini"
    assert CommandModel("llm").prices == UNKNOWN
    assert CommandModel("llm", prices="1/2").prices == Prices(1.0, 2.0)
    assert "secret" not in repr(model)


@pytest.mark.parametrize("line", ["claude 'unclosed", "   "])
def test_a_line_that_is_no_command_is_refused(line):
    with pytest.raises(InvalidInput, match="command"):
        CommandModel(line)


def _ends(pid):
    """Whether a process goes away; a killed one does so in a moment, or is left for init to bury."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        threading.Event().wait(0.01)
    return False
