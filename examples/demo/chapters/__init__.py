"""The chapters of the demo's report: each gathers plain data from a loaded memory and shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph


class Chapter(Protocol):
    """The functions a module in this folder offers; its name is its key in the JSON report."""

    def gather(self, glymph: Glymph, played: Played) -> dict[str, Any]: ...

    def show(self, console: Console, facts: dict[str, Any]) -> None: ...
