"""The library's names are a promise: other programs are written against them."""

from __future__ import annotations

import inspect
import typing
from pathlib import Path

import pytest

from glymph import Glymph
from glymph.recall.filters import Filters
from glymph.recall.search import SearchOptions, find
from glymph.write.draft import NewMemory
from glymph.write.edit import MemoryChanges

EMPTY = inspect.Parameter.empty
LOOKING = (
    "limit kinds sections tags since until states include_superseded spaces at budget_tokens"
).split()

# Every method that is promised, with what must be given and what may be, by name and default.
# A default of `...` is one that a test below checks by what it does.
PROMISED = {
    "open": {
        "url": "sqlite:///~/.glymph/memory.db", "space": "default", "actor": "user",
        "settings": None, "clock": None, "embedder": "auto", "model": None,
        "token": None,
    },
    "add": {"text": EMPTY, "revive": False} | dict.fromkeys(
        "title kind tags entities attributes event_at expires_at salience source session trust "
        "links pinned".split(), ...
    ),
    "add_many": {"items": EMPTY},
    "search": {"query": EMPTY} | dict.fromkeys(LOOKING, ...),
    "recall": {"query": EMPTY, "reinforce": False} | dict.fromkeys(LOOKING, ...),
    "report": {"recall_id": EMPTY, "used": (), "confirmed": (), "contradicted": ()},
    "get": {"memory_id": EMPTY},
    "list": {"cursor": None},
    "update": {"memory_id": EMPTY, "text": ..., "title": ..., "kind": ..., "tags": ...},
    "history": {"memory_id": EMPTY},
    "pin": {"memory_id": EMPTY},
    "unpin": {"memory_id": EMPTY},
    "link": {"a": EMPTY, "b": EMPTY, "type": "user_linked", "weight": None},
    "unlink": {"a": EMPTY, "b": EMPTY, "type": "user_linked"},
    "supersede": {"old": EMPTY, "new_text": EMPTY},
    "forget": {"request": EMPTY, "mode": "release", "reason": "user_requested", "apply": False},
    "delete": {"ids": EMPTY},
    "archive": {"ids": EMPTY},
    "restore": {"ids": EMPTY},
    "analyze": {"min_staleness": 0.3, "max_groups": 20, "include_isolated": False},
    "prune": {
        "plan": EMPTY, "groups": None, "ids": None, "action": "archive", "cascade": False,
        "confirm_large": False,
    },
    "undo": {"operation_id": None},
    "operations": {},
    "graph": {},
    "health": {},
    "questions": {},
    "answer": {"question_ids": EMPTY, "choice": EMPTY},
    "unsupersede": {"memory_id": EMPTY},
    "settle": {},
    "conflicts": {},
    "resolve": {"conflict_ids": EMPTY, "resolution": EMPTY},
    "clusters": {},
    "export": {"path": EMPTY},
    "import_": {"path": EMPTY},
    "verify": {},
    "lifecycle": {},
    "ai_prune": {},
    "consolidate": {},
    "garden": {},
    "surface": {"budget_tokens": None},
    "extract": {"transcript": EMPTY},
    "close": {},
    "__enter__": {},
}  # fmt: skip

# Names from before a method went into a group, and where it is now.
OLDER_NAMES = {
    "create_cluster": "clusters.create",
    "delete_cluster": "clusters.delete",
    "add_to_cluster": "clusters.add",
    "remove_from_cluster": "clusters.remove",
    "empty_trash": "trash.empty",
    "lift_tombstones": "tombstones.lift",
    "every_conversation": "conversations.every",
    "conversations_with": "conversations.with_session",
    "conversation_folders": "conversations.folders",
    "memories_saying": "conversations.memories_saying",
    "carried_over": "conversations.carry_over",
    "erase_from_conversations": "conversations.erase",
}
# Methods that are not promised but were there before, and are used.
OTHERS = """
    edges write page fit find_duplicates meaning embed plans plan batch_prune execute_prune
    candidates merge trash restore_from_hash forget_plan certificates compact tombstones
    match_playbooks memetic_status fading reinforce costs autonomous_status unfinished
    conversations spaces rename_space delete_space backup context url shown_url space actor settings
""".split()
FIELDS = {
    "Unpack[NewMemory]": NewMemory,
    "Unpack[SearchOptions]": SearchOptions,
    "Unpack[Filters]": Filters,
    "Unpack[MemoryChanges]": MemoryChanges,
}


def parameters_of(method):
    """The parameters by name with their defaults; those of a TypedDict have `...`."""
    found = {}
    for name, one in inspect.signature(method).parameters.items():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            found |= dict.fromkeys(typing.get_type_hints(FIELDS[one.annotation]), ...)
        elif name != "self":
            found[name] = one.default
    return found


@pytest.mark.parametrize("name", PROMISED)
def test_a_promised_method_takes_what_was_promised(glymph, name):
    found = parameters_of(getattr(glymph, name))
    assert {key: found.get(key, "missing") for key in PROMISED[name]} == PROMISED[name]
    needed = {key for key, default in found.items() if default is EMPTY}
    assert needed <= PROMISED[name].keys(), "what must be given may not grow"


def test_what_is_left_out_of_add_and_search_has_the_promised_defaults(glymph):
    memory = glymph.get(glymph.add("The train to Lisbon leaves at nine.").id)
    assert (memory.kind, memory.salience, memory.pinned) == ("note", 0.5, False)
    assert inspect.signature(find).parameters["limit"].default == 10


def test_every_name_there_ever_was_answers(glymph):
    assert [name for name in OTHERS if not hasattr(glymph, name)] == []
    assert [name for name in OTHERS if not hasattr(Glymph, name)] == []


@pytest.mark.parametrize(("older", "path"), OLDER_NAMES.items())
def test_an_older_name_is_the_method_of_its_group(glymph, older, path):
    group, _, method = path.partition(".")
    now = getattr(getattr(glymph, group), method)
    assert getattr(glymph, older).__func__ is now.__func__
    assert getattr(Glymph, older) is getattr(getattr(Glymph, group), method)


def test_a_group_belongs_to_its_handle_also_after_the_space_was_renamed(glymph):
    clusters = glymph.clusters
    glymph.rename_space("default", "other")
    clusters.create("mine")
    assert [one.name for one in glymph.clusters()] == ["mine"]


def test_a_method_of_the_handle_is_a_few_lines():
    methods = [one for one in vars(Glymph).values() if inspect.isfunction(one)]
    lengths = {one.__name__: len(inspect.getsource(one).splitlines()) for one in methods}
    assert {name: lines for name, lines in lengths.items() if lines > 20} == {}
    assert len(Path(inspect.getfile(Glymph)).read_text().splitlines()) <= 600
    assert Glymph.__mro__ == (Glymph, object)
