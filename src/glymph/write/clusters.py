"""Clusters: named sets of memories, kept by hand or by a rule on kind and tag."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from glymph.checks import checked_text
from glymph.context import Context, OpenOperation, every_row
from glymph.errors import ClusterNotFound, InvalidInput
from glymph.model import Cluster, Lifecycle, Memory, Receipt
from glymph.moments import moment
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.undo.restore import checked_ids
from glymph.write.edit import refuse_tombstoned

MAX_NAME_CHARS = 200


def create(ctx: Context, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
    """Makes a cluster. A rule such as {"kind": "lesson"} or {"tag": "btc"} fills it by itself."""
    checked_text("name", name, MAX_NAME_CHARS)
    if rule is not None and (
        not isinstance(rule, Mapping) or not rule or rule.keys() - {"kind", "tag"}
    ):
        raise InvalidInput("rule", "expected 'kind', 'tag' or both, e.g. {'kind': 'lesson'}.")
    for part in (rule or {}).values():
        checked_text("rule", part, 200)
    with ctx.operation("create_cluster", reason=name) as op:
        if any(row["name"] == name for row in op.writer.clusters()):
            raise InvalidInput("name", f"a cluster {name!r} exists already. Choose another name.")
        refuse_tombstoned(ctx, op, [name, *(rule or {}).values()])
        cluster_id = ctx.new_id(op.now)
        row = {
            "id": cluster_id,
            "name": name,
            "rule": json.dumps(dict(rule), sort_keys=True) if rule else None,
        }
        op.writer.insert("clusters", [row | {"created_at": op.now}])
        op.succeeded.append(cluster_id)
    return ctx.receipt(op)


def drop(ctx: Context, name: str) -> Receipt:
    """Removes a cluster; its memories stay."""
    checked_text("name", name, MAX_NAME_CHARS)
    with ctx.operation("delete_cluster", reason=name) as op:
        cluster = _find(op.writer, name, ctx)
        members = op.writer.members(cluster["key"])
        op.writer.remove("memberships", [row["key"] for row in members])
        op.writer.bump([row["memory"] for row in members])
        op.writer.remove("clusters", [cluster["key"]])
        op.succeeded.append(cluster["id"])
    return ctx.receipt(op)


def put(ctx: Context, name: str, ids: str | Iterable[str]) -> Receipt:
    """Adds memories to a cluster kept by hand."""
    wanted = _check_input(name, ids)
    with ctx.operation("cluster", reason=name) as op:
        cluster = _by_hand(op, name, ctx)
        rows = _read_known(op, wanted)
        present = {row["memory_id"] for row in _members(op, cluster, rows)}
        for row in rows:
            if row["id"] in present:
                op.skip(row["id"], "it is in the cluster already")
        fresh = [row for row in rows if row["id"] not in present]
        op.writer.insert(
            "memberships",
            [
                {"cluster": cluster["key"], "memory": row["key"], "added_at": op.now}
                for row in fresh
            ],
        )
        op.writer.bump([row["key"] for row in fresh])
        op.succeeded += [row["id"] for row in fresh]
    return ctx.receipt(op)


def take_out(ctx: Context, name: str, ids: str | Iterable[str]) -> Receipt:
    """Takes memories out of a cluster kept by hand."""
    wanted = _check_input(name, ids)
    with ctx.operation("uncluster", reason=name) as op:
        cluster = _by_hand(op, name, ctx)
        rows = _read_known(op, wanted)
        members = {row["memory_id"]: row for row in _members(op, cluster, rows)}
        leaving = [members[row["id"]] for row in rows if row["id"] in members]
        for row in rows:
            if row["id"] not in members:
                op.skip(row["id"], "it is not in the cluster")
        op.writer.remove("memberships", [row["key"] for row in leaving])
        op.writer.bump([row["memory"] for row in leaving])
        op.succeeded += [row["memory_id"] for row in leaving]
    return ctx.receipt(op)


def clusters(ctx: Context) -> list[Cluster]:
    """Returns every cluster with its live members and their health."""
    with ctx.reading() as reader:
        return clusters_in(reader, ctx, ctx.now())


def clusters_in(reader: Reader, ctx: Context, now: datetime) -> list[Cluster]:
    """Returns the clusters as one reader sees them."""
    by_hand: dict[int, list[str]] = {}
    for row in reader.memberships():
        by_hand.setdefault(row["cluster"], []).append(row["memory_id"])
    found = []
    for row in reader.clusters():
        if row["rule"]:
            rows = _by_rule(reader, json.loads(row["rule"]), ctx)
        else:
            chosen = reader.memories(by_hand.get(row["key"], []))
            rows = [r for r in chosen.values() if r["state"] == "LIVE"]
        found.append(_cluster(row, records.memories(rows, reader, now)))
    return found


def _by_rule(reader: Reader, rule: Mapping[str, str], ctx: Context) -> list[Row]:
    wanted = Filter(
        kinds=[rule["kind"]] if "kind" in rule else None,
        tags=[rule["tag"]] if "tag" in rule else None,
    )
    return list(every_row(reader, wanted, ctx.settings.max_page))


def _cluster(row: Row, members: list[Memory]) -> Cluster:
    count = {stage: sum(m.lifecycle is stage for m in members) for stage in Lifecycle}
    return Cluster(
        id=row["id"],
        name=row["name"],
        rule=json.loads(row["rule"]) if row["rule"] else None,
        created_at=moment(row["created_at"]),
        members=tuple(m.id for m in members),
        active=count[Lifecycle.ACTIVE],
        weak=count[Lifecycle.WEAK],
        dormant=count[Lifecycle.DORMANT],
    )


def _find(reader: Reader, name: str, ctx: Context) -> Row:
    for row in reader.clusters():
        if name in (row["name"], row["id"]):
            return row
    raise ClusterNotFound(name, ctx.space)


def _by_hand(op: OpenOperation, name: str, ctx: Context) -> Row:
    cluster = _find(op.writer, name, ctx)
    if cluster["rule"]:
        raise InvalidInput(
            "name", f"cluster {name!r} is filled by its rule. Change the memories' kind or tags."
        )
    return cluster


def _check_input(name: str, ids: str | Iterable[str]) -> list[str]:
    checked_text("name", name, MAX_NAME_CHARS)
    return checked_ids(ids)


def _members(op: OpenOperation, cluster: Row, rows: Iterable[Row]) -> list[Row]:
    """Returns the memberships of just these memories in a cluster."""
    return op.writer.members(cluster["key"], of=[row["key"] for row in rows])


def _read_known(op: OpenOperation, wanted: list[str]) -> list[Any]:
    rows = op.writer.memories(wanted)
    for memory_id in wanted:
        if memory_id not in rows:
            op.fail(memory_id, "no such memory in this space")
    return [rows[i] for i in wanted if i in rows]
