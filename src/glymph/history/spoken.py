"""Reads the sentences that somebody said in a message: no code, no logs, no order to the agent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from glymph.text.injection import find_order
from glymph.text.secrets import mask_secrets
from glymph.text.sentences import SPOKEN, split_sentences
from glymph.text.words import DENSE, drop_stop_words, split_words
from glymph.write.junk import FILLER, without_shown

# characters of a sentence; of a longer one the beginning is kept if it is prose, and no list or log
LONGEST = 600
PROSE = 0.8  # of the characters of prose are letters or blanks
LONG_WORD = 15  # characters; where words have more than these on average, they are keys or paths
READING = 2  # plain words by which a sentence with one sign of code is still read as a sentence
MOSTLY = 0.6  # of the words of a sentence with more such signs are plain ones

TELLING = 2  # words that a sentence needs

_EMPTY = frozenset(
    "then so that's it's i'm let's oh too really much see got know think like thing things".split()
)
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
# Lines that surely nobody said: prompts, quotes, headings that are no whole sentence, comments,
# bare paths, tables, tags, decorators, diffs, stacks, numbered lines, statements of a program.
_NO_SENTENCE = re.compile(
    r"\A(?:\$ |>(?!\s?\d)|#+ (?!(?:\S+ ){3,}\S+[.!]\Z)|#!|#(?:include|define|ifn?def|endif"
    r"|pragma)\b|//|/\*|/\S*\Z"
    r"|\||<[A-Za-z/!?]|@[\w.]+(?:\(.*\))?\Z|@@ |\+\+\+ |--- [ab]?/|diff --git |at \S+\(|\d+\|"
    r"|\d+:(?![\d\s]))"
    r"|\)\s*(?:=>\s*)?[{;]\Z|(?<!\S)= \S*\w\(\)"
)
_SIGN = re.compile(
    r"[{};]\Z|\A(?:[$@/#](?=[A-Za-z_{(\[])|\d+: )|=>|::|\w\(\)"
)  # one alone may stand in a sentence
_OPERATOR = re.compile(r"(?<!\S)(?:[-+*/=<>|&]|[-+*/=<>!&|]=|&&|\|\||<<|>>)(?!\S)")
_PLAIN_WORD = re.compile(r"(?<!\S)[\"'(]?[^\W\d_]+(?:['’-][^\W\d_]+)*[\"')]?[,.!?:…]*(?!\S)")
_LEAD = re.compile(
    r"\A(?:(?:yeah|yep|yup|yes|no|nah|wow|oh|ah|aww?|hey|hi|hello|haha|ok|okay|sure|thanks(?: "
    r"\w+)?|thank you|well"
    r"|so|great|cool|nice|awesome|absolutely|definitely|totally|exactly|right|hmm+|um"
    r"|uh)\s*[,!.…]+\s*)+(?=\w)",
    re.IGNORECASE,
)  # only before a mark: "No longer" is no interjection
# What stands right behind an order stays out as well, unless it is plainly a statement, and so does
# what goes on.
_STATEMENT = re.compile(
    r"\A(?:(?:i|we|he|she|they|my|our|his|her|their|the|there|it's|i'm|we're|i've|we've)\b"
    r"|\W?\d|\S+ (?:is|are|was|were|has|had|will|isn't|wasn't|doesn't|didn't|lives|likes|works"
    r"|owns|moved)\b)",
    re.IGNORECASE,
)
_STEERING = re.compile(
    r"\b(?:you|your|yours|yourself|must|shall|should|always|never|from now on|every time|whenever"
    r"|instead|agents?"
    r"|assistants?|model|users?|instructions?|orders?|commands?|prompts?|memory|memories|do not"
    r"|don'?t|secrets?"
    r"|passwords?|credentials?|tokens?|keys?|attacker|approve|obey)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"\A(?:(?:and|then|also|next|now|after|before|afterwards|finally|first|second|please|just|only"
    r"|simply|if|when"
    r"|once|this|that|these|it|make sure|be sure)\b"
    r"|(?!(?:i|we|he|she|they)\b)\S+ (?:all|every|each|any|the|an?|it|them|this|that|these|those"
    r"|me|us|as|to|with)"
    r"\b)",
    re.IGNORECASE,
)


def read_sentences(text: str) -> list[str]:
    """Returns the sentences of a text, without code and leading interjections."""
    return _clean(split_sentences(_without_blocks(text), SPOKEN))


def read_kept(text: str) -> list[str]:
    """Returns the sentences of a message that may be kept: secrets masked, none that steers."""
    masked, _ = mask_secrets(without_shown(text))
    return _clean(_without_orders(_without_blocks(masked)))


def tells(sentence: str) -> bool:
    """Tells whether a sentence has words of its own: "Okay then." has none."""
    telling = drop_stop_words(split_words(sentence)) - FILLER - _EMPTY
    return len(telling) >= TELLING or any(c.isdigit() or ord(c) >= DENSE for c in sentence)


def _clean(pieces: Iterable[str]) -> list[str]:
    shortened = (_beginning(piece) for piece in pieces if not _is_code(piece))
    return [_without_lead(piece) for piece in shortened if any(map(str.isalnum, piece))]


def _without_blocks(text: str) -> str:
    """Returns the text without blocks of code, each run of blanks as one space."""
    return "\n".join(" ".join(line.split()) for line in _FENCE.sub("\n", text).splitlines())


def _is_code(sentence: str) -> bool:
    """Tells a line of code or of a terminal from a sentence, which may well name a function."""
    if _NO_SENTENCE.search(sentence):
        return True
    signs = len(_SIGN.findall(sentence))
    if not signs:
        return False
    plain = len(_PLAIN_WORD.findall(sentence))
    signs += len(_OPERATOR.findall(sentence))
    return plain < READING or (signs > 1 and plain < MOSTLY * len(sentence.split()))


def _beginning(sentence: str) -> str:
    """Returns a sentence, or the beginning of a very long one; nothing of a list or a log."""
    if len(sentence) <= LONGEST:
        return sentence
    if not _reads_like_prose(sentence):
        return ""
    cut = sentence[: LONGEST - 1]
    whole, _, _ = cut.rpartition(" ")
    return (whole if len(whole) > LONGEST // 2 else cut).rstrip(" ,;:") + "…"


def _reads_like_prose(text: str) -> bool:
    read = sum(map(str.isalpha, text)) + text.count(" ")
    dense = sum(ord(c) >= DENSE for c in text)
    return read >= PROSE * len(text) and len(text) - dense <= LONG_WORD * len(text.split())


def _without_lead(sentence: str) -> str:
    rest = _LEAD.sub("", sentence)
    return sentence if rest == sentence else rest[:1].upper() + rest[1:]


def _without_orders(text: str) -> list[str]:
    """Returns the pieces of a text without orders to the agent and what goes on with one.

    Where an order runs through several pieces, none is left.
    """
    pieces = split_sentences(text, SPOKEN)
    if find_order(text) is None:
        return pieces
    left: list[str] = []
    steers = follows = False
    for piece in pieces:
        begins = find_order(piece) is not None
        steers = begins or (steers and _goes_on(piece, right_behind=follows))
        follows = begins
        if not steers:
            left.append(piece)
    return left if len(left) < len(pieces) and find_order(" ".join(left)) is None else []


def _goes_on(piece: str, *, right_behind: bool) -> bool:
    """Tells whether a sentence goes on with an order.

    Right behind one, only a plain statement does not.
    """
    if _STEERING.search(piece) or _GOING_ON.search(piece):
        return True
    return right_behind and not _STATEMENT.search(piece)


def is_question(sentence: str) -> bool:
    """Tells whether a sentence ends as a question does."""
    return sentence.rstrip("\"')”’」 ").endswith(("?", "？", "؟"))
