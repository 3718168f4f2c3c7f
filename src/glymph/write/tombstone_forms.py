"""The forms under which a tombstone knows a statement or an identifier again: pure, without keys.

Two texts that share a form say the same, or hold the same identifier.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from glymph.text.encodings import read_encoded
from glymph.text.identifiers import (
    Finder,
    Identifier,
    find_spans,
    fingerprint_forms,
    identifiers,
)
from glymph.text.identifiers.aloud import find_rows, has_words, write_out
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.mail_spelling import drop_tag
from glymph.text.identifiers.network import bare_macs
from glymph.text.identifiers.plates import local_plates
from glymph.text.identifiers.runs import SHORT, compact, list_runs
from glymph.text.negation import NEGATIONS
from glymph.text.normal import STOP_WORDS
from glymph.text.scripts import flat
from glymph.text.sentences import PIECES, split_with_breaks
from glymph.text.similarity import DIRECTIONS, MODALITIES, PERSONS
from glymph.text.words import RUN, plain_words, stem

NEVER_BURIED = frozenset({"date", "time", "quantity", "version"})
FEWEST_TOLD = 3  # telling words and figures: less than that is said everywhere by chance
LONG = 7  # digits that name one thing without the letters or the country before them

_FIGURED = frozenset({"phone", "code", "card", "iban", "mac", "plate"})
_QUAD = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\w)")
_MAY_BE_BACKWARDS = re.compile(r"@|//:|[0-9](?:[^\n]{0,3}[0-9]){3}")
_END_OF_WORD = re.compile(r"[.,;:!?]+(?=\s|\Z)")
_WEB = "://"
_ASKING = "?"


def list_all_forms(text: str) -> list[str]:
    """Returns every form under which a tombstone may know a text or a sentence of it.

    What the text says in encodings counts as said, and so does an identifier written backwards, or
    a web address in other letters, small or large.
    """
    text = text.strip()
    find = cache(find_spans)  # the same lines and sentences are met several times
    forms = [form for said in (text, *read_encoded(text)) for form in _list_told_forms(said, find)]
    forms += _list_backward_forms(text, find)
    if _WEB in (small := text.lower()) and small != text:
        forms += list_held_forms(small, find)
    return forms


def _list_told_forms(text: str, find: Finder) -> list[str]:
    """Returns the forms of a text, of its sentences, and of the identifiers that it holds."""
    pieces = _split_sentences(text)
    forms = [*_list_forms(text, find), *list_held_forms(text, find)]
    if len(pieces) > 1:
        forms += [form for piece in pieces if _tells(piece) for form in _list_forms(piece, find)]
    return forms


def list_said_forms(text: str) -> list[str]:
    """Returns the forms of one statement; those of its identifiers if it is a single sentence."""
    single = len(_split_sentences(text)) == 1
    find = cache(find_spans)
    return [*_list_forms(text, find), *(list_held_forms(text, find) if single else ())]


# statements


def _split_sentences(text: str) -> list[str]:
    return [piece for piece in split_with_breaks(text, PIECES)[::2] if piece.strip()]


def _tells(sentence: str) -> bool:
    """Tells whether a sentence says enough to stand for itself in a longer text."""
    words = RUN.findall(sentence.casefold())
    return len([word for word in words if word not in STOP_WORDS]) >= FEWEST_TOLD


def _list_forms(text: str, find: Finder) -> list[str]:
    """Returns the forms under which a statement is known again, that of its words included."""
    words = sketch(text, find)
    whole = list_whole_forms(text, find)
    return [*whole, words] if words else whole


def list_whole_forms(text: str, find: Finder = find_spans) -> list[str]:
    """Returns the forms under which a statement is known again, trivially reworded."""
    # Of bare punctuation no form is left; it stands for itself then, not for all there is.
    return [form or " ".join(text.split()) for form in fingerprint_forms(text, find)]


def sketch(text: str, find: Finder = find_spans) -> str:
    """Returns a statement as its telling words in a circle, its figures and what turns its meaning.

    Empty if it says too little. Two statements with one sketch differ in endings, small words, "of"
    for a genitive and where they begin: "At parties Jo drinks" and "Jo drinks at parties". Who did
    it to whom cannot be turned around by that.
    """
    plain = " ".join(flat(text)[0].split())
    words: list[str] = []
    at = 0
    for found in (*identifiers(plain, find), None):
        said = plain_words(plain[at : found.start if found else len(plain)])
        words += [f"<{word}>" if word[0].isdigit() else word for word in said]
        if found is not None:
            words.append(f"<{found.type} {found.key}>")
            at = found.end
    told = [_stem(word) for word in _turn_genitives(words) if _is_telling(word)]
    figures = [one for one in told if one.startswith("<")]
    if len(told) < FEWEST_TOLD or len(told) - len(figures) < 2:
        return ""
    # One figure may stand anywhere; of several each belongs to the words beside it.
    ring = told if len(figures) > 1 else [one for one in told if one not in figures]
    first = _find_first(ring)
    circle = ring[first:] + ring[:first]
    return "\x00".join(["words", *circle, "", *sorted(figures), "", *_list_turns(words, plain)])


def _find_first(ring: Sequence[str]) -> int:
    """Returns where a circle of words begins that comes first in the order of words.

    Two beginnings are compared word by word; one that loses takes along all that it passed.
    """
    one, other, same, count = 0, 1, 0, len(ring)
    while max(one, other) < count and same < count:
        left, right = ring[(one + same) % count], ring[(other + same) % count]
        if left == right:
            same += 1
            continue
        if left > right:
            one += same + 1
        else:
            other += same + 1
        other += one == other
        same = 0
    return min(one, other)


def _stem(word: str) -> str:
    return word if word.startswith("<") else stem(word)


def _is_telling(word: str) -> bool:
    return word not in STOP_WORDS and word not in NEGATIONS


def _turn_genitives(words: Sequence[str]) -> list[str]:
    """Returns the words with "the alarm code of the office" as "office alarm code"."""
    turned: list[str] = []
    at = 0
    while at < len(words):
        if words[at] != "of" or not turned or not _is_telling(turned[-1]):
            turned.append(words[at])
            at += 1
            continue
        at += 1
        while at < len(words) and not _is_telling(words[at]):
            at += 1
        first = len(turned)
        while first and _is_telling(turned[first - 1]):
            first -= 1
        turned[first:first] = words[at : at + 1]
        at += 1
    return turned


def _list_turns(words: Sequence[str], plain: str) -> Iterator[str]:
    """Yields what turns the meaning of the same telling words: denials, directions, who speaks."""
    yield str(sum(word in NEGATIONS for word in words))
    yield from sorted(word for word in words if word in DIRECTIONS)
    said = set(words)
    classes = MODALITIES | {name: PERSONS[name] for name in ("speaker", "listener")}
    yield from (name for name, members in classes.items() if members & said)
    if plain.rstrip().endswith(_ASKING):
        yield _ASKING


# identifiers


def find_burials(texts: Iterable[str]) -> list[Identifier]:
    """Returns the identifiers to keep out; only who asks for them proves some: plates, groups."""
    said = (one for text in texts for one in asked_identifiers(text))
    found = (one for one in said if one.type not in NEVER_BURIED)
    return list({(one.type, one.key): one for one in found}.values())


def list_buried_forms(one: Identifier, texts: Iterable[str]) -> list[str]:
    """Returns the forms under which an identifier is buried.

    A short code, such as S3, is buried with the words that stand before it in the removed texts.
    """
    if _is_short(one.type, one.key):
        labelled = (form for text in texts for form in _label(text, identifiers(text)))
        return [form for form in labelled if form.endswith(f" {one.key}")]
    forms = [_write_typed(one.type, one.key)]
    if one.type == "url":
        forms.append(_write_typed(one.type, one.key.lower()))
    for kind, key in one.others if one.type != "url" else ():  # a mail address in it is another
        if kind == "phone" and one.type == "phone" and one.key.startswith("+"):
            forms.append(f"{_write_typed(kind, key)} abroad")
        elif kind not in NEVER_BURIED and len(compact(key)) >= LONG:
            forms.append(_write_typed(kind, key))
    bare = compact(one.key if one.type == "phone" else one.text)
    whole = len(bare) == len("".join(RUN.findall(flat(one.text)[0]))) or one.type == "phone"
    if whole and one.type in _FIGURED and len(bare) > SHORT and any(map(str.isdigit, bare)):
        forms.append(f"figures {bare}")
        digits = bare.lstrip("abcdefghijklmnopqrstuvwxyz")
        if digits != bare and digits.isdigit() and len(digits) >= LONG:
            forms.append(f"figures {digits}")
    return forms


def list_held_forms(text: str, find: Finder = find_spans) -> list[str]:
    """Returns the forms under which an identifier in a text may have been buried.

    Each line is also read by itself: the figures at the end of one belong to no number in the next,
    as where the fields of a row stand one below the other.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    said = dict.fromkeys((" ".join(text.split()), *filter(None, lines)))
    said |= dict.fromkeys(filter(None, map(_write_figures, said)))
    return [form for one in said for form in _list_forms_held_in(one, find)]


