"""The little of the ONNX file format that Glymph needs.

It reads a model's weights and writes a small graph. An ONNX file is one protobuf message. Protobuf
on the wire is a run of fields, each a number and a kind (a varint or a length followed by bytes),
so both directions fit on a page and no further package is needed. The field numbers are those of
onnx.proto3, which never change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

FLOAT, UINT8, INT8, INT64, BOOL = 1, 2, 3, 7, 9  # TensorProto.DataType
KINDS: dict[int, npt.DTypeLike] = {FLOAT: "<f4", UINT8: "u1", INT8: "i1", INT64: "<i8", BOOL: "?"}
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
ATTRIBUTE_FLOAT, ATTRIBUTE_INT = 1, 2
IR_VERSION, OPSET = 10, 17


def weights(file: bytes) -> dict[str, Array]:
    """Returns every tensor stored in a model file, by name, as views into the file.

    Raises ValueError if it is not one.
    """
    graph = next((value for number, value in _fields(memoryview(file)) if number == 7), None)
    if not isinstance(graph, memoryview):
        raise ValueError("no graph in it")
    messages = (
        value for number, value in _fields(graph) if number == 5 and isinstance(value, memoryview)
    )
    found = [_read_tensor(message) for message in messages]
    return {name: array for name, array in found if array is not None}


def tensor(name: str, array: Array) -> bytes:
    """Returns a weight of a graph."""
    kind = next(number for number, dtype in KINDS.items() if np.dtype(dtype) == array.dtype)
    dims = b"".join(_number(1, size) for size in array.shape)
    return (
        dims + _number(2, kind) + _text(8, name) + _bytes(9, np.ascontiguousarray(array).tobytes())
    )


def node(operator: str, inputs: Sequence[str], output: str, **attributes: float) -> bytes:
    """Returns one step of a graph.

    The operator is one of ONNX, or one of onnxruntime's own written "com.microsoft:Name".
    """
    domain, _, kind = operator.rpartition(":")
    parts = [_text(1, name) for name in inputs] + [
        _text(2, output),
        _text(3, output),
        _text(4, kind),
    ]
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts) + (_text(7, domain) if domain else b"")


def model(
    nodes: Sequence[bytes],
    tensors: Mapping[str, Array],
    *,
    inputs: Mapping[str, Sequence[int | str]],
    outputs: Mapping[str, Sequence[int | str]],
    input_kind: int = FLOAT,
) -> bytes:
    """Returns a whole model file with inputs and float outputs of the given shapes.

    A free size is written as a name.
    """
    graph = [_bytes(1, one) for one in nodes] + [_text(2, "glymph")]
    graph += [_bytes(5, tensor(name, array)) for name, array in tensors.items()]
    graph += [_bytes(11, _value(name, input_kind, shape)) for name, shape in inputs.items()]
    graph += [_bytes(12, _value(name, FLOAT, shape)) for name, shape in outputs.items()]
    domains = _bytes(8, _text(1, "") + _number(2, OPSET)) + _bytes(
        8, _text(1, "com.microsoft") + _number(2, 1)
    )
    return _number(1, IR_VERSION) + domains + _bytes(7, b"".join(graph))


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = [_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape]
    described = _number(1, kind) + _bytes(2, b"".join(_bytes(1, dim) for dim in dims))
    return _text(1, name) + _bytes(2, _bytes(1, described))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, ATTRIBUTE_INT)
    single = _varint(2 << 3 | FIXED32) + np.array(value, "<f4").tobytes()
    return _text(1, name) + single + _number(20, ATTRIBUTE_FLOAT)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | VARINT) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    """Seven bits a byte, lowest first, the top bit set on all but the last."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _read_tensor(message: memoryview) -> tuple[str, Array | None]:
    """Its name, and its values if they are stored as plain bytes of a kind we know."""
    shape: list[int] = []
    name, kind, raw = "", 0, memoryview(b"")
    for number, value in _fields(message):
        if number == 1 and isinstance(value, int):
            shape.append(value)
        elif number == 1 and isinstance(value, memoryview):  # packed: many sizes in one field
            shape += _varints(value)
        elif number == 2 and isinstance(value, int):
            kind = value
        elif number == 8 and isinstance(value, memoryview):
            name = bytes(value).decode()
        elif number == 9 and isinstance(value, memoryview):
            raw = value
    if kind not in KINDS or not raw:
        return name, None
    return name, np.frombuffer(raw, dtype=KINDS[kind]).reshape(shape)


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _read_varint(message, at)
            yield key >> 3, value
            continue
        if kind == BYTES:
            size, at = _read_varint(message, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError("not a protobuf message")
        if at + size > len(message):
            raise ValueError("it is cut short")
        yield key >> 3, message[at : at + size]
        at += size


def _varints(message: memoryview) -> Iterator[int]:
    at = 0
    while at < len(message):
        value, at = _read_varint(message, at)
        yield value


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    """Returns a varint and where it ends."""
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("it is cut short")
