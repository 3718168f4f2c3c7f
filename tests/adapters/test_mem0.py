"""mem0's Memory by another import: the same calls, bound to the signatures of the real class."""

from __future__ import annotations

import inspect
import logging
import os
import warnings

import pytest

os.environ["MEM0_TELEMETRY"] = "False"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from mem0 import Memory as Theirs
    from mem0.configs.base import MemoryItem

from glymph import Glymph
from glymph.adapters.mem0 import Memory
from glymph.errors import InvalidInput
from glymph.testing import FrozenClock, ScriptedModel

METHODS = ("add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset")
ADA = {"user_id": "ada"}
# A program of somebody who uses mem0. It runs with ours; every call is also bound to theirs.
SCRIPT = """
m = Memory.from_config(config)
talk = [
    {"role": "system", "content": "You are a kind assistant."},
    {"role": "user", "content": "I am allergic to peanuts.", "name": "Ada"},
    {"role": "assistant", "content": "I will keep peanuts out of every recipe."},
]
added = m.add(talk, user_id="ada", run_id="talk-1", metadata={"topic": "health", "weight": 3}, infer=False)
plain = m.add("Ada moved to Bergen in May.", user_id="ada", agent_id="planner", expiration_date="2999-01-31")
found = m.search("Where did Ada move?", filters={"user_id": "ada"}, top_k=5, threshold=0.0)
every = m.get_all(filters={"user_id": "ada"}, top_k=50)
one = m.get(plain["results"][0]["id"])
updated = m.update(one["id"], text="Ada moved to Bergen in June.", metadata={"topic": "home"})
past = m.history(one["id"])
deleted = m.delete(added["results"][1]["id"])
emptied = m.delete_all(user_id="ada")
left = m.get_all(filters={"user_id": "ada"})
m.reset()
"""


class Watched(Memory):
    """Ours, which binds every call to the signature of the real method."""


def _watch(name):
    def call(self, *args, **kwargs):
        inspect.signature(getattr(Theirs, name)).bind(self, *args, **kwargs)
        return getattr(Memory, name)(self, *args, **kwargs)

    return call


for _name in METHODS:
    setattr(Watched, _name, _watch(_name))


@pytest.fixture
def config(url):
    return {"url": url}


@pytest.fixture
def memory(config):
    with Memory(config) as ours:
        yield ours


@pytest.mark.parametrize("name", [*METHODS, "from_config", "close"])
def test_a_method_has_the_arguments_of_the_real_one(name):
    theirs, own = (inspect.signature(getattr(one, name)).parameters for one in (Theirs, Memory))
    assert list(own) == list(theirs)
    assert [one.kind for one in own.values()] == [one.kind for one in theirs.values()]
    for parameter, default in ((key, one.default) for key, one in theirs.items()):
        if type(default) is not object:  # their mark for "not given"
            assert own[parameter].default == default, parameter


def test_a_program_runs_by_another_import_and_gets_the_same_shapes(config):
    names = {"Memory": Watched, "config": config}
    exec(SCRIPT, names)
    user, assistant = names["added"]["results"]
    assert user.keys() == {"id", "memory", "event", "actor_id", "role"}
    assert (user["event"], user["actor_id"], user["role"]) == ("ADD", "Ada", "user")
    assert (assistant["role"], assistant["actor_id"]) == ("assistant", None)
    (stored,) = names["plain"]["results"]
    assert {"id", "memory", "event"} <= stored.keys()
    best = names["found"]["results"][0]
    assert best["memory"] == "Ada moved to Bergen in May."
    assert MemoryItem.model_validate(best).score == best["score"] > 0
    every = names["every"]["results"]
    assert len(every) == 3
    first = next(one for one in every if one.get("actor_id") == "Ada")
    assert MemoryItem.model_fields.keys() - {"score"} <= first.keys()
    assert (first["user_id"], first["run_id"], first["role"]) == ("ada", "talk-1", "user")
    assert first["metadata"] == {"topic": "health", "weight": 3}
    assert names["one"]["expiration_date"] == "2999-01-31"
    assert names["updated"] == {"message": "Memory updated successfully!"}
    assert names["deleted"] == {"message": "Memory deleted successfully!"}
    assert names["emptied"] == {"message": "Memories deleted successfully!"}
    assert [(row["event"], row["old_memory"], row["new_memory"]) for row in names["past"]] == [
        ("ADD", None, "Ada moved to Bergen in May."),
        ("UPDATE", "Ada moved to Bergen in May.", "Ada moved to Bergen in June."),
    ]
    assert names["past"][0].keys() == {
        "id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at",
        "is_deleted", "actor_id", "role",
    }  # fmt: skip
    assert names["left"] == {"results": []}


