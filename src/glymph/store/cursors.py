"""Cursors of listings: where the next page begins, in words that only this store reads and writes.

A cursor holds a place and a mark of it, made with a key of the store for one space and one listing.
Without the key nobody can tell the place, make a cursor or use one elsewhere: the number of a row
would tell how much the other spaces of the store take in.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b

from glymph.errors import InvalidInput

MARK_BYTES, MOST_BYTES = 12, 64
_KEY_BYTES = 8


class Cursors:
    """What writes and reads the cursors of a space."""

    def __init__(self, key: bytes, space: str) -> None:
        self._key, self._space = key, space

    def write(self, listing: str, place: bytes) -> str:
        """Returns the cursor of a place in a listing; the same place has the same cursor."""
        mark = self._mark(listing, place)
        return urlsafe_b64encode(mark + self._mask(mark, place)).rstrip(b"=").decode()

    def read(self, listing: str, cursor: object) -> bytes:
        """Returns the place of a cursor; InvalidInput if it is none of this listing."""
        sealed = _decode(cursor)
        mark, masked = sealed[:MARK_BYTES], sealed[MARK_BYTES:]
        place = self._mask(mark, masked)
        if not masked or not hmac.compare_digest(mark, self._mark(listing, place)):
            raise InvalidInput(
                "cursor",
                "it is none of this listing. Pass cursor or next_cursor of the answer before as it "
                "is, or leave it out to begin anew.",
            )
        return place

    def write_key(self, listing: str, key: int) -> str:
        """Returns the cursor of a row, which is as long for every row."""
        return self.write(listing, key.to_bytes(_KEY_BYTES, "big"))

    def read_key(self, listing: str, cursor: object) -> int:
        """Returns the row of a cursor."""
        return int.from_bytes(self.read(listing, cursor), "big")

    def _mark(self, listing: str, place: bytes) -> bytes:
        said = b"\0".join((self._space.encode(), listing.encode(), place))
        return blake2b(said, key=self._key, digest_size=MARK_BYTES).digest()

    def _mask(self, mark: bytes, place: bytes) -> bytes:
        """Hides a place, or shows one that was hidden with the same mark."""
        hidden = blake2b(mark, key=self._key, person=b"place", digest_size=MOST_BYTES).digest()
        return bytes(one ^ other for one, other in zip(place, hidden, strict=False))


def _decode(cursor: object) -> bytes:
    """Returns the bytes of a cursor; none if it cannot be one."""
    if not (isinstance(cursor, str) and len(cursor) <= 2 * (MARK_BYTES + MOST_BYTES)):
        return b""
    try:
        return urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except ValueError:  # other letters, or too few
        return b""
