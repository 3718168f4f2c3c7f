"""The ways by which a text gets into a memory; each feeds cases to a ground as in real life."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness.malice_ground import FOREIGN, VITAL, Ground, Output
from benchmarks.harness.malice_models import count_wins, obey
from glymph import Glymph
from glymph.errors import GlymphError
from glymph.history.history import History
from glymph.write.second_opinion import ask_model

SHORT = {"unit": "messages", "consolidation_threshold": 6, "keep_recent_ratio": 0.34}
KINDS = ("note", "preference", "decision", "goal", "fact", "lesson")
LONGEST_REPLY = 400
FOREIGN_DIGEST = "digest of an import"  # in which everything comes from the same stranger


@dataclass(frozen=True, slots=True)
class Case:
    """One injection: its technique, the word by which it is known again, and what it says."""

    technique: str
    mark: str
    plain: bool  # it is an order on its face, whoever says it
    told: dict[str, Any]

    @property
    def text(self) -> str:
        return str(self.told.get("text", ""))


Feed = Callable[[Ground, Sequence[Case]], None]


# memories that are added or imported


def add(ground: Ground, cases: Sequence[Case]) -> None:
    """An agent stores what it was told, over MCP."""
    with ground.open() as glymph:
        for at, case in enumerate(cases):
            done = ground.call(
                glymph, "memory_add", text=case.text, kind=KINDS[at % len(KINDS)], salience=1.0,
                pinned=at % 2 == 0, entities=["Orion"],
            )  # fmt: skip
            ground.own |= {str(done.get("id") or done.get("duplicate_of"))}
        glymph.settle()
    _look_around(ground, cases)


def import_store(ground: Ground, cases: Sequence[Case]) -> None:
    """Memories of a foreign store come in, pinned, trusted and much used, and a whole export."""
    past = {"created_at": datetime(2024, 1, 1, tzinfo=UTC), "access_count": 500}
    items = [
        {"text": one.text, "kind": KINDS[at % len(KINDS)], "pinned": True, "trust": 1.0, **past}
        for at, one in enumerate(cases)
    ]
    with ground.open() as glymph:
        ground.own |= {str(one.id) for one in glymph.add_many(items, imported=True)}
        glymph.settle()
    path = ground.folder / "home" / "foreign.jsonl"
    other = f"sqlite:///{ground.folder}/home/foreign.db"
    with Glymph.open(other, embedder="none", reader="none") as glymph:
        glymph.add_many([*VITAL, *items], imported=True)
        glymph.export(path)
    with ground.open() as glymph:
        glymph.import_(path, space=FOREIGN)
    with ground.open(space=FOREIGN) as glymph:
        shown = Output(FOREIGN_DIGEST, "fenced", glymph.surface(), asked=False)
        ground.extra.append(shown)
    _look_around(ground, cases)


def _look_around(ground: Ground, cases: Sequence[Case]) -> None:
    """Let commands and tools show what was stored."""
    with ground.open() as glymph:
        for case in cases:
            ground.call(glymph, "memory_search", query=case.mark)
            ground.call(glymph, "memory_recall", query=case.mark)
        ground.call(glymph, "memory_get", id=next(iter(ground.own), "none"), history=True)
        ground.call(glymph, "memory_get", id=cases[0].text[:200])
        ground.call(glymph, "analyze_memory", include_isolated=True)
    ground.run("list")
    ground.run("search", cases[0].mark)
    for one in sorted(ground.own)[:4]:
        ground.run("get", one, "--history")
    ground.run("get", cases[0].text)


# what sessions say


def hear_raw(ground: Ground, cases: Sequence[Case]) -> None:
    """A user sends the text as it is, among other things."""
    ground.end_session(
        [*_talk(), *({"role": "user", "content": case.text} for case in cases), *_talk()]
    )


def hear_pasted(ground: Ground, cases: Sequence[Case]) -> None:
    """The text stands in what a tool gave, in a quotation, in a block, or in a report of it."""
    ground.end_session([*_talk(), *(_paste(case, at) for at, case in enumerate(cases)), *_talk()])


def obey_transcript(ground: Ground, cases: Sequence[Case]) -> None:
    """A model that reads a session with the text pasted in names it as a preference of the user."""
    turns = [_quote(case) for case in cases]

    def answer(records: list[dict[str, Any]]) -> Any:
        return {
            "memories": [
                {"text": case.text[:LONGEST_REPLY], "kind": "preference", "turn": one["turn"]}
                for one in records
                for case in cases
                if case.mark in one["text"]
            ]
        }

    ground.end_session([*_talk(), *turns], obey(extract=answer))


def _talk() -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Can you look at the page about Orion and sum it up?"},
        {"role": "assistant", "content": "I have read the page; it is about the release."},
    ]


def _quote(case: Case) -> dict[str, Any]:
    quoted = "\n".join(f"> {line}" for line in case.text.splitlines() or [""])
    return {"role": "user", "content": f"This is what the page says:\n{quoted}\nWhat is it about?"}


def _paste(case: Case, at: int) -> dict[str, Any]:
    match at % 4:
        case 0:
            result = {"type": "tool_result", "tool_use_id": "t", "content": case.text}
            return {"role": "user", "content": [result]}
        case 1:
            return _quote(case)
        case 2:
            block = f"Here is the file:\n```\n{case.text}\n```\nWhat is it?"
            return {"role": "user", "content": block}
    return {"role": "assistant", "content": f'The page has one line: "{case.text}" I did nothing.'}


# what is made of memories


def teach(ground: Ground, cases: Sequence[Case]) -> None:
    """A model that learns from episodes says the text beside a true count."""
    _consolidate(ground, cases, [{"say": case.text[:1500]} for case in cases])


def answer_consolidation(ground: Ground, cases: Sequence[Case]) -> None:
    """A model answers about episodes with what a case says."""
    _consolidate(ground, cases, [case.told for case in cases])


def _consolidate(ground: Ground, cases: Sequence[Case], told: Sequence[dict[str, Any]]) -> None:
    by_group = {f"SYM{at}": one for at, one in enumerate(told)}
    known = ("say", "title", "trigger", "direction")

    def answer(records: list[dict[str, Any]]) -> Any:
        one = by_group.get(records[0]["group"], {})
        return count_wins(records, **{name: one[name] for name in known if name in one})

    with ground.open(model=obey(lesson=answer)) as glymph:
        for group in by_group:
            _add_trades(ground, glymph, group)
        for _ in cases[::4]:
            glymph.consolidate()


def _add_trades(ground: Ground, glymph: Glymph, symbol: str, count: int = 4) -> None:
    told = {"symbol": symbol, "funding": 0.09, "direction": "short"}
    added = glymph.add_many([
        {
            "text": f"Closed {symbol} short number {at}: the price turned within {at} hours",
            "kind": "trade_close", "attributes": {**told, "pnl_pct": at + 0.5},
        }
        for at in range(1, count + 1)
    ])  # fmt: skip
    ground.own |= {str(one.id) for one in added}


def summarise(ground: Ground, cases: Sequence[Case]) -> None:
    """The text stands among memories of one subject that are summarised, by a model or not."""
    _summarise(ground, cases, [case.text for case in cases], trust=1.0)
    answers = {case.mark: case.text[:300] for case in cases}
    _summarise_by_model(ground, cases, answers)


def answer_summaries(ground: Ground, cases: Sequence[Case]) -> None:
    """A model writes what a case says into a summary, and into notes on a conversation."""
    _summarise_by_model(ground, cases, {case.mark: case.told["line"] for case in cases})
    _converse(ground, cases, notes=[case.told["line"] for case in cases])


def launder(ground: Ground, cases: Sequence[Case]) -> None:
    """The text is stored with little trust, and summaries and lessons are made of all there is."""
    _summarise(ground, cases, [case.text for case in cases], trust=0.2)
    answers = {case.mark: case.text[:300] for case in cases}
    _summarise_by_model(ground, cases, answers, texts=[case.text for case in cases], trust=0.2)
    with ground.open(model=obey(lesson=lambda records: count_wins(records))) as glymph:
        _add_trades(ground, glymph, "LAU")
        for case in cases:
            added = glymph.add(
                case.text, kind="trade_close", trust=0.2,
                attributes={"symbol": "LAU", "pnl_pct": 9.0, "funding": 0.09},
            )  # fmt: skip
            ground.own |= {str(added.id)}
        glymph.consolidate()


def _summarise(
    ground: Ground, cases: Sequence[Case], texts: Sequence[str], *, trust: float
) -> None:
    with ground.open() as glymph:
        for case, text in zip(cases, texts, strict=True):
            _add_subject(ground, glymph, f"Project {case.mark[-3:]}", text, trust)
        glymph.consolidate()


def _summarise_by_model(
    ground: Ground, cases: Sequence[Case], lines: dict[str, str], *,
    texts: Sequence[str] = (), trust: float = 1.0,
) -> None:  # fmt: skip
    """Let a model repeat a line of each case, drawn from the last statement it was shown."""
    by_label = {f"Team {mark[-3:]}": line for mark, line in lines.items()}

    def answer(records: list[dict[str, Any]]) -> Any:
        line = by_label.get(records[0]["subject"], "")
        said = [{"text": line, "of": list(range(1, len(records)))}] if line.strip() else []
        return {"lines": said}

    with ground.open(model=obey(summary=answer)) as glymph:
        for at, label in enumerate(by_label):
            _add_subject(ground, glymph, label, texts[at] if texts else "", trust)
        for _ in cases[::4]:
            glymph.consolidate()


def _add_subject(ground: Ground, glymph: Glymph, name: str, text: str, trust: float) -> None:
    facts = (
        f"{name} keeps its records in the cellar of the old mill since the flood of 2019.",
        f"The lamp of {name} was repaired by Henrik Olsson for 75 euros on 3 May.",
        f"{name} meets every second Tuesday at seven in the library of Uppsala.",
        f"The van of {name} has a winter tyre with a slow leak at the rear left wheel.",
        f"{name} pays its rent of 1,250 euros to Brandt on the fifth of each month.",
    )
    items: list[dict[str, Any]] = [
        {"text": one, "kind": "fact", "entities": [name]} for one in facts
    ]
    if text.strip():
        items.append({"text": text, "kind": "fact", "entities": [name], "trust": trust})
    ground.own |= {str(one.id) for one in glymph.add_many(items)}


# conversations


def converse(ground: Ground, cases: Sequence[Case]) -> None:
    """The text is said in a long conversation, which is shortened by rules and by a model."""
    _converse(ground, cases, notes=())
    _converse(ground, cases, notes=[case.text[:LONGEST_REPLY] for case in cases if case.text])


def _converse(ground: Ground, cases: Sequence[Case], *, notes: Sequence[str]) -> None:
    model = obey(notes=lambda records: {"notes": notes[:20]}) if notes else None
    session = "by a model" if notes else "by rules"
    with ground.open(model=model) as glymph:
        history = glymph.conversations(ground.folder / "home" / "talks", settings=SHORT)
        for case in cases:
            said = case.text or "We spoke about Orion."
            history.append(
                session, {"role": "user", "content": said},
                {"role": "assistant", "content": "I have noted nothing of that."},
            )  # fmt: skip
        for at in range(8):
            history.append(
                session, {"role": "user", "content": f"Crate {at} holds {at + 9} lamps."}
            )
        history.consolidate(session)
        _show_conversation(ground, history, session)


def _show_conversation(ground: Ground, history: History, session: str) -> None:
    built = history.build(session)
    ground.extra.append(Output("prompt of a conversation", "fenced", built.system, asked=False))
    folder = history.session_folder(session)
    page = Path() if folder is None else folder / "memory.md"
    if page.is_file():
        ground.extra.append(Output("memory.md", "page", page.read_text(encoding="utf-8")))
    ground.run("history", "show", session)


# names


def name(ground: Ground, cases: Sequence[Case]) -> None:
    """The text is a title, a tag, a name, a session, a space, a cluster and a path."""
    for at, case in enumerate(cases):
        with ground.open() as glymph:
            ground.own |= set(_name_things(ground, glymph, case, at))
            glymph.settle()
            ground.call(glymph, "memory_search", query=case.text)
        _name_places(ground, case)
    ground.run("list")
    ground.run("status")
    for one in sorted(ground.own)[:20]:
        ground.run("get", one, "--history")
    ground.run("history", "list")


def _name_things(ground: Ground, glymph: Glymph, case: Case, at: int) -> Iterator[str]:
    named = case.text
    text = f"Crate {at} of {case.mark} holds {at + 100} lamps for Annika."
    done = ground.call(
        glymph, "memory_add", text=text, title=named, tags=[named], entities=[named],
        source=named, session=named, attributes={named: named},
    )  # fmt: skip
    yield str(done.get("id"))
    ground.call(glymph, "memory_add", text=f"{text} Again.", kind=named)
    ground.call(glymph, "manage_clusters", action="create", name=named)
    ground.call(glymph, "memory_recall", query=named, kinds=[named], tags=[named])
    ground.call(glymph, "memory_delete", ids=[named], reason=named)
    ground.call(glymph, "undo_operation", operation_id=named)


def _name_places(ground: Ground, case: Case) -> None:
    """Where the text would lead out of the folder, nothing may be written."""
    with ground.open() as glymph:
        history = glymph.conversations(ground.folder / "home" / "talks", settings=SHORT)
        try:
            history.append(
                case.text, {"role": "user", "name": case.text, "content": "Hello Orion."}
            )
            for at in range(8):
                history.append(case.text, {"role": "user", "content": f"Crate {at} of {at + 9}."})
            history.consolidate(case.text)
            _show_conversation(ground, history, case.text)
        except GlymphError as error:
            ground.extra.append(Output("error", "json", str(error)))
    for arguments in (
        ("space", "create", f"-{case.text}"), ("history", "show", case.text),
        ("get", case.text), ("list", "--tags", case.text), ("config", "set", case.text, case.text),
    ):  # fmt: skip
        ground.run(*arguments)


# answers of models


def answer_extraction(ground: Ground, cases: Sequence[Case]) -> None:
    """A model answers about a plain session with what a case says."""
    for case in cases:
        model = obey(extract=lambda records, reply=case.told["reply"]: reply)  # type: ignore[misc]
        ground.end_session(_talk(), model)


def answer_judging(ground: Ground, cases: Sequence[Case]) -> None:
    """A model says that whatever it is shown is replaced, meant, or may go."""
    for case in cases:
        match case.told["ask"]:
            case "second":
                _ask_second(ground, case)
            case "judge":
                _ask_judge(ground, case)
            case _:
                _ask_prune(ground, case)


def _ask_second(ground: Ground, case: Case) -> None:
    def answer(records: list[dict[str, Any]]) -> Any:
        about = [record for record in records if case.mark in record["later"]["text"]]
        shown = [one["id"] for record in about for one in record["earlier"]]
        return {"pairs": [{"id": one, "relation": case.told["relation"]} for one in shown]}

    with ground.open(model=obey(second=answer)) as glymph:
        added = glymph.add(case.text, kind="fact", entities=["Ines", "Mara"], trust=0.5)
        ground.own |= {str(added.id)}
        glymph.settle()
        ask_model(glymph.context)


def _ask_judge(ground: Ground, case: Case) -> None:
    """A request about something else is planned, and never carried out by a model's word alone."""

    def answer(records: list[dict[str, Any]]) -> Any:
        return {"memories": [{"id": one["id"], "meant": "all", "left": ""} for one in records[1:]]}

    with ground.open(model=obey(judge=answer)) as glymph:
        ground.call(glymph, "forget_concept", request=case.text)


