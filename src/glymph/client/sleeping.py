"""What a handle does while the agent sleeps: extract, lifecycle, AI prune, the digest, and what
that costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph import learn, prune, upkeep
from glymph.client.handle import Handle
from glymph.model import Receipt

if TYPE_CHECKING:  # what services give; each service is loaded when it is first called
    from glymph.learn.consolidate_result import Consolidated
    from glymph.learn.extract_result import Extraction
    from glymph.learn.memetic_figures import MemeticStatus
    from glymph.learn.playbooks import PlaybookMatch
    from glymph.llm.costs import Costs
    from glymph.prune.ai_prune_result import AiPruned
    from glymph.prune.garden_result import Gardened
    from glymph.prune.lifecycle_result import Fading, LifecycleRun
    from glymph.upkeep.status_result import AutonomousStatus

Progress = Callable[[int, int], None]


class Sleeping(Handle):
    """What a handle does while the agent sleeps."""

    def extract(
        self, transcript: str | Path | Iterable[Mapping[str, Any] | str], *, session: str | None = None,
        dry_run: bool = False, again: bool = False, progress: Progress | None = None,
    ) -> Extraction:  # fmt: skip
        """Remembers what a transcript says that will matter later; a file is read from where it was
        left.

        `again` reads it from its beginning: after an undo, or with another model. With a language
        model, or by rules without one. Secrets are masked before anything leaves the machine.
        """
        return learn.extract.extract(
            self._ctx, transcript, session=session, dry_run=dry_run, again=again, progress=progress
        )

    def lifecycle(self, *, if_needed: bool = False, dry_run: bool = False) -> LifecycleRun:
        """Archives what has faded and has a reason to go, trashes what it archived long ago,
        empties the trash.
        """
        return prune.lifecycle.lifecycle(self._ctx, if_needed=if_needed, dry_run=dry_run)

    def ai_prune(
        self, *, if_needed: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> AiPruned:
        """Lets the language model nominate what may go, in batches of similar memories; code
        decides and archives.

        A dry run asks nothing: it tells what would be shown and what it may cost at most.
        """
        return prune.ai_prune.ai_prune(
            self._ctx, if_needed=if_needed, dry_run=dry_run, progress=progress
        )

    def consolidate(
        self, *, if_needed: bool = False, dry_run: bool = False, grouping: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Consolidated:  # fmt: skip
        """Makes few lessons of many episodes, every claim counted again; by statistics alone
        without a model.

        `grouping` are ways to group episodes, tried in turn: symbol, entity, tag, session,
        attribute:NAME.
        """
        return learn.consolidate.consolidate(
            self._ctx, if_needed=if_needed, dry_run=dry_run, ways=grouping, progress=progress
        )

    def match_playbooks(
        self, situation: str, *, attributes: Mapping[str, Any] | None = None, limit: int = 5
    ) -> list[PlaybookMatch]:
        """The playbooks that fit a situation, by success rate × fit × min(1, outcomes / 10), the
        best first.
        """
        return learn.playbooks.match_playbooks(
            self._ctx, situation, attributes=attributes, limit=limit
        )

    def garden(self, *, dry_run: bool = False) -> Gardened:
        """Drops links that have faded away, makes one of what is said twice, and lists orphans; one
        undo for all.

        Without an embedder duplicates are not looked for. A dry run tells what would be done.
        """
        return prune.garden.garden(self._ctx, dry_run=dry_run)

    def memetic_status(self) -> MemeticStatus:
        """How the memory is doing: entropy, coherence, stage, what to do next, and which tool does
        it.
        """
        return learn.memetics.memetic_status(self._ctx)

    def fading(self, *, announce: bool = False) -> tuple[Fading, ...]:
        """Lessons, theses and playbooks that are WEAK, with what can be done; announced once a day
        at most.
        """
        return prune.fading.fading(self._ctx, announce=announce)

    def reinforce(self, ids: str | Iterable[str]) -> Receipt:
        """Counts one use of each memory: what somebody wants to keep stays."""
        return prune.fading.reinforce(self._ctx, ids)

    def surface(self, budget_tokens: int | None = None) -> str:
        """A Markdown digest of what a session should know at its start; goals and fading lessons
        come first.

        It stands between marks by which extraction knows it, so that nothing is learnt from it
        again.
        """
        return learn.surface.surface(self._ctx, budget_tokens)

    def costs(self, *, days: int = 30) -> Costs:
        """What language models have cost in these days, by job, model and day, and what may still
        be spent.
        """
        from glymph.llm.costs import costs

        return costs(self._ctx, days=days)

    def autonomous_status(self) -> AutonomousStatus:
        """What upkeep did and when it is due again, what waits, what it may still do today, and
        what to do.
        """
        return upkeep.status.autonomous_status(self._ctx)

    def unfinished(self) -> int:
        """How many jobs of this space wait for a worker."""
        return len(upkeep.queue.waiting(self._ctx))
