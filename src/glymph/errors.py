"""The errors that Glymph raises.

    GlymphError
    ├── InvalidInput            (ValueError)   a value cannot be accepted; names the field
    ├── NotFound                (LookupError)  no such thing in this space
    │   ├── MemoryNotFound
    │   ├── QuestionNotFound
    │   ├── SpaceNotFound
    │   ├── OperationNotFound
    │   ├── ClusterNotFound
    │   ├── EntityNotFound
    │   ├── RecallNotFound
    │   ├── PlanNotFound
    │   └── HashNotFound
    ├── Refused                                a rule forbids it
    │   ├── Protected                          the memory is protected for good
    │   ├── Pinned                             unpin it first
    │   ├── Isolated                           it would reach into another space
    │   ├── NotUndoable                        this operation has no way back
    │   ├── AlreadyUndone
    │   ├── Purged                             it was removed for good
    │   ├── Ambiguous                          it may mean several; names them
    │   ├── PlanExpired                        the plan is too old to be acted on
    │   ├── IdentifierLeft                     a purge would leave part of what it must remove
    │   ├── TooMany                            more than may go at once without confirmation
    │   ├── TooManyToday                       more than an agent may put away in a day
    │   ├── NoModel                            it needs a language model and none is configured
    │   ├── BudgetSpent                        a call might cost more than may be spent
    │   ├── Forbidden                          the token does not go that far
    │   ├── VersionChanged                     it was changed since it was looked at
    │   ├── KeyReused                          an idempotency key came with another request
    │   ├── AnswerLost                         a repeated request was done; its answer is not kept
    │   ├── LeaseLost                          another worker has taken over the space
    │   └── ClockDoubtful                      the clock of this machine may be wrong
    ├── ExtraMissing            (ImportError)  a framework is not installed; names the extra
    ├── SourceDamaged                          what is to be imported or audited cannot be read
    ├── BadExtension                           a package adds something that cannot be used
    ├── HistoryGone                            older than the journal reaches
    ├── TooMuchHistory                         too many memories changed since
    ├── EmbedderFailed                         texts cannot be turned into vectors now
    ├── ReaderFailed                           texts cannot be judged now
    ├── ModelFailed                            the language model gave no answer
    │   ├── ModelTimedOut                      in time
    │   └── ModelCancelled                     because the call was cancelled
    ├── MalformedReply                         the language model's answer cannot be used
    ├── ServiceError                           a server that keeps the store
    │   ├── Unauthorized                       it does not know the token
    │   ├── ServerAway                         it cannot be reached, or gave no answer
    │   ├── TooFast                            more requests than it takes in a while
    │   └── NotOverTheWire                     it needs the store itself, not a server
    └── StoreError                             the store itself
        ├── StoreMissing                       there is none, and none was to be created
        ├── UnknownScheme
        ├── NotAStore
        ├── StoreMoved
        ├── CorruptStore
        ├── NewerSchema
        ├── ReadOnlyStore
        ├── StoreFull
        ├── StoreBusy
        ├── StoreAway                          its server cannot be reached, or went away
        ├── PartsAway                          some stores of a map cannot be used now
        └── KeyMissing                         without it, what was removed cannot be recognised

A message says what happened and what to do next. `code` is stable and goes over every wire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime


class GlymphError(Exception):
    """Something Glymph refuses to do or cannot do."""

    @property
    def code(self) -> str:
        """The stable name of this kind of error, for machines."""
        return type(self).__name__


class InvalidInput(GlymphError, ValueError):
    """A value that cannot be accepted. `field` names it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class NotFound(GlymphError, LookupError):
    """No such thing in this space."""


class MemoryNotFound(NotFound):
    def __init__(self, memory_id: str, space: str) -> None:
        super().__init__(
            f"No memory {memory_id!r} in space {space!r}. "
            "list() shows what is there. If it is in another space, name that one."
        )
        self.memory_id = memory_id


class QuestionNotFound(NotFound):
    def __init__(self, question_id: str, space: str) -> None:
        super().__init__(
            f"No question {question_id!r} in space {space!r}. questions() lists those that wait."
        )
        self.question_id = question_id


class PlanNotFound(NotFound):
    def __init__(self, plan_id: str, space: str, made_by: str = "analyze()") -> None:
        super().__init__(f"No plan {plan_id!r} in space {space!r}. Make one with {made_by}.")
        self.plan_id = plan_id


class HashNotFound(NotFound):
    def __init__(self, hash: str, space: str) -> None:
        super().__init__(
            f"Nothing in space {space!r} has the hash {hash!r}. "
            "Use the `hash` of a receipt, not older than the journal reaches (journal_days), or a "
            "memory's `content_hash`."
        )


