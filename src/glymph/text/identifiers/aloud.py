"""Digits said one by one: in words of several languages, apart from each other, or doubled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, product

_LANGUAGES = (
    "zero one two three four five six seven eight nine",
    "null eins zwei drei vier fünf sechs sieben acht neun",
    "zéro un deux trois quatre cinq six sept huit neuf",
    "cero uno dos tres cuatro cinco seis siete ocho nueve",
    "zero uno due tre quattro cinque sei sette otto nove",
    "zero um dois três quatro cinco seis sete oito nove",
    "nul een twee drie vier vijf zes zeven acht negen",
    "ноль один два три четыре пять шесть семь восемь девять",
    "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć",
    "sıfır bir iki üç dört beş altı yedi sekiz dokuz",
    "noll ett två tre fyra fem sex sju åtta nio",
)
_MORE = {"0": "oh o nought нуль", "1": "uma", "2": "zwo duas", "5": "fuenf", "6": "meia"}
_WORDS = {
    str(digit): list(
        dict.fromkeys(
            [row.split()[digit] for row in _LANGUAGES] + _MORE.get(str(digit), "").split()
        )
    )
    for digit in range(10)
}
_SIGNS = dict(zip("〇零一二三四五六七八九", "00123456789", strict=True))
_TO_FIGURES = str.maketrans("〇零一二三四五六七八九", "00123456789")
VALUES = {word: digit for digit, words in _WORDS.items() for word in words}
VALUES |= _SIGNS
# Letters as they are spelt on the telephone, and what is said for the sign between two parts.
_SPELT = {
    word[0]: word
    for word in "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike "
    "november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu".split()
} | {"a": "al(?:ph|f)a", "j": "juliett?e?", "w": "whiske?y", "x": "x-?ray"}
SAID_DASH = r"(?:dash|hyphen|minus|slash|bindestrich|tiret|gui[oó]n|trattino|h[ií]fen|streepje)"
FEWEST_SPELT = 2  # letters of a code: one is a name, too
FEWEST = 4  # digits in a row that are read as one number
MOST_DOUBLED = 4  # equal digits in a row of which some may be said as "double"
GAP = r"[\s.,/_:()·-]{0,3}"  # what stands between the parts of a number
_NO_LETTER_BEFORE, _NO_LETTER_AFTER = r"(?<![^\W\d_])", r"(?![^\W\d_])"
_WORD = "|".join(sorted((word for word in VALUES if word not in _SIGNS), key=len, reverse=True))
_ONE = rf"(?:[0-9](?![0-9])|(?:{_WORD}){_NO_LETTER_AFTER}|[{''.join(_SIGNS)}])"
_TIMES = r"(?:(?:double|triple)[ -])?"
_ROW = re.compile(
    rf"(?<![\w.,+@-]){_TIMES}{_ONE}(?:[ ,.-]{{1,2}}{_TIMES}{_ONE}){{2,40}}(?![\w@]|[.,-][0-9])"
    rf"|[{''.join(_SIGNS)}]{{4,40}}",
    re.IGNORECASE,
)
_PIECE = re.compile(
    rf"(?P<times>double|triple)|(?P<word>{_WORD})|(?P<one>[0-9{''.join(_SIGNS)}])", re.IGNORECASE
)

_DOUBLED = re.compile(rf"(?<!\w)(double|triple)[ -]({_WORD}|[0-9])(?!\w)", re.IGNORECASE)


_DASHED = re.compile(rf"(?<=\w) {{1,3}}{SAID_DASH} {{1,3}}(?=\w)", re.IGNORECASE)
_LETTER = f"(?:{'|'.join(_SPELT.values())})"
_LETTERS = re.compile(
    rf"(?<!\w)(?P<said>{_LETTER}(?:[ -]{{1,3}}{_LETTER}){{1,9}})[ -]{{1,3}}"
    rf"(?=[0-9]|(?:{_WORD}){_NO_LETTER_AFTER})",
    re.IGNORECASE,
)
_FIGURES = rf"(?:(?:{_WORD}){_NO_LETTER_AFTER}|[0-9]{{1,3}})"
_BEHIND_DASH = re.compile(
    rf"(?<=[A-Za-z]-){_FIGURES}(?:[ -]{_FIGURES}){{1,20}}(?![0-9])", re.IGNORECASE
)
_FOLDED = str.maketrans("ıİſ", "iis")  # what ignoring case takes for one letter
_DIGITS = {word.translate(_FOLDED).casefold(): digit for word, digit in VALUES.items()}


def may_be_said(characters: str, text: str) -> bool:
    """Tells whether a text has a word by which one of these characters might be said aloud."""
    return _said_words("".join(sorted(set(characters.lower())))).search(text) is not None


@lru_cache(maxsize=1024)
def _said_words(characters: str) -> re.Pattern[str]:
    """Returns the pattern of all words of the characters, and of those that stand between them."""
    figures = {str(unicodedata.decimal(one)) for one in characters if one.isdecimal()}
    words = [word for figure in sorted(figures) for word in _WORDS[figure]]
    words += [_SPELT[one] for one in characters if one in _SPELT]
    one_word = f"{_NO_LETTER_BEFORE}(?:{'|'.join(words)}){_NO_LETTER_AFTER}|" if words else ""
    return re.compile(f"{one_word}double|triple|{SAID_DASH}", re.IGNORECASE)


def write_pattern(characters: str, gap: str = GAP) -> str:
    """Returns what is left of `spell_pattern` where nothing is said aloud.

    It is compiled in a twentieth of the time.
    """
    return gap.join(
        _figure_pattern(one) if one.isdecimal() else re.escape(one) for one in characters
    )


def _figure_pattern(digit: str) -> str:
    figure = str(unicodedata.decimal(digit))
    signs = "".join(sign for sign, value in _SIGNS.items() if value == figure)
    return f"[{digit}{figure}{signs}]"


def digit_pattern(digit: str) -> str:
    """Returns the expression for a digit, of any script, as a figure, a word or a sign."""
    figure = str(unicodedata.decimal(digit))
    words = "|".join(_WORDS[figure])
    signs = "".join(sign for sign, value in _SIGNS.items() if value == figure)
    return rf"(?:[{digit}{figure}]|[{signs}]|{_NO_LETTER_BEFORE}(?:{words}){_NO_LETTER_AFTER})"


def spell_pattern(characters: str, gap: str = GAP) -> str:
    """Returns the expression for these letters and digits with gaps between them.

    Digits may be said as words, and equal ones as "double seven"; so may two letters or more be
    spelt aloud, all of them.
    """
    plain = _spell(characters, gap, {})
    letters = [one for one in characters.lower() if not one.isdecimal()]
    if len(letters) < FEWEST_SPELT or not _SPELT.keys() >= set(letters):
        return plain
    return f"(?:{plain}|{_spell(characters, gap, _SPELT)})"


def _spell(characters: str, gap: str, spelt: Mapping[str, str]) -> str:
    parts: list[str] = []
    for character, same in groupby(characters):
        count = len(list(same))
        if not character.isdecimal():
            said = spelt.get(character.lower())
            letter = (
                f"{_NO_LETTER_BEFORE}{said}{_NO_LETTER_AFTER}" if said else re.escape(character)
            )
            parts += [letter] * count
            continue
        said = digit_pattern(character)
        ways = [gap.join([said] * count)]
        if 1 < count <= MOST_DOUBLED:
            ways += [
                gap.join({1: said, 2: f"double[ -]{said}", 3: f"triple[ -]{said}"}[n] for n in way)
                for way in _sums(count)
                if max(way) > 1
            ]
        parts.append(ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})")
    return gap.join(parts)


def _sums(count: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a count as ones, twos and threes."""
    for size in range(1, count):
        yield from (way for way in product((1, 2, 3), repeat=size) if sum(way) == count)


