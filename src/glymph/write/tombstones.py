"""Tombstones, which keep what was removed for good on request from being learnt again.

Nothing tells what it was. A tombstone is a fingerprint made with the key of its space, HMAC-SHA256;
the key lies beside the store, not in it. Three kinds of forms are kept:

    the statement    each form under which the whole text, or a sentence of a longer one, is known
                     again after trivial rewording
    its words        the stems of its telling words in a circle, with figures, negations and the
                     like: "The salary of Ana is 5000" is "Ana's salary: 5000", and
                     "5000 is Ana's salary"
    an identifier    each typed key of an identifier that the request named, or that only the
                     statements about a person had whom it named, so that no sentence with it comes
                     in again, however it is spelt

The words hold against another order, other endings and other small words. They do not hold against
synonyms ("Sara expects a baby" for "Sara is pregnant"), a passive, a summary or a translation: of
the 40 other wordings in tests/forget/test_tombstones.py they refuse 21, of the 41 new facts about
the same subjects none. To know more one would have to keep the text, or a vector, from which much
of it can be guessed. A vector is no way out either: with a cosine of 0.98 the local model knows 12
of those wordings and takes three new facts for known, "Clara owes Tom" for "Tom owes Clara" among
them. Nor can a reader help, for it has to be shown both texts.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from glymph.context import Context, OpenOperation
from glymph.errors import KeyMissing
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.text.identifiers import Identifier, fingerprint_forms, identifiers
from glymph.text.identifiers.aloud import find_rows, has_words
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.network import bare_macs
from glymph.text.identifiers.plates import local_plates
from glymph.text.identifiers.runs import SHORT, compact, list_runs
from glymph.text.negation import NEGATIONS
from glymph.text.normal import STOP_WORDS
from glymph.text.scripts import flat
from glymph.text.sentences import PIECES, split_with_breaks
from glymph.text.similarity import DIRECTIONS, MODALITIES, PERSONS
from glymph.text.words import RUN, plain_words, stem

TOMBSTONED = "tombstoned: it was removed on request. add(…, revive=True) takes it in again"
NEVER_BURIED = frozenset({"date", "time", "quantity", "version"})
FEWEST_TOLD = 3  # telling words and figures: less than that is said everywhere by chance
LONG = 7  # digits that name one thing without the letters or the country before them

_FIGURED = frozenset({"phone", "code", "card", "iban", "mac", "plate"})
_QUAD = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\w)")
_ASKING = "?"
_TIED = "tied "  # begins a row that names the tombstones of one statement or identifier


def match_tombstones(ctx: Context, reader: Reader, texts: Sequence[str]) -> list[bool]:
    """Tells for each text whether it says what was removed for good, or holds such an identifier.

    The statement may be worded nearly so, the identifier spelt in any way.
    """
    if not texts or not reader.has_tombstones():
        return [False] * len(texts)
    key = _key(ctx, reader)
    marks = [list_marks(key, text) for text in texts]
    wanted = dict.fromkeys(mark for of_one in marks for mark in of_one)
    standing = {row["fingerprint"] for row in reader.tombstones_with(wanted)}
    return [not standing.isdisjoint(of_one) for of_one in marks]


def bury(
    op: OpenOperation,
    ctx: Context,
    texts: Iterable[str],
    identifiers: Iterable[str] = (),
    *,
    by_words: bool = False,
) -> None:
    """Keeps these texts from being learnt again, as a part of the operation that removes them.

    Also keeps out whatever holds one of the identifiers: those that the request named, or those of
    the person that it named. What else stood in the texts may be said of others. Dates, times,
    quantities and versions are never kept out. `by_words` keeps the same telling words out as
    well, put in another way.
    """
    key = (
        _key(ctx, op.writer)
        if op.writer.has_tombstones()
        else ctx.store.keyring.get_or_create(_identity(op.writer))
    )
    said = list(texts)
    marks: dict[str, None] = {}
    for text in said:
        marks |= dict.fromkeys(_mark_all(key, _list_whole_forms(text)))
        if by_words and (words := sketch(text)):
            marks |= _tie(_mark_all(key, [*_list_whole_forms(text), words]))
    for one in _find_burials(identifiers):
        marks |= _tie(_mark_all(key, _list_buried_forms(one, said)))
    op.writer.bury(marks, at=op.now)


def _tie(marks: Sequence[str]) -> dict[str, None]:
    """Returns the fingerprints of one thing, with a row by which they are lifted together."""
    return dict.fromkeys([*marks, _TIED + " ".join(marks)] if len(marks) > 1 else marks)


def unbury(op: OpenOperation, ctx: Context, texts: Iterable[str]) -> list[int]:
    """Lifts the tombstones of these texts, as a part of an operation; returns their numbers."""
    numbers = [row["key"] for row in find_tombstones(ctx, op.writer, texts)]
    op.writer.remove("tombstones", numbers)
    return numbers


def find_tombstones(ctx: Context, reader: Reader, texts: Iterable[str]) -> list[Row]:
    """Returns the tombstones that keep these texts out, with all of the same thing."""
    if not reader.has_tombstones():
        return []
    key = _key(ctx, reader)
    wanted = dict.fromkeys(mark for text in texts for mark in list_marks(key, text))
    found = reader.tombstones_with(wanted)
    met = {row["fingerprint"] for row in found}
    tied = [row for row in reader.tombstones() if row["fingerprint"].startswith(_TIED)]
    tied = [row for row in tied if not met.isdisjoint(row["fingerprint"].split())]
    others = {mark for row in tied for mark in row["fingerprint"].split()[1:]} - met
    return [*found, *reader.tombstones_with(others), *tied]


def list_marks(key: bytes, text: str) -> frozenset[str]:
    """Returns every fingerprint under which a tombstone may know a text or a sentence of it."""
    pieces = _split_sentences(text)
    forms = [*_list_forms(text), *_list_held_forms(text)]
    if len(pieces) > 1:
        forms += [form for piece in pieces if _tells(piece) for form in _list_forms(piece)]
    return frozenset(_mark_all(key, forms))


def fingerprints(key: bytes, text: str) -> tuple[str, ...]:
    """Returns the fingerprints of one statement: without the key they cannot be read or guessed.

    Those of the identifiers that it holds are among them if it is a single sentence.
    """
    forms = _list_forms(text)
    if len(_split_sentences(text)) == 1:
        forms += _list_held_forms(text)
    return _mark_all(key, forms)


def find_buried(key: bytes, standing: Collection[str], texts: Iterable[str]) -> list[str]:
    """Returns the identifiers in the texts, as they are written there, that a tombstone names."""
    found = dict.fromkeys(one.text for text in texts for one in identifiers(text))
    marks = {one: _mark_all(key, _list_held_forms(one)) for one in found}
    return [one for one, of_one in marks.items() if not frozenset(of_one).isdisjoint(standing)]


def _mark_all(key: bytes, forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(hmac.digest(key, form.encode(), "sha256").hex() for form in dict.fromkeys(forms))


def _key(ctx: Context, reader: Reader) -> bytes:
    """Returns the key of a space that has tombstones, or raises KeyMissing."""
    keyring, identity = ctx.store.keyring, _identity(reader)
    key = keyring.get(identity)
    if key is None:
        raise KeyMissing(ctx.space, str(keyring.folder / identity))
    return key


def _identity(reader: Reader) -> str:
    return str(reader.identity()["id"])


# statements


def _split_sentences(text: str) -> list[str]:
    return [piece for piece in split_with_breaks(text, PIECES)[::2] if piece.strip()]


def _tells(sentence: str) -> bool:
    """Tells whether a sentence says enough to stand for itself in a longer text."""
    words = RUN.findall(sentence.casefold())
    return len([word for word in words if word not in STOP_WORDS]) >= FEWEST_TOLD


def _list_forms(text: str) -> list[str]:
    """Returns the forms under which a statement is known again, that of its words included."""
    words = sketch(text)
    return [*_list_whole_forms(text), words] if words else _list_whole_forms(text)


def _list_whole_forms(text: str) -> list[str]:
    # Of bare punctuation no form is left; it stands for itself then, not for all there is.
    return [form or " ".join(text.split()) for form in fingerprint_forms(text)]


def sketch(text: str) -> str:
    """Returns a statement as its telling words in a circle, its figures and what turns its meaning.

    Empty if it says too little. Two statements with one sketch differ in endings, small words, "of"
    for a genitive and where they begin: "At parties Jo drinks" and "Jo drinks at parties". Who did
    it to whom cannot be turned around by that.
    """
    plain = " ".join(flat(text)[0].split())
    words: list[str] = []
    at = 0
    for found in (*identifiers(plain), None):
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
    circle = min(ring[at:] + ring[:at] for at in range(len(ring)))
    return "\x00".join(["words", *circle, "", *sorted(figures), "", *_list_turns(words, plain)])


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


def _find_burials(texts: Iterable[str]) -> list[Identifier]:
    """Returns the identifiers to keep out; only who asks for them proves some: plates, groups."""
    said = (one for text in texts for one in asked_identifiers(text))
    found = (one for one in said if one.type not in NEVER_BURIED)
    return list({(one.type, one.key): one for one in found}.values())


def _list_buried_forms(one: Identifier, texts: Iterable[str]) -> list[str]:
    """Returns the forms under which an identifier is buried.

    A short code, such as S3, is buried with the words that stand before it in the removed texts.
    """
    if _is_short(one.type, one.key):
        labelled = (form for text in texts for form in _list_labelled(text))
        return [form for form in labelled if form.endswith(f" {one.key}")]
    forms = [_write_typed(one.type, one.key)]
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


def _list_held_forms(text: str) -> list[str]:
    """Returns the forms under which an identifier in a text may have been buried.

    Each line is also read by itself: the figures at the end of one belong to no number in the next,
    as where the fields of a row stand one below the other.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    said = dict.fromkeys((" ".join(text.split()), *filter(None, lines)))
    said |= dict.fromkeys(filter(None, map(_write_figures, said)))
    return [form for one in said for form in _list_forms_held_in(one)]