class SpaceNotFound(NotFound):
    def __init__(self, space: str, known: Sequence[str] = (), made_by: str = "") -> None:
        others = f" It has {', '.join(known[:10])}: name one with --space." if known else ""
        way = made_by or f"`glymph store space create {space}`"
        super().__init__(f"No space {space!r} in this store.{others} {way} makes it.")
        self.space = space


class OperationNotFound(NotFound):
    def __init__(self, operation: str | None, space: str) -> None:
        super().__init__(
            f"No operation {operation!r} in space {space!r}. operations() lists those that exist."
            if operation
            else f"Nothing to undo in space {space!r}: no undoable operation of this actor is left."
        )


class ClusterNotFound(NotFound):
    def __init__(self, cluster: str, space: str) -> None:
        super().__init__(
            f"No cluster {cluster!r} in space {space!r}. clusters() lists those that exist."
        )


class EntityNotFound(NotFound):
    """No entity of that name in the graph that the tools of server-memory keep."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Entity with name {name[:200]} not found. create_entities makes it; read_graph lists "
            "those that exist."
        )


class RecallNotFound(NotFound):
    def __init__(self, recall_id: str, space: str) -> None:
        super().__init__(
            f"No recall {recall_id!r} in space {space!r}: the log is bounded and may have dropped "
            "it. Call recall() again and report on the new id."
        )


class Refused(GlymphError):
    """A rule forbids it; nothing was changed."""


class Protected(Refused):
    def __init__(self, memory_id: str, *, by_agent: bool = False) -> None:
        said = "it cannot be archived, trashed, merged away or removed. Its text can be edited."
        if by_agent:
            said = "only a person rewrites it. Add what is new as a memory of its own."
        super().__init__(f"Memory {memory_id} is protected: {said}")


class Pinned(Refused):
    def __init__(self, memory_id: str, *, by_person: bool = False) -> None:
        said = (
            "was pinned by a person: only a person unpins or rewrites it, or changes its kind, "
            "trust or end. Ask for it, or add what is new as a memory of its own."
            if by_person
            else "is pinned. Unpin it first, then repeat the call."
        )
        super().__init__(f"Memory {memory_id} {said}")


class Isolated(Refused):
    def __init__(self, detail: str) -> None:
        super().__init__(
            f"Refused: {detail} Spaces never share rows; open the other space instead."
        )


class NotUndoable(Refused):
    def __init__(self, operation: str, why: str) -> None:
        super().__init__(f"Operation {operation} cannot be undone: {why}")


class AlreadyUndone(Refused):
    def __init__(self, operation: str, by: str) -> None:
        super().__init__(
            f"Operation {operation} was already undone by {by}. Undo {by} to bring it back."
        )


class Purged(Refused):
    """The memory was removed for good."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Purged: {what}. What was removed for good does not come back; add it again."
        )


class Ambiguous(Refused):
    """Several memories may be meant; `candidates` are their ids and titles."""

    def __init__(
        self, asked: str, candidates: Sequence[tuple[str, str]], what: str = "memories"
    ) -> None:
        named = ", ".join(f"{title!r} [{memory_id}]" for memory_id, title in candidates[:10])
        super().__init__(
            f"{asked} may mean any of {len(candidates)} {what}; nothing was done. "
            f"Name the one you mean: {named}."
        )
        self.candidates = tuple(candidates)


class PlanExpired(Refused):
    """The plan is too old: what it shows may no longer be true."""

    def __init__(self, plan_id: str, expired: datetime) -> None:
        super().__init__(
            f"Plan {plan_id} expired at {expired.isoformat()}. Analyse again; look at the new plan."
        )
        self.plan_id = plan_id


class IdentifierLeft(Refused):
    """A purge would leave in `fields` of a memory what it must remove. Nothing was changed."""

    def __init__(self, memory_id: str, fields: Sequence[str]) -> None:
        super().__init__(
            f"Memory {memory_id} would be reworded and still hold the identifier in its "
            f"{', '.join(fields)}; nothing was changed. Take it out there with update(), or purge "
            "the whole memory by its id; then repeat the call."
        )
        self.memory_id, self.fields = memory_id, tuple(fields)


class TooManyToday(Refused):
    """More memories than an agent may put away in a day. Nothing was changed."""

    def __init__(self, count: int, gone: int, most: int) -> None:
        super().__init__(
            f"{count:,} memories would go; an agent may hide, delete or reword {most:,} a day, and "
            f"{gone:,} have gone. Nothing was changed. Ask a person to do it, or to raise the "
            "setting agent_daily."
        )
        self.count, self.gone, self.most = count, gone, most


class TooMany(Refused):
    """More memories than may go at once. Nothing was changed."""

    def __init__(self, count: int, most: int, *, may_confirm: bool = True) -> None:
        way = (
            "Check them again, then pass confirm_large=True"
            if may_confirm
            else "An agent cannot confirm it: ask a person to do it, or to set agents_may_confirm"
        )
        super().__init__(
            f"{count:,} memories would go, but at most {most:,} may without confirmation; "
            f"nothing was changed. {way}."
        )
        self.count, self.most = count, most


