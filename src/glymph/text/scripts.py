"""Writing made comparable: case, accents, width, look-alikes, other scripts and their digits."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from glymph.text.patterns import compile_late

# Characters that nobody sees: soft hyphen, joiners, marks of direction, variation selectors, tags.
_INVISIBLE = compile_late(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_MARKS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u30fb\u2043", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u02b9\u02bc\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\uff02", '"')
    | {"\u30fb": "\u30fb"}
)
# Latin letters that do not come apart into a letter and a mark, and the long dashes.
_LETTERS = str.maketrans(
    dict.fromkeys("\u2014\u2015\u2e3a\u2e3b", "-")
    | {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "þ": "th",
        "ð": "d",
        "ħ": "h",
        "ŧ": "t",
    }
)
_LOOK_ALIKE = dict(
    zip(
        "аеорсухіјѕԁһԛԝкАВЕКМНОРСТУХІЈЅԚԜοναικρυγϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijsdhqwkABEKMHOPCTYXIJSQWovaikpuycABEZHIKMNOPTYX",
        strict=True,
    )
)
_TO_LATIN = str.maketrans(_LOOK_ALIKE)
_TO_CYRILLIC = str.maketrans(
    {latin: other for other, latin in _LOOK_ALIKE.items() if "\u0400" <= other <= "\u052f"}
)
_NOT_ASCII_WORD = compile_late(r"\w*[^\W\x00-\x7f]\w*")
_LATIN = compile_late("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_CYRILLIC_OR_GREEK = compile_late("[\u0370-\u03ff\u0400-\u052f]")
_GREEK = compile_late("[\u0370-\u03ff]")
_MIXED = compile_late(
    r"[\u0370-\u052f](?:(?<=[A-Za-z\u00c0-\u024f].)|[\d_]{0,8}[A-Za-z\u00c0-\u024f])|"
    r"[A-Za-z][\d_]{1,8}[\u0370-\u052f]"
)
_OTHER_DIGIT = compile_late(r"[^\D0-9]")
_ACCENTED = compile_late("(?<=[a-z\u0370-\u03ff])[\u0300-\u036f]+|(?<=\u0435)\u0308")
_POINTS = compile_late(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]"
)
# Letters that are plain as they are, unless a mark follows.
_AS_IT_IS = (
    "\x00-\x7f\u00c0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0180-\u01c3\u0386\u0388-\u03ce\u0400-\u0482"
    "\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
)
_JOINED = "\u0300-\u036f\u3099\u309a"
_CLUSTER = compile_late(f"[^{_AS_IT_IS}{_JOINED}][{_JOINED}]*|[{_AS_IT_IS}]?[{_JOINED}]+")
_NOT_ASCII = compile_late(r"[^\x00-\x7f]+")
_APART = ("<super>", "<sub>", "<fraction>", "<circle>", "<square>")  # 10² is not 102
# The first of the letters of the alphabet in circles and squares, white on black: no decomposition.
_ON_BLACK = (0x1F150, 0x1F170)
_LETTERS_ON_BLACK = {chr(first + at): chr(ord("A") + at) for first in _ON_BLACK for at in range(26)}


def fold(text: str) -> str:
    """Returns the text without differences of writing that do not matter for a comparison.

    These are case, accents, width, kinds of dash, quote and space, unseen and look-alike
    characters. A word in one script stays in it: only a word that mixes scripts has its look-alike
    letters exchanged.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unmix(flat(text)[0]).casefold().translate(_LETTERS)
    apart = unicodedata.normalize("NFD", plain)
    bare = _POINTS.sub("", _ACCENTED.sub("", apart))
    return " ".join(unicodedata.normalize("NFC", bare).split())


def strip_signs(text: str) -> str:
    """Returns the letters and digits of a text alone, in the plainest writing of each.

    Made character by character, so it is quick; two texts that `fold` makes one are one here, too.
    """
    # Python translates pure ASCII seven times faster, and titles that were cut end in "…".
    return text.lower().replace("…", "").translate(_STRIPPED)


class _Stripped(dict[int, str | None]):
    """What each character is once it is plain: None if it is neither letter nor digit.

    With an empty text in its place Python does not take its quick way through ASCII.
    """

    def __missing__(self, code: int) -> str | None:
        plain = unicodedata.normalize("NFKD", fold(chr(code))).translate(_TO_LATIN)
        kept = ("".join(filter(str.isalnum, plain)) if chr(code).isalnum() else "") or None
        self[code] = kept
        return kept


_STRIPPED = _Stripped()


def transliterate(text: str) -> str:
    """Returns the text in Latin letters and ASCII digits.

    What is neither letter nor digit stays as it is.
    """
    if text.isascii():
        return text
    return _NOT_ASCII.sub(_latin_run, unmix(unicodedata.normalize("NFC", text)))


def ascii_digits(text: str) -> str:
    """The text with the digits of other scripts written 0 to 9."""
    return text if text.isascii() else _OTHER_DIGIT.sub(_digit, text)


