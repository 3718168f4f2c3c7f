"""Conversations in a store: transcripts that only grow, and for each where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from glymph.store.contract import Row
from glymph.store.statements import SpaceStatements


class Message(NamedTuple):
    """A message of a conversation: its number there, from 1 on, and the JSON of it."""

    number: int
    body: str


class Rewording(NamedTuple):
    """A message that says something else from now on, unless it no longer says what it said."""

    number: int
    before: str
    body: str


class ConversationReader(SpaceStatements):
    """The part of a reader about conversations."""

    def conversation(self, name: str) -> Row | None:
        """Returns the key and the state of a conversation."""
        return self._one("conversation", name=name)

    def conversations(self, *, after: str = "", limit: int) -> list[Row]:
        """Returns conversations in the order of their names, with their states."""
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
        """Returns when the claim on it ends; 0 if there is none."""
        return int(self._value("claimed_until", conversation=conversation) or 0)

    def folders(self) -> list[tuple[str, str]]:
        """Returns noted folders of conversations, and the store that noted each."""
        return [(path, owner) for path, owner in self._tuples("folders")]


class ConversationWriter(ConversationReader):
    """The part of a writer about conversations."""

    def begin_conversation(self, name: str) -> int:
        """Returns the key of a conversation, which is made if there is none of this name."""
        found = self.conversation(name)
        if found is None:
            self._run("begin_conversation", name=name)
            found = self.conversation(name) or {}
        return int(found["key"])

    def append_messages(self, conversation: int, bodies: Sequence[str]) -> None:
        newest = self.newest_message(conversation)
        first = 1 if newest is None else newest.number + 1
        rows = [
            (self.space_key, conversation, number, body)
            for number, body in enumerate(bodies, first)
        ]
        if rows:
            self._session.insert("messages", ("space_id", "conversation", "number", "body"), rows)

    def keep_conversation_state(self, conversation: int, state: str) -> None:
        self._run("keep_conversation_state", conversation=conversation, state=state)

    def claim_conversation(self, conversation: int, *, now: int, until: int) -> bool:
        """Claims a conversation to shorten until then; False if somebody else has claimed it."""
        return bool(
            self._rows("claim_conversation", conversation=conversation, now=now, until=until)
        )

    def give_back_conversation(self, conversation: int, *, until: int) -> None:
        """Ends the claim that was to last until then."""
        self._run("give_back_conversation", conversation=conversation, until=until)

    def reword_messages(self, conversation: int, rewordings: Sequence[Rewording]) -> None:
        """Rewords messages; only inside an operation with the verb "purge"."""
        self._repeat(
            "reword_message",
            [{"conversation": conversation, **one._asdict()} for one in rewordings],
        )

    def rename_conversation(self, name: str, new: str) -> None:
        """Moves a conversation to a new name; only inside an operation with the verb "purge"."""
        old = self.conversation(name) or {}
        messages = self.messages_after(old["key"], 0, limit=2**62)
        key = self.begin_conversation(new)
        rows = [(self.space_key, key, one.number, one.body) for one in messages]
        if rows:
            self._session.insert("messages", ("space_id", "conversation", "number", "body"), rows)
        self.keep_conversation_state(key, old["state"])
        self.remove_conversation(old["key"])

    def remove_conversation(self, conversation: int) -> None:
        """Removes a conversation; only inside an operation with the verb "purge"."""
        self._run("remove_messages", conversation=conversation)
        self._run("remove_conversation", conversation=conversation)

    def revoke_claims(self) -> None:
        """Ends every claim: what is being made of a conversation is out of date."""
        self._run("revoke_claims")

    def note_folder(self, path: str, owner: str) -> None:
        self._run("note_folder", path=path, owner=owner)
