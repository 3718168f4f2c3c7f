"""Finding the right memory: by meaning, by name, over a link, at a date.

And what of it works without a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from examples.demo import page
from examples.demo.halfyear import moment
from examples.demo.hits import describe_hit
from examples.demo.questions import Answers, own_questions, questions_in_other_words
from glymph.model import State
from glymph.moments import iso

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph
    from glymph.model import Hit

MEANT = "Does she own a pet?"
NAMED, NAME = "What did Mira say about risk?", "Mira"
LINKED = "What did the thunderstorm teach us?"
DATED = (
    ("In which city does Mira live?", moment(60, 12)),
    ("How deep was the drawdown in May?", moment(169, 12)),
)
HANDFUL, DEEP = 4, 10
ONLY_LINKED = {
    "graph",
    "links",
    "relevance",
    "standing",
}  # the parts of a hit that neither words nor meaning nor session found


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    with _by_words_alone(glymph, played) as words:
        status = glymph.meaning()
        return {
            "embedder": status.embedder,
            "dimension": status.dimension,
            "waiting": status.waiting,
            "absence": status.absence or status.failure,
            "meaning": {
                "query": MEANT,
                "by_words": _describe_hits(words.search(MEANT, limit=HANDFUL)),
                "found": _describe_hits(glymph.search(MEANT, limit=HANDFUL)),
            },
            "name": _search_name(glymph),
            "link": _follow_link(glymph),
            "dates": [_search_at(glymph, query, at) for query, at in DATED if at < played.ended],
            "compared": _compare(glymph, words, played),
        }


def _by_words_alone(glymph: Glymph, played: Played) -> Glymph:
    """Opens the same store without an embedder."""
    return type(glymph).open(
        glymph.url, space=glymph.space, settings=glymph.settings, clock=lambda: played.ended,
        embedder="none", create=False,
    )  # fmt: skip


def _describe_hits(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    return [describe_hit(hit) for hit in hits]


def _search_name(glymph: Glymph) -> dict[str, Any]:
    hits = glymph.search(NAMED, limit=HANDFUL)
    found = [
        {**shown, "in_text": NAME in hit.memory.text, "in_field": NAME in hit.memory.entities}
        for hit, shown in zip(hits, _describe_hits(hits), strict=True)
    ]
    everywhere = sum(
        NAME in node["summary"] or NAME in node["title"] for node in glymph.graph().nodes
    )
    return {"query": NAMED, "name": NAME, "mentions": everywhere, "found": found}


def _follow_link(glymph: Glymph) -> dict[str, Any] | None:
    """Finds a hit that only a link explains, and searches without its links and with them again."""
    hits = glymph.search(LINKED, limit=DEEP)
    reached = next((hit for hit in hits if hit.parts.keys() <= ONLY_LINKED), None)
    if reached is None:
        return None
    away = [
        glymph.unlink(
            edge.source, edge.target, edge.type, reason="the demo takes the link away for a moment"
        )
        for edge in glymph.edges(reached.memory.id)
    ]
    without = _place(glymph.search(LINKED, limit=glymph.settings.max_page), {reached.memory.id})
    for receipt in reversed(away):
        glymph.undo(receipt.operation_id, reason="the demo puts the link back")
    return {
        "query": LINKED,
        "first": _describe_hits(hits[:1])[0],
        "reached": _describe_hits([reached])[0],
        "place": _place(hits, {reached.memory.id}),
        "place_without_link": without,
        "place_with_link_again": _place(glymph.search(LINKED, limit=DEEP), {reached.memory.id}),
    }


def _search_at(glymph: Glymph, query: str, at: datetime) -> dict[str, Any]:
    then, now = glymph.search(query, at=at, limit=1), glymph.search(query, limit=1)
    return {
        "query": query,
        "at": iso(at),
        "then": [
            {**shown, "since": _since(glymph, hit)}
            for hit, shown in zip(then, _describe_hits(then), strict=True)
        ],
        "now": _describe_hits(now),
    }


def _since(glymph: Glymph, hit: Hit) -> str:
    """Says what happened to a memory after the moment it was found at."""
    today = glymph.get(hit.memory.id)
    if today.state != State.LIVE:
        return f"{today.state} since {today.state_at:%d %B}"
    return "unchanged to this day" if today.text == hit.memory.text else "reworded since"


def _compare(glymph: Glymph, words: Glymph, played: Played) -> list[dict[str, Any]]:
    """Compares how high the right answers rank, with and without meaning."""
    sets = {"the agent's own": own_questions(), "in other words": questions_in_other_words()}
    return [
        {
            "questions": name,
            "by_words": _figures(_places(words, asked, played)),
            "by_both": _figures(_places(glymph, asked, played))
            if glymph.meaning().embedder
            else None,
        }
        for name, asked in ((name, list(questions)) for name, questions in sets.items())
    ]


def _places(
    glymph: Glymph, asked: Iterable[tuple[str, Answers]], played: Played
) -> list[int | None]:
    """Returns the rank of the answer to each question that has one in this life."""
    return [
        _place(glymph.search(question, limit=DEEP), right)
        for question, answers in asked
        if (right := {played.ids[ref] for ref in answers if ref in played.ids})
    ]


def _place(hits: Sequence[Hit], right: set[str]) -> int | None:
    return next((at for at, hit in enumerate(hits, 1) if hit.memory.id in right), None)


def _figures(places: Sequence[int | None]) -> dict[str, int]:
    within = {
        f"within_{most}": sum(p is not None and p <= most for p in places) for most in (1, 5, DEEP)
    }
    return {"asked": len(places), **within}


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console, "Recall: by meaning, by name, over a link, at a date", _model(facts)
    )
    by_meaning = facts["embedder"] is not None
    _show_meaning(console, facts["meaning"], by_meaning=by_meaning)
    _show_name(console, facts["name"])
    if facts["link"]:
        _show_link(console, facts["link"], by_meaning=by_meaning)
    if facts["dates"]:
        _show_dates(console, facts["dates"])
    _show_compared(console, facts["compared"], by_meaning=by_meaning)


def _model(facts: dict[str, Any]) -> str:
    if facts["embedder"] is None:
        why = facts["absence"] or "The setting embedder is none."
        return f"There is no model here, so all of this goes by words and links alone. {why}"
    every = (
        "Every memory has"
        if not facts["waiting"]
        else f"{facts['waiting']:,} still wait, the others have"
    )
    return (
        f"{every} a vector of {facts['embedder']}: "
        f"{facts['dimension']} numbers that stand for its meaning."
    )


def _show_meaning(console: Console, facts: dict[str, Any], *, by_meaning: bool) -> None:
    page.say(console, f"“{facts['query']}” {_say_what_is_shared(facts['by_words'])}")
    console.print()
    rows = _ways("by words", facts["by_words"])
    if by_meaning:
        rows += _ways("and by meaning", facts["found"])
    page.table(console, ["searched", "score>", "found…"], rows)
    console.print()


def _say_what_is_shared(by_words: Sequence[Any]) -> str:
    found = "some memories share a word" if by_words else "no memory shares a word"
    return f"Small words aside, {found} with it."


def _ways(way: str, hits: Sequence[dict[str, Any]]) -> list[list[str | Text]]:
    rows: list[list[str | Text]] = [
        ["", f"{hit['score']:.2f}", page.text(hit["text"])] for hit in hits
    ]
    rows = rows or [["", "", page.text("nothing", "dim")]]
    rows[0][0] = way
    return rows


def _show_name(console: Console, facts: dict[str, Any]) -> None:
    name, found = facts["name"], facts["found"]
    by_field = sum(hit["in_field"] and not hit["in_text"] for hit in found)
    page.say(
        console,
        f"“{facts['query']}” {facts['mentions']:,} memories say {name} somewhere, so the name "
        "alone tells little. "
        f"Who a memory is about is a field: the text of {by_field} of these {len(found)} has no "
        f"{name} in it.",
    )
    console.print()
    rows: list[list[str | Text]] = [
        [
            f"{hit['score']:.2f}",
            "field" if hit["in_field"] and not hit["in_text"] else "text" if hit["in_text"] else "",
            page.text(hit["text"]),
        ]
        for hit in found
    ]
    page.table(console, ["score>", f"{name} in", "found…"], rows)
    console.print()


def _show_link(console: Console, facts: dict[str, Any], *, by_meaning: bool) -> None:
    reached = facts["reached"]
    apart = "shares neither words nor meaning" if by_meaning else "shares no word"
    page.say(
        console,
        f"“{facts['query']}” The answer {apart} with the question; a link leads to it:",
    )
    console.print()
    rows: list[list[str | Text]] = [
        ["1", f"{facts['first']['score']:.2f}", page.text(facts["first"]["text"])],
        [str(facts["place"]), f"{reached['score']:.2f}", page.text(reached["text"])],
        ["", "", page.text(reached["why"], "dim")],
    ]
    page.table(console, ["place>", "score>", "found~"], rows)
    console.print()
    gone, back = facts["place_without_link"], facts["place_with_link_again"]
    without = "it is not found at all" if gone is None else f"it stands at place {gone}"
    again = "not found" if back is None else f"at place {back} again"
    page.say(console, f"With the link taken away {without}; with that undone it is {again}.")
    console.print()


def _show_dates(console: Console, dates: Sequence[dict[str, Any]]) -> None:
    page.say(console, "What was known then, and what is known today:")
    console.print()
    rows: list[list[str | Text]] = []
    for one in dates:
        rows.append(["", page.text(f"“{one['query']}”")])
        rows += [
            [one["at"][:10], page.text(f"{hit['text']} ({hit['since']})")] for hit in one["then"]
        ]
        rows += [["today", page.text(hit["text"])] for hit in one["now"]]
    page.table(console, ["asked", "best answer~"], rows)
    console.print()


def _show_compared(
    console: Console, compared: Sequence[dict[str, Any]], *, by_meaning: bool
) -> None:
    lead = "And without a model? " if by_meaning else ""
    page.say(
        console,
        f"{lead}How many questions have their answer first, in the first five, in the first ten:",
    )
    console.print()
    rows: list[list[str | Text]] = []
    for one in compared:
        for way, figures in (("by words", one["by_words"]), ("and by meaning", one["by_both"])):
            if figures is not None:
                asked, *within = figures.values()
                first = way == "by words"
                rows.append(
                    [
                        one["questions"] if first else "",
                        f"{asked}" if first else "",
                        way,
                        *map(str, within),
                    ]
                )
    page.table(console, ["questions", "asked>", "searched", "first>", "in 5>", "in 10>"], rows)
