"""The nine tools of the reference server-memory on our store.

An entity, an observation and a relation are a memory each, so that all of them are found by recall,
fade, and are undone like any other. An observation's text begins with the name of its entity: by
itself, "likes tea" would be the same memory of two people. What is deleted waits in the trash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from glymph.errors import EntityNotFound
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Memory

SOURCE = "server-memory"
ENTITY, OBSERVATION, RELATION = "entity", "observation", "relation"
PAGE = 500
Run = Callable[["Glymph", Any], Mapping[str, Any]]
LONGEST_QUERY = 2048


class Value(BaseModel):
    """A value inside arguments."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Entity(Value):
    name: str = Field(min_length=1)
    entityType: str  # noqa: N815 - the names of the other server's arguments
    observations: list[str]


class Relation(Value):
    start: str = Field(alias="from")
    to: str
    relationType: str  # noqa: N815

    @property
    def key(self) -> tuple[str, str, str]:
        return self.start, self.to, self.relationType


class NewObservations(Value):
    entityName: str  # noqa: N815
    contents: list[str]


class OldObservations(Value):
    entityName: str  # noqa: N815
    observations: list[str]


class Entities(Arguments):
    entities: list[Entity] = Field(description="Entities to create.")


class Relations(Arguments):
    relations: list[Relation] = Field(description="Relations, in active voice.")


class Observed(Arguments):
    observations: list[NewObservations] = Field(description="What to add, by entity.")


class EntityNames(Arguments):
    entityNames: list[str] = Field(description="Entities to delete.")  # noqa: N815


class Deletions(Arguments):
    deletions: list[OldObservations] = Field(description="What to delete, by entity.")


class NoArguments(Arguments):
    pass


class Query(Arguments):
    query: Annotated[str, Field(max_length=LONGEST_QUERY, description="Part of a name or text.")]


class Names(Arguments):
    names: list[str] = Field(description="Entities to show.")


