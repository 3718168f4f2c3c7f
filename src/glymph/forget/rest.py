"""What a statement still says without what is meant of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from glymph.forget.match import Sought, Unit, lexical
from glymph.forget.names import places
from glymph.forget.request import Request
from glymph.reader.wording import Span
from glymph.text.clauses import Clauses, capitalise_like
from glymph.text.grammar import ARTICLES, OF_NOUNS, PREPOSITIONS, VERBS
from glymph.text.identifiers import find_matching, identifiers
from glymph.text.lists import without_item, without_name, without_phrase
from glymph.text.scripts import fold
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL

_ENTANGLED = re.compile(
    r"\b(?:neither|nor|unless|if|only|whether|false|untrue|den(?:y|ies|ied)|doubts?|doubted"
    r"|pretends?|pretended|(?:don't|doesn't|do not|does not|didn't|did not) (?:believe|think))\b",
    re.IGNORECASE,
)
_GENITIVE = re.compile(r"\w['’]s?$", re.IGNORECASE)
_INFLECTED = frozenset("is are was were has have does do".split())
_ALTERNATIVE = re.compile(r"\w (?:or|oder|ou) \w", re.IGNORECASE)
_ASIDE = re.compile(r"(?: ?\([^()]*\))?")  # what is told of an item of a list
_LISTED = re.compile(r",? (?:and|or|und|oder|et|ou|y|o|e|и|или|&) |, | / ")
_PREPOSITION = re.compile(
    r"\s*\b(?:at|on|via|by|under|from|to|unter|bei|an|über|à|au|sur|par|en|a|al|su|per|:|=)?\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w(?:\S*\w)?")
_STOPS = ".!?。！？।"
_JOINTS = ",;:–—，、；：،؛"
_AROUND = f"{_JOINTS} "
SUBJECT = 2  # words of a subject, behind which a comma opens an aside
LONGEST_ITEM = 3  # words of an item of a list
_BLANKS = re.compile(r"\s{2,}")
_AND = "and|but|or|und|aber|oder|et|mais|ou|y|o|pero|e|ma|mas|i|ale|и|но|или|а|та|і|ve|och|og|en"
_LOOSE_START = re.compile(rf"^[\s,;:.–—-]*(?:(?:{_AND})\s+)?")  # in small letters: "I" is no "and"
_LOOSE_END = re.compile(rf"[\s,;:–—-]*(?:\s(?:{_AND}))?[\s,;:–—-]*(?=[.!?。।]?$)")
_JOINING = re.compile(rf"(?:{_AND})\s")
_JOINED = re.compile(rf"\s+(?:{_AND})$")
_LAST_ARTICLE = re.compile(rf"\s(?:{_AND})\s+([^\W\d_]+)$")
_LED_NAME = re.compile(r"([^\W\d_]+)(?=\s)(?:\s+[A-ZÀ-ÞΑ-ΩА-Я][\w'’.-]*)+$")
_BESIDE = re.compile(rf"\s+(?:{_AND})(?=\s+[A-ZÀ-ÞΑ-ΩА-Я])")
_ITEM = r"\w{1,3}(?:\s+[^\s,.;:!?]+){1,4}"  # with an article, or a word as short as one
_LAST_ITEMS = re.compile(rf"\s*{_ITEM}(?:,\s*{_ITEM}){{0,3}},?\s(?:{_AND})\s+{_ITEM}[.!?]?$")
_LED, _FIRST_WORD = re.compile(r"([^\W\d_]+)\s"), re.compile(r"[^\s,]+")
_NAME = re.compile(r"[A-ZÀ-ÞΑ-ΩА-Я][\w'’.-]*(?: [A-ZÀ-ÞΑ-ΩА-Я][\w'’.-]*){0,2}")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_DENSE_AND = ("和", "与", "與", "及", "と", "や", "및")
_LAST_SHORT = re.compile(r"(?<!\w)[^\W\d_]{1,4}$")
_ONLY_JOINT = re.compile(rf"[\s{_JOINTS}]*(?:(?:{_AND})[\s{_JOINTS}]*)?")
_ENUMERATED = re.compile(rf"^[^.;:!?]*(?:,|\s(?:{_AND})\s)")  # items follow, and a last one


def is_safe(old: str, new: str, *, listed: bool) -> bool:
    """Returns whether what is left says what it said before.

    Of an alternative, a condition or a denial none can tell. `listed` says that an identifier is
    cut out: of two numbers joined by "or", the other one still holds.
    """
    if _ENTANGLED.search(old) or (not listed and _ALTERNATIVE.search(old)):
        return False
    if _lacks_its_noun(old, new):
        return False
    told = {word.casefold() for word in NAME_WORD.findall(old)}
    words = (word for word in NAME_WORD.findall(new) if not UNSPACED_OR_HANGUL.search(word))
    return all(_is_form(word.casefold(), told) for word in words)


def _lacks_its_noun(old: str, new: str) -> bool:
    """Tells whether a verb now follows a word that a noun followed: "My cooks well"."""
    known = set(pairwise(NAME_WORD.findall(old)))
    return any(
        (word, verb) not in known
        and verb.casefold() in VERBS
        and (word.casefold() in OF_NOUNS or _GENITIVE.search(word) is not None)
        for word, verb in pairwise(NAME_WORD.findall(new))
    )


def _is_form(word: str, told: Collection[str]) -> bool:
    """Returns whether a word is one of these or a form of it, and not pieced together from two."""
    if word in told or word in _INFLECTED:
        return True
    if any(len(was) > 2 and word.endswith(was) for was in told):
        return False
    return any(word[:2] == was[:2] and abs(len(word) - len(was)) <= 4 for was in told)


def find_rest(own: Sequence[Unit], wanted: Sought, request: Request) -> str:
    """Returns what a statement still says without these clauses; empty if nothing."""
    parts = own[0].parts
    dropped: list[int] = []
    text = parts
    for unit in own:
        edited = (
            _remove_from_list(unit, request)
            if request.strong
            else _remove_item(unit.clause.text, wanted)
        )
        if edited and fold(edited) != fold(unit.clause.text):
            clauses = tuple(
                replace(clause, text=edited, alone="") if at == unit.at else clause
                for at, clause in enumerate(text.clauses)
            )
            text = replace(
                text,
                text=text.replace_clause(unit.at, edited),
                clauses=clauses,
                sentences=_anew(text, unit.at, edited),
            )
        else:
            dropped += _list_beside(unit) if request.strong and request.whole else [unit.at]
    rest = text.without(dropped)
    return rest if re.search(r"\w", rest) else ""


def _list_beside(unit: Unit) -> list[int]:
    """Returns the clauses of the sentence a clause stands in: all of it is about its subject."""
    clauses = unit.parts.clauses
    return [at for at, clause in enumerate(clauses) if clause.sentence == unit.clause.sentence]


def _anew(parts: Clauses, at: int, edited: str) -> tuple[str, ...]:
    sentences = list(parts.sentences)
    clause = parts.clauses[at]
    old = sentences[clause.sentence]
    sentences[clause.sentence] = old.replace(clause.text, edited, 1)
    return tuple(sentences)


def _remove_from_list(unit: Unit, request: Request) -> str | None:
    """The clause without an identifier that stands in a list of several, if others of them stay."""
    text = unit.clause.text
    found = [replace(each, end=_ASIDE.match(text, each.end).end()) for each in unit.identifiers]  # type: ignore[union-attr]
    meant = {id(each) for wanted in request.strong for each in find_matching(wanted, found)}
    for at, each in enumerate(found):
        if id(each) not in meant or len(meant) == len(found):
            continue
        if at and _LISTED.fullmatch(text[found[at - 1].end : each.start]):
            last = at + 1 == len(found) or not _LISTED.fullmatch(
                text[each.end : found[at + 1].start]
            )
            start = found[at - 1].end
            rest = text[:start] + text[each.end :]
            return _last_joined(rest, start, text[start : each.start]) if last else rest
        if at + 1 < len(found) and _LISTED.fullmatch(text[each.end : found[at + 1].start]):
            return text[: each.start] + text[found[at + 1].start :]
    return None


def _last_joined(text: str, end: int, joint: str) -> str:
    """A list whose last item is gone: what joined that one now joins the one before it."""
    comma = text.rfind(", ", 0, end)
    if comma < 0 or not joint.strip(" ,") or " " in text[comma + 2 : end]:
        return text
    return f"{text[:comma]} {joint.strip(' ,')} {text[comma + 2 :]}"


def _remove_item(text: str, wanted: Sought) -> str | None:
    """The clause without the one item of a list that is meant, if it has such a list."""
    without = without_name(text, lambda item: _is_meant(item, wanted))
    if without or not wanted.names or not wanted.words:
        return without

    def is_said(item: str) -> bool:
        return any(lexical(word, part) for word in wanted.words for part in NAME_WORD.findall(item))

    return without_phrase(text, is_said) or without_item(text, is_said)


def _is_meant(item: str, wanted: Sought) -> bool:
    return any(places(item, name, strict=False) for known in wanted.names for name in known)


def cut_identifiers(text: str, own: Sequence[Unit]) -> str:
    """The text without the identifiers that these clauses hold, and the word that leads to each."""
    for unit in own:
        for each in reversed(unit.identifiers):
            at = text.find(each.text)
            if at >= 0:
                before = _PREPOSITION.sub("", text[:at])
                text = f"{before}{text[at + len(each.text) :]}"
    return text.strip() if own and re.search(r"\w", text) else ""


def cut_spans(text: str, spans: Sequence[Span]) -> str:
    """Returns a text without some stretches, and without the joints that led to them."""
    rest = text
    for start, end in sorted(fit_to_words(text, spans), reverse=True):
        rest = _cut_out(rest, start, min(end, len(rest)))
    rest = _BLANKS.sub(" ", rest)
    rest = _LOOSE_END.sub("", _LOOSE_START.sub("", rest)).strip()
    if not re.search(r"\w", rest):
        return ""
    if text.rstrip()[-1:] in _STOPS and rest[-1:] not in _STOPS:
        rest += text.rstrip()[-1]
    return capitalise_like(rest, text)


def fit_to_words(text: str, spans: Sequence[Span]) -> list[Span]:
    """Returns stretches that end between words, and hold an identifier whole or not at all.

    A word of which less than half is meant stays.
    """
    whole = [(each.start, each.end) for each in identifiers(text)]
    words = [word.span() for word in _WORD.finditer(text) if not UNSPACED_OR_HANGUL.search(word[0])]
    fitted = []
    for start, end in spans:
        for first, last in (*words, *whole):
            meant = min(end, last) - max(start, first)
            if 0 < meant < last - first:
                keeps = (first, last) not in whole and 2 * meant < last - first
                if first < start:
                    start = last if keeps else first
                else:
                    end = first if keeps else last
        if start < end and not _ONLY_JOINT.fullmatch(text, start, end):
            fitted.append((start, end))
    return fitted


def _cut_out(text: str, start: int, end: int) -> str:
    """Returns a text without one stretch.

    Of two joints around it one stays, or none of an aside.
    """
    while start < end and text[start] in _AROUND:
        start += 1
    while start < end and text[end - 1] in _AROUND:
        end -= 1
    if text[:start].rstrip()[-1:] in _JOINTS and (joined := _JOINED.search(text[start:end])):
        end = start + joined.start()
    elif (begun := _LAST_ARTICLE.search(text[start:end])) and begun[1].lower() in ARTICLES:
        end = start + begun.start(1)  # it belongs to what follows
    led = _LED_NAME.match(text[start:end])
    if led and led[1] in PREPOSITIONS and (beside := _BESIDE.match(text[end:])):
        start, end = start + led.end(1), end + beside.end()  # "with Ann and Bo" without Ann
    elif (head := _find_led_item(text[start:end], text[end:])) is not None:
        start += head
    left, right = text[:start].rstrip(), text[end:].lstrip()
    before, after = left[-1:], right[:1]
    if before + after in ("()", "（）", "[]"):
        left, right = left[:-1].rstrip(), right[1:].lstrip()
    elif before in _JOINTS and after in _JOINTS and before and after:
        right = right[1:].lstrip()
        if before == after and before not in ";:" and _is_aside(left[:-1], text[start:end], right):
            left = left[:-1].rstrip()
    elif after == "," and (
        _is_first_item(left, text[start:end], right[1:])
        or _is_first_verb(left, text[start:end], right[1:])
    ):
        right = right[1:].lstrip()
    if left[-1:] and left[-1:] in _JOINTS and (right[:1] in _STOPS or _JOINING.match(right)):
        left = left[:-1].rstrip()
    elif left[-1:] == "、" and right[:1] in _DENSE_AND:
        left = left[:-1]
    elif right[:1] in "," and right and (joined := _JOINED.search(left)):
        left, right = left[: joined.start()], f"{joined[0].strip()} {right[1:].lstrip()}"
    if text[:start].rstrip()[-1:] not in _JOINTS:
        right = _drop_joint(left, text[start:end].strip(), right)
    twice = _LAST_SHORT.search(left)
    if twice and re.match(rf"{re.escape(twice[0])}\s", right, re.IGNORECASE):
        left = left[: twice.start()].rstrip()  # "on Mondays and on Fridays" without "Mondays and"
    apart = left and right and not re.match(r"[,.;:!?…)，、；：。！？،؛؟।]", right)
    dense = UNSPACED_OR_HANGUL.search(left[-1:]) and not text[:start][-1:].isspace()
    return f"{left}{' ' if apart and not dense else ''}{right}"


def _drop_joint(before: str, cut: str, after: str) -> str:
    """Returns what follows without the "and" before the second of two: "done by Bo and Ann"."""
    joint, led_by = _JOINING.match(after), _LAST_WORD.search(before)
    if joint is None or led_by is None:
        return after
    rest = after[joint.end() :].lstrip()
    names = _NAME.fullmatch(cut) is not None and _NAME.match(rest) is not None
    return rest if names or led_by[0].lower() in PREPOSITIONS else after


def _find_led_item(cut: str, after: str) -> int | None:
    """Returns where an item begins of which the preposition belongs to the next one as well.

    "Write to a@b.io or c@d.io" without "to a@b.io or" still writes to somebody. The next item has
    none of its own.
    """
    led = _LED.match(cut)
    if led is None or led[1].lower() not in PREPOSITIONS or " " not in cut[led.end() :].strip():
        return None
    goes_on = _JOINED.search(cut) or (after.lstrip()[:1] == "," and _ENUMERATED.match(after[1:]))
    following = _FIRST_WORD.search(after)
    if not goes_on or following is None or following[0].lower() in PREPOSITIONS:
        return None
    own = cut[led.end() :].split()[0].lower()
    if _JOINED.search(cut):
        return led.end(1) if "@" in following[0] or any(map(str.isdecimal, following[0])) else None
    return led.end(1) if own in ARTICLES and following[0].lower() in ARTICLES else None


def _is_first_item(before: str, cut: str, after: str) -> bool:
    """Tells whether what stands before a comma begins a list, which the words before lead to."""
    words = len(cut.split())
    if _JOINING.match(cut) or not before[-1:].isalnum():
        return False
    if words <= LONGEST_ITEM:
        return bool(_ENUMERATED.search(after))
    return re.fullmatch(_ITEM, cut.strip()) is not None and bool(_LAST_ITEMS.match(after))


def _is_first_verb(before: str, cut: str, after: str) -> bool:
    """Tells whether one subject has two verbs, of which the first goes with the comma behind it."""
    told, goes_on = cut.partition(" ")[0], after.strip().partition(" ")[0]
    return "," not in before and told in VERBS and goes_on in VERBS


def _is_aside(before: str, cut: str, after: str) -> bool:
    """Tells whether what stands between two commas is told by the way, and is no item of a list."""
    begins = re.split(r"[.!?。;]\s*", before)[-1]
    if cut.partition(" ")[0] in VERBS:
        return False  # one thing of several that a subject does
    goes_on = after.partition(" ")[0] in VERBS
    short = len(begins.split()) <= SUBJECT or len(cut.split()) > LONGEST_ITEM
    return "," not in begins and (goes_on or short)
