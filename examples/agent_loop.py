"""The loop of an agent with a memory: recall, answer, report what was used, and learn.

The answers come from a function here, so that it runs without a network; put your model in its
place. Run it: python examples/agent_loop.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from glymph import Glymph, Hit

KNOWN = (
    "We deploy on Tuesdays and Thursdays, never on Fridays.",
    "The staging database is reset every night at 02:00 UTC.",
    "Noor owns the billing service; ask her before changing its schema.",
)
QUESTIONS = (
    "On which days do we deploy?",
    "Who owns the billing service?",
    "What is the capital of Mongolia?",
)


def answer(question: str, hits: Sequence[Hit]) -> tuple[str, list[str]]:
    """Returns an answer and the ids of the memories it rests on. A language model goes here."""
    if not hits:
        return "I do not know.", []
    return f"As far as I remember: {hits[0].memory.text}", [hits[0].memory.id]


def take_turn(memory: Glymph, question: str) -> str:
    """Answers one question out of the memory and says which memories were of use."""
    recall = memory.recall(question, limit=3)
    text, used = answer(question, list(recall))
    # Only a report reinforces: what is merely shown fades as if nobody had looked.
    if recall.id is not None and used:
        memory.report(recall.id, used=used)
    return text


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(
            f"sqlite:///{Path(folder, 'agent.db').as_posix()}", actor="agent", embedder="none"
        ) as memory,
    ):
        memory.add_many(KNOWN)
        for question in QUESTIONS:
            print(f"> {question}\n  {take_turn(memory, question)}")

        # At the end of a session: learn from what was said, then look after the memory.
        talk = [{"role": "user", "content": "Please remember: from May on we deploy on Mondays."}]
        learned = memory.extract(talk, session="monday")
        memory.lifecycle(if_needed=True)
        print(f"Learned {len(learned.added)} from the session:")
        for one in memory.list(session="monday"):
            print(f"  {one.text}")
        print("Used so far:")
        for one in memory.list():
            print(f"  {one.access_count}×  {one.text}")


if __name__ == "__main__":
    main()