class ClockDoubtful(Refused):
    """The clock of this machine may be wrong, so nothing is dated anew by it."""

    def __init__(self, now: datetime) -> None:
        super().__init__(
            f"The clock says {now.isoformat()}, and by what is stored it may be the clock that is "
            "wrong. Nothing was changed. Set it right, then repeat this."
        )


class ExtraMissing(GlymphError, ImportError):
    """A package that this part works with is not installed. `extra` is what brings it."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(
            f"This needs {package}, which is not installed. Run `pip install 'glymph[{extra}]'`."
        )
        self.extra = extra


class SourceDamaged(GlymphError):
    """What is to be imported or audited cannot be read to its end. Nothing was changed."""

    def __init__(self, name: str, problem: str, next_step: str) -> None:
        super().__init__(f"{name} cannot be read: {problem.rstrip('.')}. {next_step}")
        self.name = name


class BadExtension(GlymphError):
    """Something that a package adds to Glymph cannot be used."""

    def __init__(self, group: str, name: str, problem: str) -> None:
        super().__init__(f"The extension {name!r} of {group}: {problem}.")


class HistoryGone(GlymphError):
    """The journal no longer reaches back that far."""

    def __init__(self, asked: datetime, oldest: datetime) -> None:
        super().__init__(
            f"The journal reaches back to {oldest.isoformat()}; {asked.isoformat()} is before "
            "that. Ask for a later time, or keep the journal longer with the setting journal_days."
        )


class TooMuchHistory(GlymphError):
    """Too many memories changed since a moment to search them as they were."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"More than {most:,} memories that match the filters changed since then. "
            "Ask about a later moment, or narrow the search with kinds, sections, tags, since, "
            "until or session."
        )


class EmbedderFailed(GlymphError):
    """The embedder cannot be used now; no text was turned into a vector."""

    def __init__(self, embedder: str, problem: str, next_step: str) -> None:
        super().__init__(f"The embedder {embedder} failed: {problem.rstrip('.')}. {next_step}")
        self.embedder = embedder


class ReaderFailed(GlymphError):
    """The reader cannot be used now; nothing was judged."""

    def __init__(self, reader: str, problem: str, next_step: str) -> None:
        super().__init__(f"The reader {reader} failed: {problem.rstrip('.')}. {next_step}")
        self.reader = reader


class NoModel(Refused):
    """Nothing was asked: there is no language model."""

    def __init__(self, job: str) -> None:
        super().__init__(
            f"{job} needs a language model and none is configured. Set one, for example "
            "`glymph config set model openai:gpt-4o-mini`; everything else works without one."
        )


class BudgetSpent(Refused):
    """A call that might cost more than is left was not made."""

    def __init__(self, cap: str, left: str, needed: str) -> None:
        way = (
            f"Wait until what was spent is a day old, or raise {cap}"
            if "daily" in cap or cap == "spend_spaces"
            else f"Every run starts with the full amount; raise {cap} if one run needs more"
        )
        super().__init__(
            f"The call may need {needed} and the setting {cap} leaves {left}; it was not made. "
            f"{way}; `glymph status costs` shows what was spent."
        )
        self.cap = cap


class Forbidden(Refused):
    """The token of a request does not go as far as what was asked for."""

    def __init__(self, needed: str, given: str) -> None:
        super().__init__(
            f"This needs a token with the role {needed}, and this one has {given}. "
            f"`glymph store token create NAME --role {needed}` makes one."
        )
        self.needed = needed


class VersionChanged(Refused):
    def __init__(self, memory_id: str, expected: str, found: int) -> None:
        super().__init__(
            f"Memory {memory_id} has version {found}, not {expected}: somebody changed it since. "
            "Get it again, look at what changed, and repeat the change with its new ETag."
        )


class KeyReused(Refused):
    def __init__(self, key: str) -> None:
        super().__init__(
            f"The idempotency key {key[:80]!r} came with another request before; nothing was done. "
            "Send a new key with each new request, and the same one only to repeat it."
        )


class AnswerLost(Refused):
    """A request that is repeated was done before, as `operation_id`; its answer is not kept."""

    def __init__(self, operation_id: str) -> None:
        super().__init__(
            f"It was done before, as operation {operation_id}, and not again; what it answered is "
            "not kept. Call operations() to see what it did."
        )
        self.operation_id = operation_id


class LeaseLost(Refused):
    """Another worker has taken over the space, so this one may not write. Nothing was changed."""

    def __init__(self, holder: str) -> None:
        super().__init__(
            f"The lease on this space went to {holder}; nothing was written. "
            "The new holder does the work; `glymph status` shows it."
        )


