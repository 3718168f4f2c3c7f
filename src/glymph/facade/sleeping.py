"""What a handle does while the agent sleeps: extract, lifecycle, AI prune, the digest, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph import services
from glymph.core.model import Costs, Receipt
from glymph.facade.handle import Handle

if TYPE_CHECKING:  # what services give; each service is loaded when it is first called
    from glymph.core.consolidated import Consolidated
    from glymph.core.extraction import Extraction
    from glymph.core.gardened import Gardened
    from glymph.core.lifecycle_run import Fading, LifecycleRun
    from glymph.core.memetics import MemeticStatus
    from glymph.core.status import AutonomousStatus
    from glymph.core.upkeep import AiPruned
    from glymph.services.playbooks import PlaybookMatch

Progress = Callable[[int, int], None]


class Sleeping(Handle):
    """What a handle does while the agent sleeps."""

    def extract(
        self, transcript: str | Path | Iterable[Mapping[str, Any] | str], *, session: str | None = None,
        dry_run: bool = False, again: bool = False, progress: Progress | None = None,
    ) -> Extraction:  # fmt: skip
        """Remembers what a transcript says that will matter later; a file is read from where it was left.

        `again` reads it from its beginning: after an undo, or with another model.
        With a language model, or by rules without one. Secrets are masked before anything leaves the machine.
        """
        return services.extract.extract(
            self._place, transcript, session=session, dry_run=dry_run, again=again, progress=progress
        )

    def lifecycle(self, *, if_needed: bool = False, dry_run: bool = False) -> LifecycleRun:
        """Archives what has faded and has a reason to go, trashes what it archived long ago, empties the trash."""
        return services.lifecycle.lifecycle(self._place, if_needed=if_needed, dry_run=dry_run)

    def ai_prune(
        self, *, if_needed: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> AiPruned:
        """Lets the language model nominate what may go, in batches of similar memories; code decides and archives.

        A dry run asks nothing: it tells what would be shown and what it may cost at most.
        """
        return services.ai_prune.ai_prune(self._place, if_needed=if_needed, dry_run=dry_run, progress=progress)

    def consolidate(
        self, *, if_needed: bool = False, dry_run: bool = False, grouping: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Consolidated:  # fmt: skip
        """Makes few lessons of many episodes, every claim counted again; by statistics alone without a model.

        `grouping` are ways to group episodes, tried in turn: symbol, entity, tag, session, attribute:NAME.
        """
        return services.consolidate.consolidate(
            self._place, if_needed=if_needed, dry_run=dry_run, ways=grouping, progress=progress
        )

    def match_playbooks(
        self, situation: str, *, attributes: Mapping[str, Any] | None = None, limit: int = 5
    ) -> list[PlaybookMatch]:
        """The playbooks that fit a situation, by success rate × fit × min(1, outcomes / 10), the best first."""
        return services.playbooks.match_playbooks(self._place, situation, attributes=attributes, limit=limit)

    def garden(self, *, dry_run: bool = False) -> Gardened:
        """Drops links that have faded away, makes one of what is said twice, and lists orphans; one undo for all.

        Without an embedder duplicates are not looked for. A dry run tells what would be done.
        """
        return services.garden.garden(self._place, dry_run=dry_run)

    def memetic_status(self) -> MemeticStatus:
        """How the memory is doing: entropy, coherence, stage, what to do next, and which tool does it."""
        return services.memetics.memetic_status(self._place)

    def fading(self, *, announce: bool = False) -> tuple[Fading, ...]:
        """Lessons, theses and playbooks that are WEAK, with what can be done; announced once a day at most."""
        return services.fading.fading(self._place, announce=announce)

    def reinforce(self, ids: str | Iterable[str]) -> Receipt:
        """Counts one use of each memory: what somebody wants to keep stays."""
        return services.fading.reinforce(self._place, ids)

    def surface(self, budget_tokens: int | None = None) -> str:
        """A Markdown digest of what a session should know at its start; goals and fading lessons come first.

        It stands between marks by which extraction knows it, so that nothing is learnt from it again.
        """
        return services.surface.surface(self._place, budget_tokens)

    def costs(self, *, days: int = 30) -> Costs:
        """What language models have cost in these days, by job, model and day, and what may still be spent."""
        return services.costs.costs(self._place, days=days)

    def autonomous_status(self) -> AutonomousStatus:
        """What upkeep did and when it is due again, what waits, what it may still do today, and what to do."""
        return services.status.autonomous_status(self._place)

    def unfinished(self) -> int:
        """How many jobs of this space wait for a worker."""
        return len(services.queue.waiting(self._place))
