"""Several stores as one: the common suite, and what a map may say."""

from __future__ import annotations

import json

import apsw
import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends.shards import ShardedStore
from glymph.testing.postgres import Server
from glymph.testing.store_suite import StoreSuite


def mapped(folder, parts, spaces=None, name="map.json"):
    """The URL of a map."""
    path = folder / name
    path.write_text(json.dumps({"parts": parts, "spaces": spaces or {}}))
    return f"shards:///{path}"


@pytest.fixture
def two_files(tmp_path):
    return {name: f"sqlite:///{tmp_path}/{name}.db" for name in ("east", "west")}


class TestShards(StoreSuite):
    """In one of two files.

    Keys of two stores may be the same, so what is refused by key needs a common one.
    """

    @pytest.fixture
    def url(self, tmp_path, two_files):
        return mapped(
            tmp_path, two_files, dict.fromkeys(("alpha", "beta", "copy", "gamma"), "west")
        )


def test_spaces_are_split_between_servers_and_none_sees_another(
    postgres, postgres_template, tmp_path, clock, monkeypatch
):
    with Server(tmp_path / "second") as second:
        parts = {"east": postgres.database(template=postgres_template), "west": second.database()}
        url = mapped(tmp_path, parts, {"acme": "west"})
        names = ["acme", *(f"tenant-{number}" for number in range(12))]
        for name in names:
            with Glymph.open(url, space=name, clock=clock) as glymph:
                glymph.add(f"The owner of {name} likes tea.")
        store = open_store(url, Settings())
        lying = {name: {row["name"] for row in store._part(name).spaces()} for name in parts}
        assert lying["east"] | lying["west"] == set(names)
        assert not lying["east"] & lying["west"]
        assert "acme" in lying["west"]
        assert min(map(len, lying.values())) >= 2
        assert [row["name"] for row in store.spaces()] == sorted(names)
        for name in names:
            with Glymph.open(url, space=name, clock=clock) as glymph:
                found = glymph.search(
                    "owner likes tea", spaces=names[:3] if name in names[:3] else None
                )
                told = {hit.memory.text for hit in found}
                wanted = names[:3] if name in names[:3] else [name]
                assert told == {f"The owner of {one} likes tea." for one in wanted}
                assert glymph.verify().ok
        monkeypatch.setattr("glymph.store.backends.postgresql.pool.REACH_SECONDS", 2.0)
        second.kill()
        with pytest.raises(errors.StoreError):
            store.spaces()
        for name in lying["east"]:  # one server that is down keeps nobody from the other
            with Glymph.open(url, space=name, clock=clock) as glymph:
                assert len(glymph.list()) == 1
        second.start()
        assert [row["name"] for row in store.spaces()] == sorted(names)
        store.close()
        postgres.drop(parts["east"])


def test_a_name_falls_where_a_name_a_pattern_or_chance_puts_it(tmp_path, two_files):
    store = open_store(
        mapped(tmp_path, two_files, {"team-*": "east", "team-9": "west"}), Settings()
    )
    assert isinstance(store, ShardedStore)
    assert [store.part_of(name) for name in ("team-1", "team-9")] == ["east", "west"]
    chosen = [store.part_of(f"space {number}") for number in range(200)]
    assert 60 < chosen.count("east") < 140
    more = {**two_files, "north": f"sqlite:///{tmp_path}/north.db"}
    wider = open_store(mapped(tmp_path, more, name="wider.json"), Settings())
    assert isinstance(wider, ShardedStore)
    moved = [
        new for number, old in enumerate(chosen) if (new := wider.part_of(f"space {number}")) != old
    ]
    assert set(moved) == {
        "north"
    }  # a new part takes spaces from others and moves none between them


def test_a_space_that_the_map_moved_away_is_neither_read_nor_made_twice(tmp_path, two_files, clock):
    before = mapped(tmp_path, two_files, {"acme": "east"})
    with Glymph.open(before, space="acme", clock=clock) as glymph:
        glymph.add("Ann skis.")
    after = mapped(tmp_path, two_files, {"acme": "west"}, name="after.json")
    with pytest.raises(errors.StoreError, match="glymph store migrate"):
        Glymph.open(after, space="acme", clock=clock)
    store = open_store(after, Settings())
    assert store.spaces() == []
    assert [problem.check for problem in store.check()] == ["map"]
    with pytest.raises(errors.StoreError, match="lies in part 'east'"), store.reading("acme"):
        pass
    store.close()