def test_without_a_model_the_text_is_stored_as_it_is_and_the_answer_says_so(memory):
    answer = memory.add("Ada moved to Bergen in May.", user_id="ada")
    assert answer["notice"].startswith("No language model is configured")
    assert "notice" not in memory.add("Ada sails on Sundays.", user_id="ada", infer=False)


def test_with_a_model_what_matters_is_taken_out(url):
    said = [
        {"text": "The user is allergic to peanuts.", "kind": "fact", "turn": 1},
        {"text": "Zoltan is allergic to peanuts.", "kind": "fact", "turn": 1},
    ]
    model = ScriptedModel([{"memories": said}])
    with Memory({"url": url, "model": model}) as memory:
        answer = memory.add(
            "Well, I am allergic to peanuts, as you know.", user_id="ada", agent_id="planner"
        )
        assert "No language model" not in answer.get("notice", "")
        assert [one["memory"] for one in answer["results"]] == ["The user is allergic to peanuts."]
        assert [one["memory"] for one in answer["refused"]] == ["Zoltan is allergic to peanuts."]
        listed = memory.get_all(filters={"agent_id": "planner"})["results"]
        assert [one["id"] for one in listed] == [one["id"] for one in answer["results"]]


def test_two_users_never_share_a_memory(memory):
    for user in ("ada", "eve", "a user/with (odd) name".replace(" ", "_")):
        (told,) = memory.add("I live in Berlin now.", user_id=user, infer=False)["results"]
        assert told["event"] == "ADD"
        assert len(memory.get_all(filters={"user_id": user})["results"]) == 1
    (told,) = memory.add("I live in  berlin now.", user_id="ada", infer=False)["results"]
    assert told["event"] == "NONE"
    memory.delete_all(user_id="ada")
    assert len(memory.get_all(filters={"user_id": "eve"})["results"]) == 1


def test_an_agent_and_a_run_narrow_what_is_asked_for(memory):
    for agent in ("planner", "cook"):
        memory.add(
            "Ada likes figs.", user_id="ada", agent_id=agent, run_id=f"{agent}-1", infer=False
        )
    memory.add("The cook cleans at ten.", agent_id="cook", infer=False)
    assert len(memory.get_all(filters={"user_id": "ada"})["results"]) == 2
    assert len(memory.get_all(filters={"user_id": "ada", "agent_id": "cook"})["results"]) == 1
    assert len(memory.get_all(filters={"agent_id": "cook"})["results"]) == 2
    found = memory.search("figs", filters={"run_id": "cook-1"}, threshold=0.0)["results"]
    assert [one["agent_id"] for one in found] == ["cook"]


def test_metadata_is_filtered_by_operators(memory):
    for weight in range(4):
        text = f"Crate {weight} is at the gate."
        memory.add(
            text, user_id="ada", metadata={"weight": weight, "name": f"C{weight}"}, infer=False
        )

    def weights(**filters):
        found = memory.get_all(filters={**ADA, **filters})["results"]
        return sorted(one["metadata"]["weight"] for one in found)

    assert weights(weight=2) == [2]
    assert weights(weight={"gte": 1, "lt": 3}) == [1, 2]
    assert weights(weight={"in": [0, 3]}) == [0, 3]
    assert weights(name={"icontains": "c1"}) == [1]
    assert weights(name="*") == [0, 1, 2, 3]
    assert weights(OR=[{"weight": 0}, {"weight": 1}], NOT=[{"name": "C0"}]) == [1]
    assert weights(missing="*") == []
    with pytest.raises(InvalidInput, match="near"):
        weights(weight={"near": 1})
    found = memory.search(
        "crate gate", filters={**ADA, "weight": {"gt": 2}}, threshold=0.0, explain=True
    )
    assert [one["metadata"]["weight"] for one in found["results"]] == [3]
    assert found["results"][0]["score_details"]


