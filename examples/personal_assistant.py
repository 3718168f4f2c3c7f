"""A personal assistant: it learns from what is said, and forgets on request.

The answers come from a function here, so that it runs without a network; put your model in its
place. Run it: python examples/personal_assistant.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from glymph import Glymph, History

MONDAY = (
    "Please remember: I prefer trains to planes.",
    "My sister Noor lives in Leuven.",
    "Remember that Jonas can be reached at jonas@mail.be.",
)
FRIDAY = ("Where does my sister live?", "Do I prefer trains or planes?")


def answer(question: str, recalled: str, messages: int) -> str:
    """Returns an answer. A language model goes here; it is sent what was recalled and said."""
    return f"{recalled or 'I do not know.'} (of {messages} messages)"


def take_turn(memory: Glymph, talk: History, session: str, text: str) -> str:
    """Recalls, answers, says what was of use, and keeps what was said."""
    recall = memory.recall(text, limit=1)
    messages = talk.build_messages(session, text)  # short, whatever came before
    said = answer(text, recall[0].memory.text if len(recall) else "", len(messages))
    if recall.id is not None and len(recall):
        memory.report(recall.id, used=[recall[0].memory.id])
    talk.append(session, {"role": "user", "content": text}, {"role": "assistant", "content": said})
    return said


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(
            f"sqlite:///{Path(folder, 'me.db').as_posix()}",
            actor="assistant",
            embedder="none",
            reader="none",
        ) as memory,
    ):
        talk = memory.conversations(system="You are Mira's assistant.")
        for text in MONDAY:
            take_turn(memory, talk, "monday", text)

        # When the talk is over: learn from it. Nothing is learnt twice.
        learnt = memory.extract(talk.messages("monday"), session="monday")
        print(f"Learned {len(learnt.added)} things on Monday:")
        for one in memory.list(session="monday"):
            print(f"  {one.kind}: {one.text}")

        for text in FRIDAY:
            print(f"> {text}\n  {take_turn(memory, talk, 'friday', text)}")

        # Mira asks for it: gone for good, from memories and from what was said.
        done = memory.forget("jonas@mail.be", mode="purge", apply=True)
        left = [one for one in talk.messages("monday") if "jonas@" in str(one["content"])]
        print(
            f"Forgotten: {len(done.succeeded)}; messages that still have the address: {len(left)}"
        )
        print(f"Sound: {memory.verify().ok}")


if __name__ == "__main__":
    main()