def _write_figures(text: str) -> str:
    """Returns a text with figures for digits that it says in words; empty if there are none."""
    rest = text
    for digits, start, end in reversed(list(find_rows(text))):
        if len(digits) >= LONG and has_words(text[start:end]):
            rest = f"{rest[:start]}{digits}{rest[end:]}"
    rest = write_out(rest)
    return rest if rest != text else ""


def _list_backward_forms(text: str, find: Finder) -> list[str]:
    """Returns the forms of the identifiers in a text read from its end.

    A few figures are another number then, and no name of anything written backwards.
    """
    if not _MAY_BE_BACKWARDS.search(text):
        return []
    # A mark at the end of a word would stand at its beginning, and a name before "=" at its end.
    backwards = _END_OF_WORD.sub("", text)[::-1].replace("=", " ")
    return [form for form in list_held_forms(backwards, find) if _names_by_itself(form)]


def _names_by_itself(form: str) -> bool:
    name = form.rpartition(" ")[2]
    return not form.startswith("labelled") and (len(name) >= LONG or not compact(name).isdigit())


def _list_forms_held_in(text: str, find: Finder) -> list[str]:
    plain = flat(text)[0]
    forms: list[str] = []
    found = identifiers(text, find)
    for one in found:
        if one.type in NEVER_BURIED:
            continue
        forms += [_write_typed(kind, key) for kind, key in one.readings]
        if one.type == "mail":
            forms.append(_write_typed(one.type, drop_tag(one.key)))
        if not one.key.startswith("+"):  # it may be one of any country
            phones = [key for kind, key in one.readings if kind == "phone"]
            forms += [f"{_write_typed('phone', key)} abroad" for key in phones]
    quads = (".".join(str(int(part)) for part in quad.split(".")) for quad in _QUAD.findall(plain))
    forms += [_write_typed("ip", quad) for quad in quads]
    forms += [_write_typed(one.type, one.key) for one in (*local_plates(plain), *bare_macs(plain))]
    forms += [f"figures {run}" for run in list_runs(plain.casefold())]
    return forms + _label(text, found)


def _label(text: str, found: Iterable[Identifier]) -> list[str]:
    """Returns the short codes among a text's identifiers with the word before: "station S3"."""
    found = [one for one in found if _is_short(one.type, one.key)]
    words = list(RUN.finditer(text)) if found else []
    begins = [word.start() for word in words]
    labelled: list[str] = []
    for one in found:
        before = bisect_left(begins, one.start) - 1
        label = words[before][0].casefold() if before >= 0 else ""
        labelled.append(f"labelled {label} {one.key}")
    return labelled


def _is_short(kind: str, key: str) -> bool:
    return kind == "code" and len(key) <= SHORT


def _write_typed(kind: str, key: str) -> str:
    return f"identifier {kind} {key}"
