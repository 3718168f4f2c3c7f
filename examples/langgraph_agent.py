"""An agent of LangGraph whose store is Glymph: what its nodes put can be undone and looked back at.

The answers come from a function here, so that it runs without a network; put your model in its
place. Run it: pip install 'glymph[langgraph]' && python examples/langgraph_agent.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from glymph import Glymph
from glymph.adapters.langgraph import GlymphStore

ABOUT = ("users", "ada")


class State(TypedDict):
    said: str
    recalled: str
    answer: str


def recall(state: State, *, store: BaseStore) -> dict[str, str]:
    """Looks up what bears on what was said."""
    found = store.search(ABOUT, query=state["said"], limit=1)
    return {"recalled": found[0].value["text"] if found else ""}


def answer(state: State) -> dict[str, str]:
    """A language model goes here."""
    return {"answer": state["recalled"] or "I do not know yet."}


def remember(state: State, *, store: BaseStore) -> dict[str, str]:
    """Keeps statements; a question is none."""
    if not state["said"].endswith("?"):
        store.put(ABOUT, "food", {"text": state["said"]})
    return {}


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(
            f"sqlite:///{Path(folder, 'agent.db').as_posix()}", actor="agent", embedder="none"
        ) as memory,
    ):
        builder = StateGraph(State)
        for name, node in (("recall", recall), ("answer", answer), ("remember", remember)):
            builder.add_node(name, node)
        builder.add_edge(START, "recall")
        builder.add_edge("recall", "answer")
        builder.add_edge("answer", "remember")
        builder.add_edge("remember", END)
        store = GlymphStore(memory)
        graph = builder.compile(store=store)

        for said in ("Ada likes figs.", "Ada likes plums.", "What does Ada like?"):
            state: State = {"said": said, "recalled": "", "answer": ""}
            done = graph.invoke(state, {"configurable": {"thread_id": "talk-1"}})
            print(f"> {said}\n  {done['answer']}")

        memory.undo()  # the newest change of this actor: the plums
        item = store.get(ABOUT, "food")
        print(f"After undo: {item.value['text'] if item else 'nothing'}")
        for one in memory.operations():
            print(f"  {one.verb} by {one.actor} in {one.session}")


if __name__ == "__main__":
    main()