def unmix(text: str) -> str:
    """Brings every word that mixes look-alike letters of two scripts into one script."""
    if text.isascii() or not _MIXED.search(text):
        return text
    return _NOT_ASCII_WORD.sub(_unmixed_word, text)


def look_alike_latin(word: str) -> str:
    """The word in Latin letters, if every letter of it looks like one; else the word."""
    if word.isascii():
        return word
    latin = word.translate(_TO_LATIN)
    return latin if latin.isascii() else word


def flat(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Returns the text in plain characters, and for each the place it came from.

    None instead of the places says that they are the same. Width, ligatures, composed accents,
    digits of other scripts, kinds of dash, quote and space are made one, unseen characters are left
    out; case and letters stay.
    """
    if text.isascii():
        return text, None
    plain, places = _plain(text)
    return unmix(plain), places


def across_scripts(one: str, other: str) -> bool:
    """Returns whether two names in different scripts are plausibly one name.

    They are if their romanised forms agree.
    """
    if one.isascii() == other.isascii():
        return False
    a, b = romanise(one), romanise(other)
    if a == b:
        return bool(a)
    if not (_POINTLESS.search(one) or _POINTLESS.search(other)):
        return False
    bones = _skeleton(a)
    return len(bones) > 2 and bones == _skeleton(b)


def romanise(name: str) -> str:
    """Returns a name as a loose key.

    It is transliterated, folded, and without what romanisations do not agree on.
    """
    word = fold(transliterate(name.translate(_HUSHED)))
    for pattern, plain in _ROMANISATIONS:
        word = pattern.sub(plain, word)
    return word


_POINTLESS = compile_late("[\u0590-\u06ff]")  # scripts that leave the vowels out
_ROMANISATIONS = [
    (compile_late(pattern), plain)
    for pattern, plain in [
        (r"(?<=[a-z])'|'(?=[a-z])", ""), (r"shch|sch", "sh"), (r"tch|tsch", "ch"), (r"kh", "h"),
        (r"ph", "f"), (r"w", "v"), (r"ks", "x"), (r"[jy]", "i"), (r"ck", "k"), (r"([aou])e", r"\1"),
        (r"ou", "u"), (r"(?<![a-z])ie", "e"), (r"([a-z])\1+", r"\1"),
    ]
]  # fmt: skip


def _skeleton(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiou' -]", "", word))


def _kept_whole(char: str) -> bool:
    if char == "№":
        return True
    apart = unicodedata.decomposition(char)
    in_a_frame = apart.startswith(_APART[-2:]) and chr(int(apart.split()[1], 16)).isalpha()
    return apart.startswith(_APART) and not in_a_frame


@lru_cache(maxsize=4096)
def _cluster(chars: str) -> str:
    composed = unicodedata.normalize("NFC", chars)
    if len(composed) == 1:
        if composed.isspace():
            return "\n" if composed in "\u2028\u2029\x85" else " "
        if composed.isdecimal():
            return str(unicodedata.decimal(composed))
        if _kept_whole(composed):
            return composed
    plain = _LETTERS_ON_BLACK.get(composed, composed)
    return unicodedata.normalize("NFKC", plain).translate(_MARKS)


def _plain(text: str) -> tuple[str, tuple[int, ...] | None]:
    # Most texts only change character by character: then every place stays what it was.
    seen = _INVISIBLE.search(text) is None
    changes: list[tuple[int, int, str]] = []
    for match in _CLUSTER.finditer(text):
        plain = _cluster(match[0]) if seen else _cluster(_INVISIBLE.sub("", match[0]))
        changes.append((*match.span(), plain))
    if not changes:
        return text, None
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for start, end, plain in changes:
        pieces += (text[at:start], plain)
        places.extend(range(at, start))
        places.extend([start] * len(plain))
        at = end
    pieces.append(text[at:])
    places.extend(range(at, len(text)))
    moved = any(len(plain) != end - start for start, end, plain in changes)
    return "".join(pieces), tuple(places) if moved else None


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))


def _unmixed_word(match: re.Match[str]) -> str:
    word = match[0]
    if not (_LATIN.search(word) and _CYRILLIC_OR_GREEK.search(word)):
        return word
    latin = word.translate(_TO_LATIN)
    if not _CYRILLIC_OR_GREEK.search(latin):
        return latin
    cyrillic = word.translate(_TO_CYRILLIC)
    return word if _LATIN.search(cyrillic) or _GREEK.search(cyrillic) else cyrillic


def _latin_run(match: re.Match[str]) -> str:
    return "".join(map(_latin, match[0].translate(_SILENT)))


@lru_cache(maxsize=8192)
def _latin(char: str) -> str:
    from anyascii import anyascii  # it brings half of what the standard library reads packages by

    plain = unicodedata.category(char)[0] in "LMN" and not _kept_whole(char)
    return anyascii(char) if plain else char


_HUSHED = str.maketrans({"š": "sh", "č": "ch", "ž": "zh", "Š": "Sh", "Č": "Ch", "Ž": "Zh"})
_SILENT = dict.fromkeys(map(ord, "ьъЬЪʹʺ"))
