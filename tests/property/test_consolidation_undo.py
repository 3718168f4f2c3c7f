"""Consolidating and taking it back is doing nothing.

That holds whatever happened and whatever a model answers.
"""

from __future__ import annotations

import json
import shutil
import tempfile

from hypothesis import event, given, settings
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.llm.dialogue import Reply, Usage
from glymph.testing import FrozenClock, logical_image
from glymph.testing.embedders import WordEmbedder
from glymph.testing.strategies import json_values
from tests.grounds.learning import Analyst

EXAMPLES = min(settings.default.max_examples, 1000)
KINDS = ("trade_close", "trade_close", "trade_close", "signal", "event", "note", "lesson")

happened = st.fixed_dictionaries(
    {
        "symbol": st.sampled_from(["BTC", "BTC", "BTC", "ETH", None]),
        "kind": st.sampled_from(KINDS),
        "won": st.sampled_from([True, True, False, None]),
        "load": st.sampled_from([0.1, 0.5, 0.9]),
        "trust": st.sampled_from([1.0, 1.0, 0.5, 0.2]),
        "days": st.sampled_from([0, 0, 0, 0, 0, 0, 0, 0, 1, 9]),
    }
)
numbers = st.one_of(st.none(), st.integers(-2, 12))
claims = st.fixed_dictionaries(
    {
        "measure": st.sampled_from(
            ["count", "successes", "failures", "success_rate", "average", "higher", "wrong"]
        ),
        "stated": numbers,
        "out_of": numbers,
        "where": st.lists(st.sampled_from([0.0, 0.4, 0.8]), max_size=1),
        "cites": st.lists(st.integers(0, 14), max_size=9),
    }
)
answers = st.one_of(
    st.just("true"),
    st.just("true"),
    st.just("true"),
    st.fixed_dictionaries(
        {"claims": st.lists(claims, max_size=3), "direction": st.sampled_from(["long", "", "up"])}
    ),
    st.sampled_from(
        [
            "",
            "NO_PATTERN",
            "TITLE: All good\n\n5 of 5 of them won when load was above 0.4.",
            "{",
            "fail",
        ]
    ),
    json_values,
)


def shown(messages):
    return [json.loads(line) for line in messages[1].content.split("\n")[1:-1]][1:]


def true_pattern(messages):
    """What holds of the episodes that were shown."""
    told = shown(messages)
    ended = [one for one in told if "outcome" in one]
    won = sum(one["outcome"] == "success" for one in ended)
    said = f"In all, {won} of {len(ended)} of them succeeded."
    claim = {"text": said, "measure": "successes", "stated": won, "out_of": len(ended),
             "episodes": [one["id"] for one in told]}  # fmt: skip
    body = f"{said} I do it again as soon as the shop opens in the morning."
    return {"pattern": True, "title": "It goes well", "body": body, "claims": [claim], "trigger": "the shop opens",
            "direction": "again"}  # fmt: skip


def script(given_answers):
    left = iter(given_answers * 20)

    def say(messages, schema):
        answer = next(left, "NO_PATTERN")
        if answer == "true":
            return true_pattern(messages)
        if answer == "fail":
            return errors.ModelTimedOut("scripted", 1.0)
        if isinstance(answer, dict) and set(answer) == {"claims", "direction"}:
            return invented(answer)
        return answer if isinstance(answer, str) else Reply(json.dumps(answer), Usage(1, 1))

    return say


def invented(answer):
    made = [
        {"text": f"It is {one['stated']} of {one['out_of']}.", "measure": one["measure"], "stated": one["stated"],
         "out_of": one["out_of"], "where": [{"name": "load", "is": ">", "value": value} for value in one["where"]],
         "episodes": [f"e{n}" for n in one["cites"]]}
        for one in answer["claims"]
    ]  # fmt: skip
    body = " ".join(
        ["The shop opens in the morning and closes at night.", *(one["text"] for one in made)]
    )
    return {
        "pattern": True,
        "title": "Made up",
        "body": body,
        "claims": made,
        "direction": answer["direction"],
    }


