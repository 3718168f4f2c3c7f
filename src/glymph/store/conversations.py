"""Conversations in a store: transcripts that only grow, and for each where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from glymph.store.running import RunsStatements
from glymph.store.session import Row, Session
from glymph.store.statements import statements


class Message(NamedTuple):
    """A message of a conversation: its number there, from 1 on, and the JSON of it."""

    number: int
    body: str


class Rewording(NamedTuple):
    """A message that says something else from now on, unless it no longer says what it said."""

    number: int
    before: str
    body: str


class ConversationReader(Protocol):
    def conversation(self, name: str) -> Row | None:
        """The key and the state of a conversation."""
        ...

    def conversations(self, *, after: str = "", limit: int) -> list[Row]:
        """Conversations in the order of their names, with their states."""
        ...

    def newest_message(self, conversation: int) -> Message | None: ...
    def messages_after(self, conversation: int, number: int, *, limit: int) -> list[Message]: ...
    def claimed_until(self, conversation: int) -> int:
        """When the claim on it ends; 0 if there is none."""
        ...

    def folders(self) -> list[tuple[str, str]]:
        """Folders in which conversations of the space lie, as far as they were noted, and the store
        that did.
        """
        ...


class ConversationWriter(Protocol):
    def begin_conversation(self, name: str) -> int:
        """The key of a conversation, which is made if there is none of this name."""
        ...

    def append_messages(self, conversation: int, bodies: Sequence[str]) -> None: ...
    def keep_conversation_state(self, conversation: int, state: str) -> None: ...
    def claim_conversation(self, conversation: int, *, now: int, until: int) -> bool:
        """Whether a conversation is the caller's to shorten until then: nobody else has claimed it."""
        ...

    def give_back_conversation(self, conversation: int, *, until: int) -> None:
        """Ends the claim that was to last until then."""
        ...

    def reword_messages(self, conversation: int, rewordings: Sequence[Rewording]) -> None:
        """Only inside an operation with the verb "purge"."""
        ...

    def remove_conversation(self, conversation: int) -> None:
        """Only inside an operation with the verb "purge"."""
        ...

    def revoke_claims(self) -> None:
        """Ends every claim: what is being made of a conversation is out of date."""
        ...

    def note_folder(self, path: str, owner: str) -> None: ...


class SqlConversations(RunsStatements):
    """The reader's part in SQL."""

    def conversation(self, name: str) -> Row | None:
        return self._one("conversation", name=name)

    def conversations(self, *, after: str = "", limit: int) -> list[Row]:
        return self._rows("conversations", after=after, limit=limit)

    def newest_message(self, conversation: int) -> Message | None:
        found = self._tuples("newest_message", conversation=conversation)
        return Message(*found[0]) if found else None

    def messages_after(self, conversation: int, number: int, *, limit: int) -> list[Message]:
        found = self._tuples(
            "messages_after", conversation=conversation, number=number, limit=limit
        )
        return [Message(*row) for row in found]

    def claimed_until(self, conversation: int) -> int:
        return int(self._value("claimed_until", conversation=conversation) or 0)

    def folders(self) -> list[tuple[str, str]]:
        return [(path, owner) for path, owner in self._tuples("folders")]


class SqlConversationWriting(SqlConversations):
    """The writer's part in SQL."""

    _session: Session
    _space_id: int

    def begin_conversation(self, name: str) -> int:
        found = self.conversation(name)
        if found is None:
            self._rows("begin_conversation", space_id=self._space_id, name=name)
            found = self.conversation(name) or {}
        return int(found["key"])

    def append_messages(self, conversation: int, bodies: Sequence[str]) -> None:
        newest = self.newest_message(conversation)
        first = 1 if newest is None else newest.number + 1
        rows = [
            (self._space_id, conversation, number, body)
            for number, body in enumerate(bodies, first)
        ]
        if rows:
            self._session.insert("messages", ("space_id", "conversation", "number", "body"), rows)

    def keep_conversation_state(self, conversation: int, state: str) -> None:
        self._rows(
            "keep_conversation_state",
            space_id=self._space_id,
            conversation=conversation,
            state=state,
        )

    def claim_conversation(self, conversation: int, *, now: int, until: int) -> bool:
        whose = {"space_id": self._space_id, "conversation": conversation}
        return bool(self._rows("claim_conversation", **whose, now=now, until=until))

    def give_back_conversation(self, conversation: int, *, until: int) -> None:
        self._rows(
            "give_back_conversation",
            space_id=self._space_id,
            conversation=conversation,
            until=until,
        )

    def reword_messages(self, conversation: int, rewordings: Sequence[Rewording]) -> None:
        whose = {"space_id": self._space_id, "conversation": conversation}
        self._session.repeat(
            statements()["reword_message"], [{**whose, **one._asdict()} for one in rewordings]
        )

    def remove_conversation(self, conversation: int) -> None:
        self._rows("remove_messages", space_id=self._space_id, conversation=conversation)
        self._rows("remove_conversation", space_id=self._space_id, conversation=conversation)

    def revoke_claims(self) -> None:
        self._rows("revoke_claims", space_id=self._space_id)

    def note_folder(self, path: str, owner: str) -> None:
        self._rows("note_folder", space_id=self._space_id, path=path, owner=owner)
