"""Gives memories other words, and looks whether something still holds an identifier."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from glymph.context import OpenOperation, every_row
from glymph.decay.sections import KINDS
from glymph.forget.requests import Request, forms, read_request, still_held
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.identifiers import Identifier, identifiers, perhaps
from glymph.text.identifiers.aloud import say_digits
from glymph.text.identifiers.mail_spelling import drop_tag
from glymph.text.identifiers.runs import stands_in_a_row
from glymph.text.normal import content_hash, derive_title, is_derived_title
from glymph.text.query import Words
from glymph.text.quotes import GONE
from glymph.text.scripts import strip_signs
from glymph.text.sentences import PIECES, split_with_breaks
from glymph.text.words import RUN

BESIDE_TEXT = ("title", "entities", "tags", "attributes")
EVERY_FIELD = ("text", *BESIDE_TEXT, "source", "kind")
SHORT = 4  # characters of a code that different things may carry
SMALL = 200  # memories: a space of fewer is read whole, with the fields that have no index
MOST_HELD = 1_000  # memories that one identifier is looked for in
FIGURES = 7  # digits of a number that are written however it begins, with a country or a zero
SAID = 4  # of them, of a number that is said digit by digit
MOST_SPELLINGS = 8  # that are looked for in the journal


def reword(op: OpenOperation, row: Row, text: str) -> None:
    """Gives a memory other words; entities it no longer names go with them."""
    values = {**_changed_values(row, text), "updated_at": op.now, "version": row["version"] + 1}
    op.writer.change("memories", {row["key"]: values})


def _changed_values(row: Row, text: str) -> dict[str, Any]:
    """Returns the columns that other words change."""
    entities = json.loads(row["entities"] or "[]")
    named = [name for name in entities if name not in row["text"] or name in text]
    values = {"text": text, "content_hash": content_hash(text, row["kind"], row["event_at"])}
    if named != entities:
        values["entities"] = json.dumps(named, ensure_ascii=False)
    if is_derived_title(row["title"], row["text"]):
        values["title"] = derive_title(text)
    return values


def fields_still_holding(request: Request, row: Row, text: str) -> tuple[str, ...]:
    """Returns the fields that hold an identifier of the request even after `text` replaced it."""
    becomes = {**row, **_changed_values(row, text)}
    return tuple(
        field
        for field in ("text", *BESIDE_TEXT)
        if any(
            still_held(request, row["text"], said) or _is_joined(request, said)
            for said in _texts_in(becomes, field)
        )
    )


def holds_beside_text(request: Request, row: Row) -> bool:
    """Tells whether a memory holds an identifier in a field beside its text, or beside figures."""
    wanted = [strip_signs(one.text) for one in request.strong]
    return any(stands_in_a_row(one, row["text"]) for one in request.strong) or any(
        still_held(request, request.text, said) or _is_joined(request, said)
        for field in ((*BESIDE_TEXT, "kind") if wanted else ())
        for said in _texts_in(row, field)
        # Reading identifiers is slow; most texts do not even have their letters and digits.
        if any(one in strip_signs(said) for one in wanted)
    )


def holds_same_box(request: Request, row: Row) -> bool:
    """Tells whether a memory holds an address asked for with a tag: vera+news@… for vera@…."""
    boxes = {one.key for one in request.strong if one.type == "mail"}
    return bool(boxes and "+" in row["text"]) and any(
        one.type == "mail" and one.key not in boxes and drop_tag(one.key) in boxes
        for one in identifiers(row["text"])
    )


def _is_joined(request: Request, said: str) -> bool:
    """Tells whether a text holds an identifier joined to more.

    By "_" or "/", as order_AB-12345, or a number by standing beside other figures.
    """
    return any(stands_in_a_row(one, said) for one in request.strong) or any(
        re.search(rf"(?<=[_/]){written}(?![^\W_])|(?<![^\W_]){written}(?=[_/])", said, re.I)
        for written in (re.escape(one.text) for one in request.strong)
    )


def _texts_in(row: Row, field: str) -> Iterator[str]:
    """Yields the texts in a field of a memory."""
    if field == "kind" and row[field] in KINDS:
        return
    plain = field in ("text", "title", "source", "kind")  # the others are JSON
    waiting = [row[field] if plain else json.loads(row[field] or "null")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif value is not None and not isinstance(value, bool):
            yield str(value)


# what is left after a purge


def read_identifiers(texts: Iterable[str]) -> tuple[Request, ...]:
    """Returns a request for each text that names an identifier.

    Those of few characters are left out: without the words around it nobody can tell whose it is.
    """
    asked = map(read_request, dict.fromkeys(texts))
    return tuple(
        one for one in asked if one.strong and all(len(each.key) > SHORT for each in one.strong)
    )


def find_holding(
    reader: Reader, asked: Sequence[Request], wanted: Filter
) -> dict[str, tuple[Row, tuple[str, ...]]]:
    """Returns the memories that hold one of the identifiers, by id, with the fields that do."""
    near = find_near(reader, asked, wanted)
    found = {memory_id: (row, list_holding(asked, row)) for memory_id, row in near.items()}
    return {memory_id: held for memory_id, held in found.items() if held[1]}


def find_near(reader: Reader, asked: Sequence[Request], wanted: Filter) -> dict[str, Row]:
    """Returns the memories, by id, that may hold one of the identifiers.

    They are found by the text index; a small space is read whole.
    """
    if not asked:
        return {}
    keys = {
        key
        for one in asked
        for key, _ in reader.match(Words(_list_phrases(one)), wanted, limit=MOST_HELD)
    }
    rows = {row["id"]: row for row in (reader.by_key(list(keys), wanted) if keys else {}).values()}
    few = list(islice(every_row(reader, wanted, SMALL + 1), SMALL + 1))
    if len(few) <= SMALL:
        rows |= {row["id"]: row for row in few}
    return rows


def list_texts(row: Row) -> list[str]:
    """Returns whatever a memory says, field by field."""
    return [text for field in EVERY_FIELD for text in _texts_in(row, field) if text]


def list_holding(asked: Sequence[Request], row: Row) -> tuple[str, ...]:
    """Returns the fields of a memory that hold one of the identifiers."""
    said = {field: list(_texts_in(row, field)) for field in EVERY_FIELD}
    if not holds(asked, "\n".join(text for texts in said.values() for text in texts)):
        return ()
    return tuple(field for field, texts in said.items() if any(holds(asked, one) for one in texts))


def holds(asked: Iterable[Request], text: str) -> bool:
    """Tells whether a text holds one of the identifiers, however it is spelt."""
    return any(still_held(one, one.text, text) or _is_joined(one, text) for one in asked)


def cut_out(asked: Sequence[Request], text: str) -> str:
    """Returns a text without the identifiers, or without the sentences that still hold one."""
    if not holds(asked, text):
        return text
    wanted = [each for one in asked for each in one.strong]
    for found in reversed(identifiers(text)):
        if any(perhaps(each, found) for each in wanted):
            text = f"{text[: found.start]}{GONE}{text[found.end :]}"
    parts = split_with_breaks(text, PIECES)
    kept = [GONE if at % 2 == 0 and holds(asked, part) else part for at, part in enumerate(parts)]
    rest = "".join(kept)
    return GONE if holds(asked, rest) else rest


def cut_from_row(asked: Sequence[Request], row: Row) -> dict[str, Any] | None:
    """Returns the columns of a memory without the identifiers; None if little would be left."""
    text = cut_out(asked, row["text"])
    if not text.replace(GONE, "").strip(" .,;:!?"):
        return None
    values = _changed_values(row, text) if text != row["text"] else {}
    becomes = {**row, **values}
    values["title"] = cut_out(asked, becomes["title"])
    for field in ("tags", "entities"):
        given = json.loads(becomes[field] or "[]")
        kept = [one for one in given if not holds(asked, one)]
        if kept != given:
            values[field] = json.dumps(kept, ensure_ascii=False)
    if row["source"] and holds(asked, row["source"]):
        values["source"] = None
    return None if list_holding(asked, {**row, **values}) else values


class Held:
    """Tells whether a text holds one of some identifiers, however it is spelt."""

    def __init__(self, asked: Sequence[Request]) -> None:
        self._asked = asked
        ways = (way for one in asked for each in one.strong for way in _list_ways(each))
        self._ways = tuple(dict.fromkeys(ways))

    def __call__(self, text: str) -> bool:
        return self.may_be_in(text) and holds(self._asked, text)

    def may_be_in(self, text: str) -> bool:
        """Tells at little cost that a text holds none of them; most do not."""
        bare = strip_signs(text)
        return any(all(piece in bare for piece in way) for way in self._ways)


def _list_ways(each: Identifier) -> list[tuple[str, ...]]:
    """Returns pieces of an identifier; in every spelling of it are all those of one of the ways.

    They are the words of an address, or the longest figure, also said aloud, or all of it.
    """
    if each.type == "mail":
        return [tuple(strip_signs(word) for word in RUN.findall(each.key))]
    longest = max(re.findall(r"\d+", strip_signs(each.key)), key=len, default="")
    if len(longest) > SHORT:
        aloud = {strip_signs(said) for said in say_digits(longest[-SAID:])}
        return [(longest[-FIGURES:],), *((one,) for one in sorted(aloud))]
    return [
        (strip_signs(each.key),),
        (strip_signs(each.text),),
        (strip_signs(_say_signs(each.key)),),
    ]


def _say_signs(address: str) -> str:
    return address.replace("@", " at ").replace(".", " dot ")


def list_spellings(asked: Iterable[Request], texts: Iterable[str]) -> tuple[str, ...]:
    """Returns the usual spellings of identifiers, those in the texts first."""
    wanted = [each for one in asked for each in one.strong]
    found = [each.text for each in wanted]
    if wanted:
        others = (one for text in texts for one in identifiers(text))
        found += [one.text for one in others if any(perhaps(each, one) for each in wanted)]
    for each in wanted:
        parts = RUN.findall(each.key)
        joints = ("", " ", "-", "_", ".") if each.type in ("code", "phone", "card", "iban") else ()
        found += [each.key, *(joint.join(parts) for joint in joints)]
    once = {one.casefold(): one for one in reversed(found)}
    return tuple(reversed(once.values()))[:MOST_SPELLINGS]


def _list_phrases(request: Request) -> tuple[str, ...]:
    """Returns what the text index is asked for: also addresses with their signs in words."""
    said = [_say_signs(each.key) for each in request.strong if each.type == "mail"]
    return (*forms(request), *said)