class ModelFailed(GlymphError):
    """The language model gave no answer. `charged` says whether it may cost money anyway."""

    charged = False

    def __init__(self, model: str, problem: str, next_step: str) -> None:
        super().__init__(f"The model {model} failed: {problem.rstrip('.')}. {next_step}")
        self.model = model


class ModelTimedOut(ModelFailed):
    charged = True

    def __init__(self, model: str, seconds: float) -> None:
        super().__init__(
            model, f"no answer within {seconds:g} s", "Try again, or use a faster model."
        )


class ModelCancelled(ModelFailed):
    charged = True

    def __init__(self, model: str) -> None:
        super().__init__(model, "the call was cancelled", "Repeat it when there is time.")


class MalformedReply(GlymphError):
    """The language model's answer is not what was asked for; nothing of it is used."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"The model's answer cannot be used: {problem.rstrip('.')}. "
            "The model is asked again next time."
        )
        self.problem = problem


class ServiceError(GlymphError):
    """A server that keeps the store did not do what it was asked for."""


class Unauthorized(ServiceError):
    def __init__(self, problem: str = "there is none") -> None:
        super().__init__(
            f"The server needs a token, and {problem}. Send the header `Authorization: Bearer "
            "TOKEN`, or open with token=TOKEN in Python; the operator makes a token with `glymph "
            "store token create NAME`."
        )


class ServerAway(ServiceError):
    def __init__(self, url: str, problem: str) -> None:
        super().__init__(
            f"The server at {url} did not answer: {problem.rstrip('.')}. Look whether `glymph "
            "serve` runs there, then repeat the call; one that changes something was sent several "
            "times, applies once, and may have been done: operations() shows it."
        )


class TooFast(ServiceError):
    """More requests than the server takes from one token in a while; `seconds` until the next."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Too many requests at once. Wait {seconds:.1f} s and repeat this one.")
        self.seconds = seconds


class NotOverTheWire(ServiceError):
    """A method that needs the store itself, called on a handle of a server."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what} does not work over HTTP. {instead}")


class StoreError(GlymphError):
    """The store itself cannot be used as asked."""


class StoreMissing(StoreError):
    """There is no store at that place, and none was to be created."""

    def __init__(self, place: str) -> None:
        way = "Check it, or create it with `glymph store init`."
        super().__init__(f"There is no store {place}. {way}")


class UnknownScheme(StoreError):
    def __init__(self, url: str, known: str) -> None:
        path = f" For a file: sqlite:///{url}." if ":" not in url else ""
        super().__init__(f"No store engine for {url!r}. Known URLs start with: {known}.{path}")


class NotAStore(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is not a Glymph store; nothing was written to it. "
            "Name another file, or a new one."
        )


class StoreMoved(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was moved, replaced or deleted while it was open; nothing was written. "
            "Close every program that has it open, put the right file there, and open it again."
        )


class CorruptStore(StoreError):
    def __init__(self, path: str, detail: str) -> None:
        super().__init__(
            f"{path} is damaged ({detail}). "
            "Restore a backup with `glymph store restore BACKUP NEW_FILE --apply`, "
            "or export what can still be read with `glymph store export`."
        )


class NewerSchema(StoreError):
    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} has schema {found}; this Glymph knows up to {known}. Upgrade it to open this."
        )


class ReadOnlyStore(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is open read-only, so nothing was written. Open it without mode=ro, with an "
            "account that may write to it: to a file and its folder, or to a database's tables."
        )


class StoreFull(StoreError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"No space left to write to {path}; all was rolled back. Free disk space and repeat it."
        )


class StoreBusy(StoreError):
    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(
            f"{path} stayed locked by another writer for {seconds:g} s; nothing was written. "
            "Repeat the call; if it persists, look for a stuck process that holds it."
        )


class StoreAway(StoreError):
    """The server that keeps the store cannot be reached, or went away in the middle."""


class PartsAway(StoreError):
    """Some parts of a map cannot be used. `away` says why, by part; `spaces` are the others'."""

    def __init__(self, away: Mapping[str, str], spaces: Sequence[str]) -> None:
        why = "; ".join(f"{part}: {problem}" for part, problem in away.items())
        super().__init__(f"The map has parts that cannot be used now: {why}")
        self.away, self.spaces = dict(away), tuple(spaces)


class KeyMissing(StoreError):
    """The key is missing by which a space's tombstones recognise what was removed."""

    def __init__(self, space: str, key: str) -> None:
        where = "" if space == "default" else f" --space {space}"
        super().__init__(
            f"The space {space!r} has tombstones, but their key {key} is missing: what was removed "
            "for good could not be recognised, so nothing was done. Put that file back from a "
            "backup's folder of keys (BACKUP.keys), or give the tombstones up with "
            f"`glymph store tombstones lift --all --apply{where}`."
        )