def _write_figures(text: str) -> str:
    """Returns a text with figures for long numbers that it says digit by digit; empty if none."""
    rest = text
    for digits, start, end in reversed(list(find_rows(text))):
        if len(digits) >= LONG and has_words(text[start:end]):
            rest = f"{rest[:start]}{digits}{rest[end:]}"
    return rest if rest != text else ""


def _list_forms_held_in(text: str) -> list[str]:
    plain = flat(text)[0]
    forms: list[str] = []
    for one in identifiers(text):
        if one.type in NEVER_BURIED:
            continue
        forms += [_write_typed(kind, key) for kind, key in one.readings]
        if not one.key.startswith("+"):  # it may be one of any country
            phones = [key for kind, key in one.readings if kind == "phone"]
            forms += [f"{_write_typed('phone', key)} abroad" for key in phones]
    quads = (".".join(str(int(part)) for part in quad.split(".")) for quad in _QUAD.findall(plain))
    forms += [_write_typed("ip", quad) for quad in quads]
    forms += [_write_typed(one.type, one.key) for one in (*local_plates(plain), *bare_macs(plain))]
    forms += [f"figures {run}" for run in list_runs(plain.casefold())]
    return forms + _list_labelled(text)


def _list_labelled(text: str) -> list[str]:
    """Returns the short codes of a text, each with the word before it: "station S3"."""
    found = [one for one in identifiers(text) if _is_short(one.type, one.key)]
    before = [RUN.findall(text[: one.start].casefold()) for one in found]
    return [
        f"labelled {words[-1] if words else ''} {one.key}"
        for one, words in zip(found, before, strict=True)
    ]


def _is_short(kind: str, key: str) -> bool:
    return kind == "code" and len(key) <= SHORT


def _write_typed(kind: str, key: str) -> str:
    return f"identifier {kind} {key}"