def find_rows(text: str) -> Iterator[tuple[str, int, int]]:
    """Finds the digits that stand one by one, with where they begin and end."""
    for match in _ROW.finditer(text):
        digits, times = "", 1
        for piece in _PIECE.finditer(match[0]):
            if piece["times"]:
                times = 2 if piece["times"].lower() == "double" else 3
                continue
            digit = piece["one"] or _read(piece["word"])
            digits += times * digit.translate(_TO_FIGURES)
            times = 1
        if len(digits) >= FEWEST:
            yield digits, *match.span()


def write_out(text: str) -> str:
    """Returns a text with figures for digits said doubled among others: "0170 triple five 9341".

    So are a dash that is said, letters spelt aloud, and figures said behind a letter and a dash.
    """
    plain = _DASHED.sub("-", _DOUBLED.sub(_write_doubled, text))
    plain = _LETTERS.sub(lambda found: f"{_first_letters(found['said'])}-", plain)
    return _BEHIND_DASH.sub(_write_row, plain)


def _first_letters(text: str) -> str:
    return "".join(word[0] for word in re.split("[ -]+", text)).upper()


def _write_row(match: re.Match[str]) -> str:
    if not has_words(match[0]):
        return match[0]
    return "".join(part if part.isdecimal() else _read(part) for part in re.split("[ -]", match[0]))


def _read(word: str) -> str:
    """Returns the digit that a word says, in whatever case."""
    return _DIGITS[word.translate(_FOLDED).casefold()]


def _write_doubled(match: re.Match[str]) -> str:
    digit = match[2] if match[2].isdecimal() else _read(match[2])
    return digit * (2 if match[1].lower() == "double" else 3)


def has_words(text: str) -> bool:
    """Returns whether digits are said in words there."""
    return re.search("[^\\W\\d_]", text) is not None


def say_digits(digits: str) -> Iterator[str]:
    """Yields the digits in the words of each language, doubled in English, and in signs."""
    for language in _LANGUAGES:
        yield _say(digits, language.split())
    english = _LANGUAGES[0].split()
    doubled = any(len(list(same)) in (2, 3) for _, same in groupby(digits))
    for zero in ("zero", "oh", "o", "nought") if "0" in digits else ("zero",):
        words = [zero, *english[1:]]
        yield _say(digits, words)
        if doubled:
            rows = ((digit, len(list(same))) for digit, same in groupby(digits))
            yield " ".join(_say_row(words[int(digit)], count) for digit, count in rows)
    for zero in "零〇":
        yield "".join((zero + "一二三四五六七八九")[int(digit)] for digit in digits)


def _say(digits: str, words: Sequence[str]) -> str:
    return " ".join(words[int(digit)] for digit in digits)


def _say_row(word: str, count: int) -> str:
    return {2: f"double {word}", 3: f"triple {word}"}.get(count, " ".join([word] * count))
