"""The tokenizer of BERT's uncased models, from the vocabulary that Glymph ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from glymph.errors import EmbedderFailed
from glymph.inference import import_optional

VOCABULARY = Path(__file__).parent / "data" / "bert-base-uncased-vocab.txt"
LONGEST_WORD = 100  # in characters; a longer one is unknown, as in BERT


class WordPiece:
    """Text to token numbers, exactly as the published tokenizer does it.

    One difference is meant: "[SEP]" and its like written in a text are three ordinary tokens, not a
    command.
    """

    def __init__(self, embedder: str, *, longest: int) -> None:
        tokenizers: Any = import_optional(embedder, "tokenizers", EmbedderFailed)
        words = VOCABULARY.read_text(encoding="utf-8").split("\n")
        numbers = {word: number for number, word in enumerate(words) if word}
        self._start, self._end = numbers["[CLS]"], numbers["[SEP]"]
        model = tokenizers.models.WordPiece(
            numbers, unk_token="[UNK]", max_input_chars_per_word=LONGEST_WORD
        )
        self._tokenizer = tokenizers.Tokenizer(model)
        self._tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        self._tokenizer.enable_truncation(longest - 2)  # room for the start and the end

    def __call__(self, text: str) -> list[int]:
        return [self._start, *self._tokenizer.encode(text).ids, self._end]
