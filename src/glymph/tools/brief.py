"""Answers in few words, for a model: each thing once, and only what it can use.

They are made of the data of a run after its ids were shortened (`ids.shorten_ids`). What memories
say keeps its lines, each behind a blank: no line of a text can pass for a line of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from glymph.text.normal import is_derived_title
from glymph.tools.blocks import LINK, quantity
from glymph.tools.ids import SHOWN_AT_FIRST, WHOLE

Result = Mapping[str, Any]

MOST_NAMED = 20  # memories that a receipt names; the others are counted
LONGEST = 200  # characters of a memory where it only has to be recognised
_EMPTY: tuple[Any, ...] = (None, "", [], {}, ())


def brief_facts(result: Result) -> str:
    """Returns names and values, a line each; empty ones are left out."""
    return "\n".join(_facts(result)) or "Nothing."


def _facts(result: Result) -> Iterator[str]:
    for name, value in result.items():
        if value in _EMPTY:
            continue
        if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
            yield f"{name}:"
            yield from (f"- {format_inline(one)}" for one in value)
        elif isinstance(value, Mapping):
            yield f"{name}: {format_inline(value)}"
        else:
            yield f"{name}: {_format(name, value)}"


def format_inline(value: Result) -> str:
    """Returns a mapping in one line; what a text says keeps its lines."""
    parts = (f"{name} {_format(name, one)}" for name, one in value.items() if one not in _EMPTY)
    return "; ".join(parts)


def _format(name: str, value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.4g}"
        case str() if name in ("at", "until") or name.endswith(("_at", "_until")):
            return format_moment(value)
        case str():
            return indent(value)
        case Mapping():
            return f"({format_inline(value)})"
        case list() | tuple():
            return ", ".join(_format(name, one) for one in value)
    return str(value)


def format_moment(iso: str) -> str:
    """Returns a moment to the minute, in UTC."""
    return iso[:16].replace("T", " ")


def indent(text: str) -> str:
    """Returns a text whose lines after the first begin with a blank."""
    return "\n ".join(text.splitlines())


def shorten(text: str, longest: int = LONGEST) -> str:
    """Returns a text in one line, cut where it is longer."""
    folded = " ".join(text.split())
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"


def brief_hits(result: Result) -> str:
    """Returns what was found, the best first: id, score, kind, day and text."""
    lines = [f"recall_id {result['recall_id']}"] if result.get("recall_id") else []
    lines += [_hit(one) for one in result["hits"]]
    if not result["hits"]:
        lines.append("Nothing found. Other words or states may find it.")
    return "\n".join([*lines, *_rest(result)])


def _hit(hit: Result) -> str:
    marks = [hit["state"].lower()] if hit["state"] != "LIVE" else []
    marks += [name for name in ("space", "source") if hit.get(name)]
    marks = [f"{name} {hit[name]}" if name in hit else name for name in marks]
    if hit.get("event_at"):
        marks.append(f"happened {hit['event_at'][:10]}")
    if hit.get("tags"):
        marks.append(f"tags {', '.join(hit['tags'])}")
    for name, said in (("superseded_by", "replaced by"), ("maybe_outdated_by", "outdated by?")):
        if hit.get(name):
            marks.append(f"{said} {_format('', hit[name])}")
    told = f" ({'; '.join(marks)})" if marks else ""
    when = hit["created_at"][:10]
    return f"{hit['id']} {hit['score']:.2f} {hit['kind']} {when}{told}: {_say(hit)}"


def _say(memory: Result) -> str:
    """Returns what a memory says, behind a title that somebody gave it."""
    title, text = memory["title"], memory["text"]
    return indent(text if is_derived_title(title, text) else f"{title}: {text}")


def _rest(result: Result) -> Iterator[str]:
    """Yields what an answer that was cut or is doubtful says about itself."""
    if result.get("notice"):
        yield str(result["notice"])
    if result.get("left_out"):
        yield f"left out: {format_inline(result['left_out'])}"
    if result.get("next_cursor"):
        yield f"There is more: the same call with cursor {result['next_cursor']!r}."


def brief_receipt(result: Result) -> str:
    """Returns what an operation did, what it left alone and why, and the way back."""
    return "\n".join(_receipt(result))


def _receipt(result: Result) -> Iterator[str]:
    if "succeeded" not in result or "verb" not in result:
        yield brief_facts(result)
        return
    done, titles = result["succeeded"], result.get("titles", {})
    also = f", and {len(result['cascaded'])} with them" if result.get("cascaded") else ""
    yield f"{result['verb']}: {len(done) or 'nothing'} done{also}"
    named = [one for one in done if one in titles][:MOST_NAMED]
    yield from (f"{_cut(one)} {shorten(titles[one], 80)}" for one in named)
    if others := [one for one in done if one not in named and LINK not in one]:
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        yield f"{'also ' if named else ''}{' '.join(map(_cut, others[:MOST_NAMED]))}{more}"
    if links := sum(LINK in one for one in done):
        yield f"{'also ' if named or others else ''}{quantity(links, 'link', 'links')}"
    yield from brief_refusals(result)
    if result.get("recoverable_until"):
        yield f"in the trash until {result['recoverable_until'][:10]}"
    if done and result["verb"] == "purge":
        yield "for good: there is no undo"
    elif done and result.get("operation_id"):
        yield f"undo_operation with operation_id {result['operation_id']} takes it back"
    yield from _rest(result)


def _cut(one: str) -> str:
    """Returns an id as it is shown; one that is whole still is of nothing that is there now."""
    return one[:SHOWN_AT_FIRST] if len(one) == WHOLE else one


def brief_refusals(result: Result) -> Iterator[str]:
    """Yields the ids that were left alone, each with the reason."""
    for kind in ("skipped", "failed"):
        for refusal in result.get(kind, ()):
            yield f"{kind} {refusal['id']}: {refusal['reason']}"


def brief_plan(plan: Result) -> str:
    """Returns the groups of a plan to prune, each member in a line, and how to act on it."""
    totals = plan["totals"]
    if not plan["groups"]:
        return str(plan["text"]).replace("=True", " true")
    many = quantity(totals["memories"], "memory", "memories")
    until = format_moment(plan["expires_at"])
    lines = [f"plan {plan['plan_id']}, valid until {until}; {many} looked at"]
    for group in plan["groups"]:
        lines += _group(group)
    for one in plan.get("rest", ()):
        many = quantity(one["node_count"], "memory", "memories")
        lines.append(f"group {one['group']}: {shorten(one['label'], 80)} ({many}), not shown here")
    if plan.get("next_cursor"):
        lines.append(f"There is more: the same call with cursor {plan['next_cursor']!r}.")
    lines.append("batch_prune with this plan and the numbers of groups archives them.")
    return "\n".join(lines)


def _group(group: Result) -> Iterator[str]:
    many = quantity(group["node_count"], "memory", "memories")
    idle = f"unused for {group['days_since_active']:.0f} days"
    yield f"group {group['group']}: {shorten(group['label'], 80)} ({many}, {idle})"
    told = [f"why: {'; '.join(group['reasons'])}"] if group["reasons"] else []
    impact = group["impact"]
    if impact["recalls"]:
        told.append(f"shown by {impact['recalls']} of the last {impact['examined']} recalls")
    if impact["lessons"]:
        told.append(f"{quantity(len(impact['lessons']), 'lesson rests', 'lessons rest')} on it")
    if impact["cascade"]:
        told.append(f"cascade takes {len(impact['cascade'])} more")
    if told:
        yield f" {'; '.join(told)}"
    yield from (_member(node, group["reasons"]) for node in group["nodes"])


def _member(node: Result, said: Sequence[str]) -> str:
    own = [why for why in node["reasons"] if why not in said]
    marks = [node["kind"], *own, *([f"stays: {node['blocked']}"] if node["blocked"] else [])]
    return f"{node['id']} {shorten(node['title'], 100)} ({', '.join(marks)})"


def brief_questions(result: Result) -> str:
    """Returns the questions that wait, or the receipt of an answer."""
    if "questions" not in result:
        return brief_receipt(result)
    lines = [line for one in result["questions"] for line in _question(one)]
    return "\n".join([*lines, *_rest(result)]) or "No question waits for an answer."


def _question(question: Result) -> Iterator[str]:
    yield f"{question['id']}: {question['asks']} ({question['reason']})"
    sides = ("older", "newer") if question["older"] != question["newer"] else ("older",)
    for side in sides:
        text = shorten(question[f"{side}_text"])
        yield f" {side} {question[side]}, {question[f'{side}_at'][:10]}: {text}"
    choices = (f"{name} ({does.rstrip('.')})" for name, does in question["choices"].items())
    yield f" choose: {', '.join(choices)}"


def brief_memory(result: Result) -> str:
    """Returns one memory whole: what it says, its figures, its links and its history."""
    memory = result["memory"]
    facts = [
        memory["id"], memory["kind"], memory["section"],
        memory["state"] if memory["state"] != "LIVE" else memory["lifecycle"],
        f"retrievability {memory['retrievability']:.2f}",
        f"used {quantity(memory['access_count'], 'time', 'times')}",
        f"created {memory['created_at'][:10]}",
    ]  # fmt: skip
    moments = [name for name in ("event_at", "expires_at", "last_used_at") if memory.get(name)]
    facts += [f"{name} {format_moment(memory[name])}" for name in moments]
    facts += [name for name in ("pinned", "protected") if memory.get(name)]
    for name in ("space", "superseded_by", "source", "session", "tags", "entities"):
        if memory.get(name) and (name, memory[name]) != ("space", "default"):
            facts.append(f"{name} {_format(name, memory[name])}")
    lines = [", ".join(facts), _say(memory)]
    if memory.get("attributes"):
        lines.append(f"attributes {json.dumps(memory['attributes'], ensure_ascii=False)}")
    lines += _links(memory["id"], result.get("links", ()))
    lines += [_change(one) for one in result.get("history", ())]
    return "\n".join([*lines, *_rest(result)])


def _links(memory: str, links: Iterable[Result]) -> Iterator[str]:
    for link in links:
        away = link["source"] == memory
        other = link["target"] if away else link["source"]
        yield f"{'→' if away else '←'} {link['type']} {other}"


def _change(change: Result) -> str:
    hidden = ("content_hash", "updated_at", "version")
    before = {name: old for name, old in change["before"].items() if name not in hidden}
    was = f"; before: {shorten(format_inline(before))}" if before else ""
    why = f" ({change['reason']})" if change["reason"] else ""
    return f"{format_moment(change['at'])} {change['actor']} {change['verb']}{why}{was}"


def brief_added(result: Result) -> str:
    """Returns what came of adding a memory: new, known, an update, or in doubt."""
    if result.get("refused"):
        return f"Not remembered: {result['refused']}"
    if not result["created"]:
        return f"Known already as {result['duplicate_of']}: reinforced instead."
    lines = [f"remembered {result['id']}, operation {result['operation_id']}"]
    for name, said in (("superseded", "seems to update"), ("connected_to", "linked to")):
        if result[name]:
            lines.append(f"{said} {', '.join(result[name])}")
    lines += [str(why) for why in result["why"]]
    lines += [f"question {one}: answer_question" for one in result["questions"]]
    lines += [f"near: {near['id']} {shorten(near['text'])}" for near in result["nearest"]]
    return "\n".join(lines)


def brief_forgotten(result: Result) -> str:
    """Returns what forgetting would do, or what it did."""
    if "actions" not in result:
        still = [f"{one['id']} is still found by {one['by']}" for one in result["reachable"]]
        meant = [f"may be meant: {_action(one)}" for one in result["candidates"]]
        return "\n".join([brief_receipt(result), *still, *meant])
    lines = [f"plan {result['plan_id']} to {result['mode']} {shorten(result['request'])!r}"]
    lines += [f"{action['kind']} {_action(action)}" for action in result["actions"]]
    if result["derived"]:
        lines.append(f"rest on what goes, and stay: {', '.join(result['derived'])}")
    if result["why"]:
        lines.append(result["why"])
    if any(action["kind"] in ("remove", "rewrite") for action in result["actions"]):
        purging = " and mode purge" if result["mode"] == "purge" else ""
        for_good = ", for good: there is no undo" if purging else ""
        call = f"forget_concept with plan {result['plan_id']}{purging}"
        lines.append(f"Nothing was changed: {call} does it{for_good}.")
    elif not result["actions"]:
        lines.append("Nothing here is meant by it.")
    return "\n".join(lines)


def _action(action: Result) -> str:
    becomes = f", becomes: {shorten(action['new'])}" if action["kind"] == "rewrite" else ""
    return f"{action['id']}: {shorten(action['old'])} ({action['reason']}){becomes}"


def brief_operations(result: Result) -> str:
    """Returns operations, a line each, or one with all that it touched."""
    if "operation" in result:
        return brief_facts(result)
    lines = [result["summary"]]
    for one in result["operations"]:
        named = ", ".join(f"{t['id']} {shorten(t['title'], 60)}" for t in one["touched"][:3])
        undone = f"; undone by {one['undone_by']}" if one["undone_by"] else ""
        why = f" ({one['reason']})" if one["reason"] else ""
        head = f"{one['id']} {format_moment(one['at'])} {one['verb']} by {one['actor']}{why}"
        lines.append(f"{head}: {named or quantity(one['changes'], 'row', 'rows')}{undone}")
    return "\n".join([*lines, *_rest(result)])