def told(glymph, clock, episodes, since=0):
    for number, one in enumerate(episodes, start=since):
        clock.advance(days=one["days"], minutes=1)
        attributes = {"load": one["load"], "direction": "again"}
        attributes |= {"symbol": one["symbol"]} if one["symbol"] else {}
        attributes |= {"success": one["won"]} if one["won"] is not None else {}
        text = f"Thing {number} happened near the old harbour at {number} o'clock"
        glymph.add(text, kind=one["kind"], attributes=attributes, trust=one["trust"])


def settled_image(glymph):
    """The image once every text has its vector again: what changes its words loses it for a while."""
    glymph.settle()
    return logical_image(glymph._ctx.store, "default")


def check_only_lessons_changed(before, after):
    """Nothing but lessons, playbooks and their links is new or different."""
    for place, row in before.items():
        if place[0] == "vectors":  # a lesson that says its counts anew has another
            continue
        now = after[place]
        if place[0] == "memories" and row["kind"] not in ("lesson", "playbook"):
            assert {**now, "version": row["version"]} == row, "an episode was changed"
        elif place[0] == "edges":
            assert {**now, "weight": row["weight"], "last_used_at": row["last_used_at"]} == row
    memories = {key: row for (table, key), row in after.items() if table == "memories"}
    for place in after.keys() - before.keys():
        row = after[place]
        if place[0] == "memories":
            assert (row["kind"] in ("lesson", "playbook"), row["source"]) == (True, "consolidation")
            own = [e for (t, _), e in after.items() if t == "edges" and e["source"] == place[1]]
            rests = [memories[e["target"]] for e in own if e["type"] == "generalizes"]
            assert len(rests) >= 3, "a lesson of fewer than three episodes"
            assert row["trust"] == min(one["trust"] for one in rests) >= 0.3
        elif place[0] == "edges":
            assert memories[row["source"]]["kind"] in ("lesson", "playbook")
        else:
            assert place[0] == "vectors"


@given(
    st.lists(happened, min_size=6, max_size=16), st.lists(happened, max_size=6),
    st.lists(answers, min_size=1, max_size=3),
    st.sampled_from(["model", "model", "model", "none"]), st.booleans(),
)  # fmt: skip
@settings(max_examples=EXAMPLES)
def test_consolidating_and_undoing_is_the_identity(first, more, said, by, meaning):
    folder, clock = tempfile.mkdtemp(prefix="glymph-learn-"), FrozenClock()
    model = Analyst(script(said)) if by == "model" else None
    embedder = WordEmbedder(ms=0.01) if meaning else "none"
    plain = {"compare": "off", "junk_gate": "off"}
    try:
        with Glymph.open(
            f"sqlite:///{folder}/m.db", clock=clock, embedder=embedder, model=model, settings=plain
        ) as g:
            done = []
            for number, episodes in enumerate((first, more)):
                told(g, clock, episodes, since=100 * number)
                before = settled_image(g)
                run = g.consolidate()
                after = settled_image(g)
                check_only_lessons_changed(before, after)
                assert (run.operation_id is None) == (before == after)
                event(f"{number}: {sorted({one.ending for one in run.groups})}")
                if run.operation_id is not None:
                    undone = g.undo(run.operation_id)
                    assert settled_image(g) == before, "undo did not restore the image"
                    g.undo(undone.operation_id)
                    assert settled_image(g) == after, "undo of undo did not bring it back"
                done.append(run)
            asked = len(model.asked) if model is not None else 0
            if not done[-1].errors and len(done[-1].groups) < 5:
                assert g.consolidate().calls == 0
                assert (len(model.asked) if model is not None else 0) == asked
            assert g.verify().ok
    finally:
        shutil.rmtree(folder)