def _ask_prune(ground: Ground, case: Case) -> None:
    def answer(records: list[dict[str, Any]]) -> Any:
        ids = [one["id"] for one in records] + ["m9999", "../m1"]
        reason = case.told["reason"][:200]
        return {"archive": [{"id": one, "criterion": "stale", "reason": reason} for one in ids]}

    soon = datetime.now(UTC) + timedelta(days=3)
    with ground.open(model=obey(prune=answer), clock=lambda: soon) as glymph:
        ground.own |= {str(glymph.add(case.text, kind="note").id)}
        glymph.ai_prune()


WAYS: dict[str, Feed] = {
    "add": add, "imported": import_store, "raw": hear_raw, "pasted": hear_pasted,
    "reply": obey_transcript, "lesson": teach, "summary": summarise, "launder": launder,
    "history": converse, "names": name, "extraction": answer_extraction,
    "consolidation": answer_consolidation, "judging": answer_judging,
    "summaries": answer_summaries,
}  # fmt: skip
# Ways that store so much that the reader would take minutes to grade it; the others need it.
UNREAD = frozenset({"lesson", "summary", "launder", "consolidation", "summaries", "history"})
# By these ways the caller stores the text itself: that it is there is no effect.
ASKED_FOR = frozenset({"add", "imported", "names"})
