"""Commands that run in the test's own process: another one starts for a second."""

from __future__ import annotations

import json
import sys
from typing import NamedTuple

from glymph.cli.main import main


class Said(NamedTuple):
    """How a command ended, and what it said on both channels."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error(self):
        assert set(self.json) == {"error"}
        assert set(self.json["error"]) == {"code", "message"}
        return self.json["error"]


def run_main(monkeypatch, capsys, *words):
    """Runs the real entry point with these words, and returns what it said."""
    monkeypatch.setattr(sys, "argv", ["glymph", *map(str, words)])
    capsys.readouterr()
    code = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
    shown = capsys.readouterr()
    return Said(code, shown.out, shown.err)
