"""Names in a text: whole words that are one name.

They are matched across case, accents, scripts and the endings of cases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product, takewhile

from glymph.text.grammar import ARTICLES, FUNCTION, PREPOSITIONS, VERBS
from glymph.text.remember import remember
from glymph.text.scripts import across_scripts, fold, romanise, transliterate
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL, word_set

_INFLECTED = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_CASELESS = re.compile(
    "[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_POINTLESS = re.compile("[\u0590-\u06ff]")  # scripts that leave the vowels out
_SOUNDS = {
    letter: sounds
    for letters, sounds in {
        "ب": "b|p", "تطط": "t", "ث": "th|s|t", "ج": "j|g|dj", "حח": "h|ch|kh", "خ": "kh|h|ch",
        "دד": "d", "ذ": "dh|z|d|th", "رר": "r", "زז": "z", "سס": "s|c", "ش": "sh|ch|s", "ص": "s",
        "ض": "dh|d", "ظ": "z|dh", "غ": "gh|g", "ف": "f|ph", "ق": "q|k|g", "كک": "k|c", "لל": "l",
        "مמם": "m", "نנן": "n", "پ": "p", "چ": "ch", "گ": "g", "ژ": "zh|j",
        "ב": "b|v", "ג": "g|j", "ט": "t", "כך": "k|kh|ch|c", "פף": "p|f|ph", "צץ": "tz|ts|z",
        "ק": "k|q|c", "ש": "sh|s", "ת": "t|th",
    }.items()
    for letter in letters
}  # fmt: skip
_SILENT = "اأإآءعאע"
_WEAK = dict.fromkeys(_SILENT + "ئؤ", "[aeiou]{0,2}") | {
    "و": "(?:[vw][aeiou]?|ou|o|u)", "ו": "(?:[vw][aeiou]?|ou|o|u)",
    "ي": "(?:[yj][aeiou]?|ei|ai|i|e)", "ی": "(?:[yj][aeiou]?|ei|ai|i|e)",
    "י": "(?:[yj][aeiou]?|ei|ai|i|e)", "ى": "(?:a|i|y)", "ة": "(?:[ae]?[ht]?)",
    "ه": "h[aeiou]?", "ה": "h?[aeiou]?",
}  # fmt: skip
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_SIGNS = re.compile("[\u3400-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")
_FULL_NAME = re.compile("[\u3400-\u9fff]{2,4}|[\uac00-\ud7a3]{2,4}")
_CAPITALISED = re.compile("[A-Z]")
_KOREAN_FAMILIES = {
    "gim": "kim", "i": "lee yi rhee", "bak": "park pak", "choe": "choi", "jeong": "jung chung",
    "gang": "kang", "jo": "cho", "yun": "yoon", "jang": "chang", "im": "lim", "o": "oh",
    "seo": "suh", "sin": "shin", "gwon": "kwon", "an": "ahn", "ryu": "yu yoo", "yu": "yoo",
    "no": "roh noh", "u": "woo", "gu": "koo", "mun": "moon", "son": "sohn", "jeon": "jun chun",
}  # fmt: skip
# Beside the first reading of a sign, those that it has in names.
_ALSO_READ = {
    sign: readings.split()
    for signs, readings in {
        "单單": "shan", "曾": "zeng", "解": "xie", "仇": "qiu", "查": "zha", "区區": "ou",
        "盖蓋": "ge", "覃": "qin", "尉": "yu", "缪繆": "miao", "翟": "zhai", "卜": "bu",
        "朴": "piao", "长長": "chang", "乐樂": "yue", "重": "chong", "朝": "zhao", "晟": "sheng",
        "拓": "tuo", "地": "di", "埔": "pu", "仔": "zai", "徵": "zheng", "妳": "ni",
    }.items()
    for sign in signs
}  # fmt: skip
_POSSESSIVE = re.compile(r"['’](?:s|S)$|['’]$")
_OF_SENTENCES, _ONLY_VERBS = FUNCTION | VERBS, VERBS - PREPOSITIONS
_DETERMINERS = ARTICLES | word_set("your my his her their our its every each all")

_OPENS = " \n\t\"'“”„«»‘’([¿¡-–—"  # what may stand before the first word of a sentence
_WIDEST_OPENING = 8
LEAST_ALIKE, ALIKE = 3, 0.6  # letters, and of the word's, with which forms of one word begin

Place = tuple[int, int]


def bare(word: str) -> str:
    """A word without the possessive that hangs on it."""
    return _POSSESSIVE.sub("", word)


def looks_named(word: str) -> bool:
    """Returns whether a word is written like a name."""
    return word[:1].isupper() or bool(_CASELESS.match(word))


def find_capitalised_inside(text: str) -> frozenset[str]:
    """Returns the words with a capital that stand within a sentence.

    At its beginning a word has one whatever it is.
    """
    return frozenset(
        bare(found[0])
        for found in NAME_WORD.finditer(text)
        if found[0][0].isupper() and not begins_a_sentence(text, found.start())
    )


def begins_a_sentence(text: str, at: int) -> bool:
    """Tells whether a sentence begins here, perhaps behind a quotation mark or a dash."""
    before = text[max(0, at - _WIDEST_OPENING) : at].rstrip(_OPENS)
    return not before or before[-1] in ".!?…:;"


def begin_alike(word: str, other: str) -> bool:
    """Returns whether two words begin so much alike that they may be forms of one."""
    one, two = fold(word), fold(other)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    return shared >= max(LEAST_ALIKE, ALIKE * len(one))


@lru_cache(maxsize=8192)
def one_name(wanted: str, found: str) -> bool:
    """Returns whether two words are one name."""
    if fold(wanted) == fold(found):
        return True
    if wanted.isascii() and found.isascii():
        return False
    if wanted.isascii() != found.isascii() and (_SIGNS.search(wanted) or _SIGNS.search(found)):
        return False  # family and given name against one word: `places` compares such names
    one, other = romanise(wanted), romanise(found)
    if one != other and (_POINTLESS.search(wanted) or _POINTLESS.search(found)):
        return _is_read_as(wanted, found) or _is_read_as(found, wanted)
    if one == other or across_scripts(wanted, found):
        return bool(one)
    if _INFLECTED.search(wanted) or _INFLECTED.search(found):
        return len(_root(one)) > 2 and _root(one) == _root(other)
    return False


def _is_read_as(written: str, latin: str) -> bool:
    """Returns whether an Arabic or Hebrew word, whole, may be read as the Latin one.

    Its consonants must all be there, in their order, and no others; a short vowel may stand after
    each of them, a long one only where it is written.
    """
    letters = fold(written)
    if not latin.isascii() or not all(letter in _SOUNDS or letter in _WEAK for letter in letters):
        return False
    hard = sum(letter in _SOUNDS for letter in letters)
    if not hard or len(letters) < 3:
        return False
    return _reading(letters, few=hard < 2).fullmatch(_single(fold(latin))) is not None


@lru_cache(maxsize=1024)
def _reading(letters: str, *, few: bool) -> re.Pattern[str]:
    parts = []
    for at, letter in enumerate(letters):
        if letter in _SOUNDS:
            vowel = "[aeiou]?" if at < len(letters) - 1 else ""
            parts.append(f"(?:{_SOUNDS[letter]}){vowel}")
        elif at == 0 and letter in _SILENT:
            parts.append("a" if few else "[aeiou]")
        elif at == len(letters) - 1 and letter in "ةהه":
            parts.append("(?:[ae]?[ht]?)")
        else:
            parts.append(_WEAK[letter])
    return re.compile("".join(parts))


def _single(word: str) -> str:
    return re.sub(r"([a-z])\1", r"\1", re.sub("['’-]", "", word))


def _root(word: str) -> str:
    """A name without the ending of its case, which Slavic languages and Greek change."""
    return re.sub(r"(?:[aeiouy]+(?:[mvh]|is?)?|[ao]s)$", "", word)


def places(text: str, name: Sequence[str], *, strict: bool = True) -> tuple[Place, ...]:
    """Returns where the words of a name stand together in a text.

    `strict` asks that they are written like a name.
    """
    return _places(text, tuple(name), strict)


@remember(16384)  # rules ask again and again about the same texts and names
def _places(text: str, name: tuple[str, ...], strict: bool) -> tuple[Place, ...]:
    if len(name) == 1 and UNSPACED_OR_HANGUL.search(name[0]):
        literal = [found.span() for found in re.finditer(re.escape(name[0]), text)]
        return (*literal, *_find_in_latin(text, name[0]))
    tokens = [
        (bare(found[0]), found.start(), found.start() + len(bare(found[0])))
        for found in NAME_WORD.finditer(text)
    ]
    tokens = [piece for token in tokens for piece in _apart(token)]
    lower = not any(token[0][:1].isupper() for token in tokens)
    spans = []
    for at in range(len(tokens) - len(name) + 1):
        run = tokens[at : at + len(name)]
        if not all(_matches(part, token[0]) for part, token in zip(name, run, strict=True)):
            continue
        if strict and not lower and not all(looks_named(token[0]) for token in run):
            continue
        if strict and len(name) == 1 and _commands(text, run[0], tokens, at):
            continue
        spans.append((run[0][1], run[-1][2]))
    return tuple(spans or _find_in_signs(text, name))


def _find_in_latin(text: str, name: str) -> list[tuple[int, int]]:
    """Where a Chinese or Korean name stands in Latin letters, family and given name apart."""
    if not _FULL_NAME.fullmatch(name) or not _CAPITALISED.search(text):
        return []
    tokens = [(bare(found[0]), found.start()) for found in NAME_WORD.finditer(text)]
    spans = []
    for size in (2, 3):
        for at in range(len(tokens) - size + 1):
            run = tokens[at : at + size]
            if all(word[0].isupper() for word, _ in run) and _is_sounded(
                name, tuple(word for word, _ in run)
            ):
                spans.append((run[0][1], run[-1][1] + len(run[-1][0])))
    return spans


def _find_in_signs(text: str, name: Sequence[str]) -> list[tuple[int, int]]:
    """Where a name of two or three Latin words stands in Chinese or Korean signs."""
    if text.isascii() or not 2 <= len(name) <= 3 or not all(word.isascii() for word in name):
        return []
    spans = []
    for run in _SIGNS.finditer(text):
        for size in (2, 3, 4):
            spans += [
                (run.start() + at, run.start() + at + size)
                for at in range(len(run[0]) - size + 1)
                if _is_sounded(run[0][at : at + size], tuple(name))
            ]
    return spans


def _is_sounded(signs: str, words: tuple[str, ...]) -> bool:
    """Returns whether signs and Latin words are one whole name, the family first or last."""
    latin = [re.sub(r"[\W_]", "", fold(word)) for word in words]
    orders = {(latin[0], "".join(latin[1:])), (latin[-1], "".join(latin[:-1]))}
    return not orders.isdisjoint(sounds(signs))


@lru_cache(maxsize=8192)
def sounds(signs: str) -> frozenset[tuple[str, str]]:
    """Returns how a Chinese or Korean name may be read: family name and given name."""
    if _HANGUL.fullmatch(signs):
        syllables = [fold(transliterate(sign)) for sign in signs]
        given = "".join(syllables[1:])
        families = _KOREAN_FAMILIES.get(syllables[0], "").split()
        return frozenset((family, given) for family in [syllables[0], *families])
    readings = [(fold(transliterate(sign)), *_ALSO_READ.get(sign, ())) for sign in signs]
    cuts = (1, 2) if len(signs) > 2 else (1,)
    return frozenset(
        ("".join(syllables[:cut]), "".join(syllables[cut:]))
        for syllables in product(*readings)
        for cut in cuts
    )


def _matches(wanted: str, found: str) -> bool:
    return one_name(wanted, found) or (
        len(found) > 3 and found[-1] == "s" and one_name(wanted, found[:-1]) and found[0].isupper()
    )


def _apart(token: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    """A word before an apostrophe with an ending of its case behind: İzmir'de, l'Anna."""
    word, start, end = token
    if not re.search(r"\w['’]\w", word):
        return [token]
    head, _, tail = re.split(r"(['’])", word, maxsplit=1)
    if len(head) <= 2:
        return [(tail, start + len(head) + 1, end)]
    return [(head, start, start + len(head))]


def _commands(
    text: str, run: tuple[str, int, int], tokens: Sequence[tuple[str, int, int]], at: int
) -> bool:
    """Returns whether a word that begins a sentence is no name but a verb or noun.

    Examples are "Mark the date" and "Rose bushes".
    """
    begins = at == 0 or text[: run[1]].rstrip()[-1:] in ".!?:;\n"
    following = tokens[at + 1][0] if at + 1 < len(tokens) else ""
    if not begins or text[run[2] : run[2] + 1] != " ":
        return False
    second = tokens[at + 2][0].lower() if at + 2 < len(tokens) else ""
    modifies = following.islower() and following not in _OF_SENTENCES and second in _ONLY_VERBS
    return following.lower() in _DETERMINERS or modifies


_WORD_BEFORE = re.compile(r"([^\W\d_][\w-]*) $")
_WORD_AFTER = re.compile(r"(?:['’]s)? ([^\W\d_][\w-]*)")
LONGEST_NAME = 80  # characters that are looked at before a name


def fuller(text: str, span: tuple[int, int]) -> str | None:
    """The longer name that a name at this place is a part of, folded; None when it stands alone."""
    before = _WORD_BEFORE.search(text[max(0, span[0] - LONGEST_NAME) : span[0]])
    after = _WORD_AFTER.match(text, span[1])
    own = text[span[0] : span[1]]
    possessive = text[span[1] : span[1] + 1] in "'’" and span[1] < len(text)
    if after and after[1][0].isupper() and not possessive and after[1].lower() not in FUNCTION:
        return fold(f"{own} {after[1]}")
    initial = before is not None and not text[: span[0] - len(before[0])].strip()
    if before and before[1][0].isupper() and before[1].lower() not in FUNCTION and not initial:
        return fold(f"{before[1]} {own}")
    return None
