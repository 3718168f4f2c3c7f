"""What is left of a statement of which a part is meant, and whether that may be acted upon."""

from __future__ import annotations

from glymph.forget.by_rules import Meant, still_held
from glymph.forget.match import still_named
from glymph.forget.request import Request
from glymph.forget.rest import cut_spans, find_rest, is_safe
from glymph.forget.verdicts import ALONE, Verdict
from glymph.text.identifiers import identifiers

HALF, DOUBT, CLEAR = 0.5, 0.4, 0.9  # shares of being meant in part


def find_left(one: Verdict, meaning: Meant, request: Request, *, lasting: bool) -> str | None:
    """Returns what is left of a statement: nothing of one that goes whole, None if nobody can tell.

    What the reader marks goes before what rules know of clauses, where it may be acted upon.
    `lasting` says that it cannot be undone.
    """
    said = one.statement.text
    new = _cut(one, meaning, request, lasting=lasting)
    if not new:
        return None if one.by != "model" and _is_read_in_part(one, lasting=lasting) else ""
    listed = bool(request.strong) or _holds_identifier(one)
    return new if is_safe(said, new, listed=listed) and _is_well_cut(one, lasting=lasting) else None


def _cut(one: Verdict, meaning: Meant, request: Request, *, lasting: bool) -> str:
    if one.by == "model":
        return one.left or ""
    said = one.statement.text
    rest = cut_spans(said, one.spans) if one.spans else ""
    if one.ruled != "found":
        return rest
    clear = one.exact or not lasting
    kept = still_held(request, said, rest) or (meaning.named and still_named(rest, meaning.wanted))
    if rest and clear and not kept:
        return rest
    read = one.by == "reader" or (one.read >= ALONE and one.part < HALF)
    if read and not one.spans and not request.strong:
        return ""  # rules know the clause that names it; the reader, that all of it is meant
    return find_rest(one.units, meaning.wanted, request)


def _is_read_in_part(one: Verdict, *, lasting: bool) -> bool:
    """Tells whether the reader holds the smaller part to be meant, of which rules know nothing.

    Of what cannot be undone a doubt is enough: of 5 texts that should have been shortened 3 had
    it, and so had a few of those that went rightly.
    """
    if lasting and one.part > (DOUBT if one.by == "reader" else CLEAR):
        return True
    if one.part <= HALF:
        return False
    said = one.statement.text
    marked = sum(end - start for start, end in one.spans)
    if 0 < marked < HALF * len(said):
        return cut_spans(said, one.spans) not in ("", said)
    return one.by == "reader" and one.ruled != "found" and one.read < HALF


def _holds_identifier(one: Verdict) -> bool:
    """Tells whether an identifier is cut out: of two that "or" joins the other one still holds."""
    return any(
        start <= each.start and each.end <= end
        for each in identifiers(one.statement.text)
        for start, end in one.spans
    )


def _is_well_cut(one: Verdict, *, lasting: bool) -> bool:
    """Tells whether what the reader cuts out is all that is meant.

    What cannot be undone is cut only where both readings mark the same: of 86 such cuts that it
    had not learnt from, all were right.
    """
    return one.by != "reader" or one.ruled == "found" or not lasting or one.exact