def test_keys_of_tombstones_are_known_to_every_part(tmp_path, two_files, clock):
    url = mapped(tmp_path, two_files)
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("The code is swordfish-77.")
        glymph.forget("swordfish-77", apply=True, mode="purge")
        assert (glymph.add("The code is swordfish-77.").refused or "").startswith("tombstoned")
    for name in two_files:
        assert len(list((tmp_path / f"{name}.db.keys").iterdir())) == 1


def test_a_backup_takes_the_spaces_of_all_parts_into_one_file(tmp_path, two_files, clock):
    url = mapped(tmp_path, two_files, {"one": "east", "two": "west"})
    for name in ("one", "two"):
        with Glymph.open(url, space=name, clock=clock) as glymph:
            glymph.add(f"This is {name}.")
            glymph.backup(tmp_path / f"{name}.backup.db")
    with Glymph.open(f"sqlite:///{tmp_path}/two.backup.db", space="one", clock=clock) as glymph:
        assert {space.name for space in glymph.spaces()} == {"one", "two"}
        assert [memory.text for memory in glymph.list()] == ["This is one."]
        assert glymph.verify().ok


@pytest.mark.parametrize(
    "told",
    [
        [], {}, {"parts": {}}, {"parts": {"a": 1}}, {"parts": {"a": "sqlite:///x.db"}, "more": 1},
        {"parts": {"a": "sqlite:///x.db"}, "spaces": {"s": "b"}},
        {"parts": {"a": "sqlite:///x.db", "b": "sqlite:///x.db"}},
        {"parts": {"a": "shards:///other.json"}},
    ],
)  # fmt: skip
def test_a_map_that_makes_no_sense_is_refused(tmp_path, told):
    (tmp_path / "map.json").write_text(json.dumps(told))
    with pytest.raises(errors.InvalidInput):
        open_store(f"shards:///{tmp_path}/map.json", Settings())


def test_a_map_that_is_missing_or_no_json_is_named(tmp_path):
    with pytest.raises(errors.StoreError, match=r"map\.json"):
        open_store(f"shards:///{tmp_path}/map.json", Settings())
    (tmp_path / "map.json").write_text("{")
    with pytest.raises(errors.InvalidInput, match=r"map\.json"):
        open_store(f"shards:///{tmp_path}/map.json", Settings())


NOWHERE = "postgresql://ann:hunter2@127.0.0.1:1/nowhere"


@pytest.fixture
def one_away(tmp_path, two_files, clock):
    """A map with the space `default` in east, and a west that no server answers for."""
    with Glymph.open(mapped(tmp_path, two_files, {"default": "east"}), clock=clock) as glymph:
        glymph.add("Ann skis.")
    return mapped(tmp_path, {"east": two_files["east"], "west": NOWHERE}, {"default": "east"})


def test_a_part_that_is_away_is_named_with_the_spaces_of_the_others(one_away):
    store = open_store(one_away, Settings(), create=False)
    with pytest.raises(
        errors.PartsAway, match=r"west: 127\.0\.0\.1:1/nowhere cannot be reached"
    ) as told:
        store.spaces()
    assert told.value.spaces == ("default",)
    assert list(told.value.away) == ["west"]
    assert "hunter2" not in str(told.value)
    store.close()


def test_a_check_tells_the_others_and_names_the_part_that_is_away(one_away, tmp_path, clock):
    with Glymph.open(one_away, clock=clock) as glymph:
        [problem] = glymph.verify().problems
        assert problem.check == "part"
        assert problem.detail.startswith(
            "'west' cannot be used: 127.0.0.1:1/nowhere cannot be reached"
        )
    with apsw.Connection(f"{tmp_path}/east.db") as connection:
        connection.execute("DROP TRIGGER protected_stays")
    with Glymph.open(one_away, clock=clock) as glymph:
        assert {problem.check for problem in glymph.verify().problems} == {"part", "guards"}


def test_a_key_that_no_part_has_is_a_problem_and_one_of_another_part_is_none(
    tmp_path, two_files, clock
):
    url = mapped(tmp_path, two_files)
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("The code is swordfish-77.")
        glymph.forget("swordfish-77", apply=True, mode="purge")
        for name in two_files:
            assert glymph.verify().ok
            [key] = (tmp_path / f"{name}.db.keys").iterdir()
            key.unlink()
        [problem] = glymph.verify().problems
    assert problem.check == "keys"
    assert "no part of the map" in problem.detail
