"""Tells of a value whether it can be a secret: drawn at random, or a word, a name, a blank."""

from __future__ import annotations

import math
import re
from collections import Counter

from glymph.text.patterns import compile_late
from glymph.text.secret_words import PLAIN

# Bits of entropy per character from which a long word looks drawn at random.
HEX_BITS, WORD_BITS = 3.0, 3.5
PLACEHOLDER = compile_late(
    r"\A(?:[$%{<\[]|required\b|\*+\Z|x{3,}\Z|\.{2,}|…|#|your[_\- ]|my[_\- ](?:password|secret"
    r"|token|key)|process\.env|os\.|env[.:(]|secrets?\.|config\.|settings\.|self\.|vault:|ref:"
    r"|args\.|request\.|data\.|https?://|\.{0,2}/|~/)|[(\[{]|\b(?:example|placeholder"
    r"|changeme-here)\b",
    re.IGNORECASE,
)
DIGIT, LOWER, UPPER = compile_late(r"\d"), compile_late("[a-z]"), compile_late("[A-Z]")
SYMBOL = compile_late(r"[!@#$%^&*+=?~|]")
UUID = compile_late(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def no_value(value: str) -> bool:
    low = value.casefold()
    return (
        not value or low in PLAIN or PLACEHOLDER.search(value) is not None or value.startswith("[")
    )


def is_mixed(value: str) -> bool:
    return bool(DIGIT.search(value)) and bool(re.search("[A-Za-z]", value))


def is_dotted(value: str) -> bool:
    """Returns whether a value is a name in code or a file: `tokens.session_id`, `auth/login.py`."""
    return re.fullmatch(r"[A-Za-z_]\w*(?:[./][A-Za-z_][\w\-]*)+", value) is not None


def is_label(value: str) -> bool:
    """Returns whether a value is a name of short words: `oauth2-proxy`, `k8s-prod-secret1`."""
    words = re.split(r"[_.\-]", value)
    short = len(words) > 1 and max(map(len, words)) <= 10
    return short and value == value.lower() and len(DIGIT.findall(value)) < 5


def looks_random(value: str) -> bool:
    mixed = DIGIT.search(value) and LOWER.search(value) and UPPER.search(value)
    longest = max(map(len, re.split(r"[/_\-]", value)))
    return bool(mixed) and longest >= 12 and entropy(value) >= WORD_BITS


def entropy(word: str) -> float:
    return -sum(n / len(word) * math.log2(n / len(word)) for n in Counter(word).values())