def test_what_has_ended_is_hidden_unless_asked_for(url):
    clock = FrozenClock()
    with Memory({"url": url, "clock": clock}) as memory:
        day = clock.now.date().isoformat()
        memory.add("The lift is broken today.", user_id="ada", expiration_date=day, infer=False)
        assert len(memory.get_all(filters=ADA)["results"]) == 1
        clock.advance(days=2)
        assert memory.get_all(filters=ADA)["results"] == []
        assert memory.search("lift", filters=ADA, threshold=0.0)["results"] == []
        (one,) = memory.get_all(filters=ADA, show_expired=True)["results"]
        memory.update(one["id"], expiration_date=None)
        assert len(memory.get_all(filters=ADA)["results"]) == 1


def test_what_is_written_is_journalled_with_its_agent_and_run_and_can_be_undone(memory, url):
    memory.add("Ada likes figs.", user_id="ada", agent_id="cook", run_id="r1", infer=False)
    with Glymph.open(url, space="mem0/user:ada", create=False) as glymph:
        (operation,) = glymph.operations(verb="add")
        assert (operation.actor, operation.session) == ("agent:cook", "r1")
        memory.reset()
        assert memory.get_all(filters=ADA)["results"] == []
        assert [one.title for one in glymph.trash()] == ["Ada likes figs."]
        glymph.undo(glymph.operations(limit=1)[0].id)
        assert len(memory.get_all(filters=ADA)["results"]) == 1
        (row,) = [row for row in memory.history(glymph.list()[0].id) if row["event"] == "ADD"]
        assert row["new_memory"] == "Ada likes figs."


def test_many_users_do_not_keep_as_many_spaces_open(memory, monkeypatch):
    monkeypatch.setattr("glymph.adapters.mem0.AT_HAND", 3)
    for number in range(6):
        memory.add("I like figs.", user_id=f"u{number}", infer=False)
    assert len(memory._open) == 3
    assert len(memory.get_all(filters={"user_id": "u0"})["results"]) == 1


def test_what_is_wrong_is_named_as_mem0_names_it(memory, caplog, config):
    for call in (
        lambda: memory.add("A text without an owner."),
        lambda: memory.add("A text.", user_id="a b"),
        lambda: memory.add(7, user_id="ada"),
        lambda: memory.add("A text.", user_id="ada", memory_type="other"),
        lambda: memory.add("A text.", user_id="ada", timestamp=1),
        lambda: memory.search("x", filters={}),
        lambda: memory.search("x", user_id="ada"),
        lambda: memory.get_all(filters={"topic": "x"}),
        lambda: memory.get_all(filters=ADA, top_k=-1),
        lambda: memory.delete("unknown"),
        lambda: memory.update("unknown", text="x"),
        lambda: memory.update("unknown"),
        lambda: memory.delete_all(),
    ):
        with pytest.raises(ValueError):
            call()
    assert memory.get("unknown") is None
    assert memory.history("unknown") == []
    with caplog.at_level(logging.WARNING):
        Memory({**config, "vector_store": {"provider": "qdrant"}}).close()
    assert "vector_store" in caplog.text
    answer = memory.add("ok", user_id="ada", infer=False)
    assert answer["results"] == []
    assert answer["refused"][0]["memory"] == "ok"


def test_who_names_nobody_is_told_how_each_method_takes_it(memory):
    with pytest.raises(InvalidInput, match=r"filters=\{'user_id': …\}"):
        memory.search("figs")
    with pytest.raises(InvalidInput, match=r"filters=\{'user_id': …\}"):
        memory.get_all()
    with pytest.raises(InvalidInput, match=r"^user_id: pass at least one of"):
        memory.add("Ada likes figs.", infer=False)
