"""The reader that reads nothing: it knows hard rules only, and is sure of nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from glymph.reader.contract import Judgement, Target
from glymph.reader.wording import Said, Span
from glymph.text.normal import normalise

# The types of identifiers that name one thing; a date or a quantity may stand anywhere.
NAMING = frozenset("mail url handle ip mac path uuid hash iban phone card code".split())
UNKNOWN = Judgement("none", 0.0)


class NoReader:
    """Tells which texts are equal, and which hold an identifier; of anything else it is 0 sure."""

    name = "none"

    def relate(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        """Judges equal texts to be the same; of others nothing is known."""
        plain = normalise(newer)
        return [Judgement("same", 1.0) if normalise(text) == plain else UNKNOWN for text in older]

    def find_targets(
        self, verb: str, request: str, texts: Sequence[str], new: str | None = None
    ) -> list[Target]:
        """Judges a text that is the request itself to be meant; a purge finds identifiers."""
        plain = normalise(request)
        spans = find_identified(request, texts) if verb == "purge" else [()] * len(texts)
        return [
            Target("all", 1.0)
            if normalise(text) == plain
            else Target("part", 1.0, spans=found)
            if found
            else Target("none", 0.0)
            for text, found in zip(texts, spans, strict=True)
        ]

    def score(self, question: str, texts: Sequence[str]) -> None:
        """Cannot tell what answers a question."""
        return

    def grade(self, texts: Sequence[str]) -> list[Judgement]:
        """Cannot tell what a text is worth."""
        return [Judgement("lasting", 0.0) for _ in texts]

    def sift(self, sentences: Sequence[Said]) -> list[Judgement]:
        """Cannot tell what is worth keeping."""
        return [UNKNOWN for _ in sentences]

    def estimate_ms(self, question: str, texts: Sequence[str]) -> list[float]:
        """Scoring takes no time, since there is none."""
        return [0.0] * len(texts)


def find_identified(request: str, texts: Sequence[str]) -> list[tuple[Span, ...]]:
    """Finds where each text names what the request names by an identifier."""
    from glymph.text.identifiers import identifiers, same  # its patterns take time to compile

    wanted = [one for one in identifiers(request) if one.type in NAMING]
    return [
        tuple(
            (one.start, one.end)
            for one in (identifiers(text) if wanted else ())
            if any(same(one, name) for name in wanted)
        )
        for text in texts
    ]
