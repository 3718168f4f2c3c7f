"""Keeps out the identifiers of somebody who was forgotten by name.

The statements that go may also hold an address, a number or an account of that person, without
which nobody would know it. What stood in those statements alone gets a tombstone of its own, so
that no older copy and no new sentence brings it back. What a memory or a page that stays says as
well may be somebody else's, and gets none. Dates, places and short codes are shared by many: only
types that one person or account has count, codes of many digits, and web addresses with the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from glymph.context import Context, OpenOperation
from glymph.forget.certificate import Removal
from glymph.forget.names import bare, looks_named
from glymph.forget.purge import EVERY_STATE, erase_wordings
from glymph.forget.requests import Request
from glymph.forget.reword import find_near, list_texts, read_identifiers
from glymph.store.reader import Reader
from glymph.text.identifiers import Identifier, identifiers
from glymph.text.scripts import fold
from glymph.text.words import NAME_WORD
from glymph.write.tombstones import bury

OF_ONE_PERSON = frozenset({"mail", "phone", "handle", "iban", "card"})
FEWEST_DIGITS = 6  # of a code: fewer number a standard, a model, a room or a postal district
FEWEST_LETTERS = 3  # of a name that a web address is compared with
MOST_KEPT_OUT = 500  # identifiers of one request


def bury_own_identifiers(
    op: OpenOperation, ctx: Context, asked: Request, said: Sequence[str]
) -> list[Removal]:
    """Keeps out what only the removed statements said of the person that a request names.

    It goes from reasons, queries and former wordings as well, however it is spelt there. `said` is
    whatever those statements said and once said. Call it after they are gone, in the same
    operation; returns what `certify` is to look for.
    """
    if not asks_for_somebody(asked, said):
        return []
    pages = [page["text"] for page in op.writer.pages()]
    own = find_unsaid(op.writer, list_own(asked, said)[:MOST_KEPT_OUT], pages)
    if not own:
        return []
    texts = [one.text for one in own]
    bury(op, ctx, (), texts)
    return [erase_wordings(op, ctx, (), also=texts, staged=False)]


def asks_for_somebody(asked: Request, said: Iterable[str]) -> bool:
    """Tells whether a request names somebody, or something, and no single fact about it.

    A name in small letters is one if the statements never write it as a word like others.
    """
    if asked.names or not asked.words:
        return bool(asked.names) and not asked.words
    wanted = set(map(fold, asked.words))
    written = [bare(word) for text in said for word in NAME_WORD.findall(text)]
    met = [word for word in written if fold(word) in wanted]
    return {fold(word) for word in met} == wanted and all(map(looks_named, met))


def list_own(asked: Request, said: Iterable[str]) -> list[Identifier]:
    """Returns the identifiers in these texts that may be those of the one whom a request names."""
    words = [fold(word) for name in asked.names for word in name] or map(fold, asked.words)
    names = [word for word in words if len(word) >= FEWEST_LETTERS]
    found = (one for text in said for one in identifiers(text) if _is_own(one, names))
    return list({(one.type, one.key): one for one in found}.values())


def _is_own(one: Identifier, names: Sequence[str]) -> bool:
    if one.type == "url":
        return any(name in fold(one.key) for name in names)
    digits = sum(map(str.isdigit, one.key))
    return one.type in OF_ONE_PERSON or (one.type == "code" and digits >= FEWEST_DIGITS)


def find_unsaid(
    reader: Reader, own: Sequence[Identifier], pages: Iterable[str]
) -> list[Identifier]:
    """Returns those of the identifiers that no memory and no page says, however it is spelt."""
    rows = find_near(reader, read_identifiers(one.text for one in own), EVERY_STATE)
    texts = [text for row in rows.values() for text in list_texts(row)]
    standing = {
        reading
        for text in (*texts, *pages)
        for one in identifiers(text)
        for reading in one.readings
    }
    return [one for one in own if standing.isdisjoint(one.readings)]
