"""Lists as PostgreSQL takes them: the bytes of the driver, packed without it."""

from __future__ import annotations

import pytest
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.postgres import adapters
from psycopg.types.numeric import Int8BinaryDumper

from glymph.store.backends.postgresql.packing import formats_of, pack_list

TEXT, BINARY = PyFormat.TEXT, PyFormat.BINARY


class Connected:
    """Where a transformer finds how values travel."""

    adapters, connection = AdaptersMap(adapters), None


Connected.adapters.register_dumper(int, Int8BinaryDumper)


@pytest.mark.parametrize(
    "values",
    [
        [1, None, -(2**63), 2**63 - 1],
        ["a", None, "", "Zoë 🧀", "x\0y"],
        [0.5, None, 1e300, float("-inf")],
        [b"", None, b"\0\xff"],
        [7],
        list(range(300)),
    ],
    ids=["integers", "texts", "reals", "bytes", "one", "many"],
)
def test_a_list_is_packed_as_the_driver_would(values):
    line = Transformer(Connected())
    theirs = line.dump_sequence([values], [BINARY])
    assert pack_list(values) == (bytes(theirs[0]), line.types[0])


@pytest.mark.parametrize("values", [[], [None], [1, "a"], [True], [2**63], [1, 0.5]])
def test_what_is_not_of_one_known_type_is_left_to_the_driver(values):
    assert pack_list(values) is None


def test_a_row_travels_as_text_but_for_texts_and_bytes():
    types, kinds = (int, str, str, bytes, type(None)), ("bigint", "text", "bigint", "bytea", "text")
    assert formats_of(types, kinds) == [TEXT, BINARY, TEXT, BINARY, TEXT]