@dataclass
class Graph:
    """The memories of the graph: entities and observations by name, relations by their ends."""

    entities: dict[str, Memory] = field(default_factory=dict)
    observations: dict[str, dict[str, Memory]] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], Memory] = field(default_factory=dict)

    def require(self, *names: str) -> None:
        for name in names:
            if name not in self.entities:
                raise EntityNotFound(name)

    def dump(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns entities, all or some, and the relations that touch them."""
        chosen = self.entities if names is None else dict.fromkeys(names)
        entities = [
            dump_entity(name, memory.attributes["entity_type"], self.observations.get(name, ()))
            for name, memory in self.entities.items()
            if name in chosen
        ]
        touched = [key for key in self.relations if key[0] in chosen or key[1] in chosen]
        return {"entities": entities, "relations": [dump_relation(key) for key in touched]}


def dump_entity(name: str, kind: str, observations: Iterable[str]) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def dump_relation(key: tuple[str, str, str]) -> dict[str, str]:
    return dict(zip(("from", "to", "relationType"), key, strict=True))


def read_graph(glymph: Glymph) -> Graph:
    """Returns the graph as it stands; an observation that a newer one replaced is no part of it."""
    graph = Graph()
    for memory in _read(glymph):
        told = memory.attributes
        if memory.kind == ENTITY:
            graph.entities[told["name"]] = memory
        elif memory.kind == RELATION:
            graph.relations[told["from"], told["to"], told["relation_type"]] = memory
        elif memory.superseded_by is None:
            graph.observations.setdefault(told["entity"], {})[told["observation"]] = memory
    return graph


def _read(glymph: Glymph) -> Iterator[Memory]:
    """Yields the memories of the graph, oldest first."""
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page = glymph.list(limit=PAGE, cursor=cursor, source=SOURCE, include_superseded=True)
        found += page
        cursor = page.cursor
        if cursor is None:
            return iter(reversed(found))


def _observation(name: str, text: str) -> dict[str, Any]:
    told = {"entity": name, "observation": text}
    return _memory(f"{name}: {text}", OBSERVATION, [name], told)


def _memory(text: str, kind: str, about: Sequence[str], told: Mapping[str, str]) -> dict[str, Any]:
    return {
        "text": text, "kind": kind, "entities": list(about), "attributes": dict(told),
        "source": SOURCE,
    }  # fmt: skip


def create_entities(glymph: Glymph, args: Entities) -> Mapping[str, Any]:
    known = read_graph(glymph).entities
    new: dict[str, Entity] = {}
    for one in args.entities:
        if one.name not in known:
            new.setdefault(one.name, one)
    items: list[dict[str, Any]] = []
    for name, one in new.items():
        told = {"name": name, "entity_type": one.entityType}
        items.append(_memory(f"{name} ({one.entityType})", ENTITY, [name], told))
        items += [_observation(name, text) for text in dict.fromkeys(one.observations)]
    _add(glymph, items)
    return {"entities": [one.model_dump() for one in new.values()]}


def create_relations(glymph: Glymph, args: Relations) -> Mapping[str, Any]:
    graph = read_graph(glymph)
    for one in args.relations:
        graph.require(one.start, one.to)
    new = dict.fromkeys(one.key for one in args.relations if one.key not in graph.relations)
    items = []
    for start, to, kind in new:
        told = {"from": start, "to": to, "relation_type": kind}
        items.append(_memory(f"{start} {kind} {to}", RELATION, [start, to], told))
    _add(glymph, items)
    return {"relations": [dump_relation(key) for key in new]}


def add_observations(glymph: Glymph, args: Observed) -> Mapping[str, Any]:
    graph = read_graph(glymph)
    graph.require(*(one.entityName for one in args.observations))
    results, items = [], []
    for one in args.observations:
        known = graph.observations.get(one.entityName, {})
        new = [text for text in dict.fromkeys(one.contents) if text not in known]
        items += [_observation(one.entityName, text) for text in new]
        results.append({"entityName": one.entityName, "addedObservations": new})
    _add(glymph, items)
    return {"results": results}


def _add(glymph: Glymph, items: Sequence[Mapping[str, Any]]) -> None:
    if items:
        glymph.add_many(items)


def delete_entities(glymph: Glymph, args: EntityNames) -> Mapping[str, Any]:
    graph, names = read_graph(glymph), dict.fromkeys(args.entityNames)
    gone = [graph.entities[name] for name in names if name in graph.entities]
    gone += [one for name in names for one in graph.observations.get(name, {}).values()]
    gone += [one for key, one in graph.relations.items() if key[0] in names or key[1] in names]
    missing = [name for name in names if name not in graph.entities]
    _delete(glymph, gone)
    if not missing:
        return _done("Entities deleted successfully")
    count = f"Deleted {len(names) - len(missing)} of {len(names)} entities."
    return _done(f"{count} Not found: {', '.join(missing)}")


def delete_observations(glymph: Glymph, args: Deletions) -> Mapping[str, Any]:
    graph = read_graph(glymph)
    gone, asked, missing = [], 0, []
    for one in args.deletions:
        known = graph.observations.get(one.entityName, {})
        asked += len(one.observations)
        gone += [known[text] for text in dict.fromkeys(one.observations) if text in known]
        if one.entityName not in graph.entities:
            missing.append(one.entityName)
    _delete(glymph, gone)
    if len(gone) == asked:
        return _done("Observations deleted successfully")
    where = f" Entities not found: {', '.join(missing)}" if missing else ""
    return _done(f"Deleted {len(gone)} of {asked} observations.{where}")


def delete_relations(glymph: Glymph, args: Relations) -> Mapping[str, Any]:
    graph = read_graph(glymph)
    keys = dict.fromkeys(one.key for one in args.relations)
    gone = [graph.relations[key] for key in keys if key in graph.relations]
    _delete(glymph, gone)
    if len(gone) == len(args.relations):
        return _done("Relations deleted successfully")
    count = f"Deleted {len(gone)} of {len(args.relations)} relations."
    return _done(f"{count} The rest matched nothing.")


def _delete(glymph: Glymph, memories: Sequence[Memory]) -> None:
    if memories:
        glymph.delete([one.id for one in memories])


def _done(message: str) -> dict[str, Any]:
    return {"success": True, "message": message}


def search_nodes(glymph: Glymph, args: Query) -> Mapping[str, Any]:
    graph, wanted = read_graph(glymph), args.query.casefold()

    def matches(name: str, memory: Memory) -> bool:
        said = (name, memory.attributes["entity_type"], *graph.observations.get(name, ()))
        return any(wanted in one.casefold() for one in said)

    return graph.dump([name for name, memory in graph.entities.items() if matches(name, memory)])


def graph_tools() -> dict[str, Tool]:
    """Returns the nine tools by name."""
    made: list[tuple[str, str, type[Arguments], Run]] = [
        ("create_entities", "Create entities in the knowledge graph.", Entities, create_entities),
        ("create_relations", "Create relations between entities.", Relations, create_relations),
        ("add_observations", "Add observations to entities.", Observed, add_observations),
        ("delete_entities", "Delete entities, their observations and relations.", EntityNames,
         delete_entities),
        ("delete_observations", "Delete observations of entities.", Deletions, delete_observations),
        ("delete_relations", "Delete relations.", Relations, delete_relations),
        ("read_graph", "Read the whole knowledge graph.", NoArguments,
         lambda glymph, _: read_graph(glymph).dump()),
        ("search_nodes", "Find entities by a part of their name, type or observations.", Query,
         search_nodes),
        ("open_nodes", "Show entities by their names.", Names,
         lambda glymph, args: read_graph(glymph).dump(args.names)),
    ]  # fmt: skip
    return {
        name: Tool(
            name=name, command=name.replace("_", "-"), description=description,
            arguments=arguments, run=run, profile="full",
            read_only=not name.startswith(("create", "add", "delete")),
            destructive=name.startswith("delete"),
            idempotent=not name.startswith(("create", "add")),
            opens_spaces=name == "create_entities",
        )
        for name, description, arguments, run in made
    }  # fmt: skip
