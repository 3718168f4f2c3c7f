"""A person purged by name: addresses, numbers and accounts that only those statements had stay out.

What a memory or a page that stays says as well is not the person's alone, and may be said again.
"""

from __future__ import annotations

import pytest

from glymph.config import Settings
from glymph.stores import restore_backup
from tests.grounds.purging import find_traces, open_at

OWN = {
    "mail": ("mara.k@example.org", "Mara.K (at) example dot org"),
    "phone": ("+49 170 5551234", "0049-170-5551234"),
    "handle": ("@mara_keller", "@Mara_Keller"),
    "iban": ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
    "code": ("C01X00T47", "C01-X00-T47"),
    "url": ("https://pages.example/in/mara-keller", "HTTPS://Pages.Example/in/mara-keller"),
}
SHARED = "office@nordwind.example"


def tell(glymph):
    """Says whose each of them is; Ben uses one address of theirs as well."""
    for kind, (spelling, _) in OWN.items():
        glymph.add(f"The {kind} of Mara Keller is {spelling}")
    glymph.add(f"Mara Keller reads what comes to {SHARED}")
    glymph.add("Mara Keller was certified under ISO 9001 on 8 May 2024")
    return glymph.add(f"Ben sends letters to {SHARED}").id


def list_taken_in(glymph):
    """Returns what the space takes in of sentences with the identifiers, spelt otherwise."""
    said = [f"Hal wrote {spelling} down" for _, spelling in OWN.values()]
    return [text for text in said if glymph.add(text).refused is None]


def purge_mara(glymph, request="everything about Mara Keller"):
    done = glymph.forget(request, mode="purge", apply=True)
    assert [one.text for one in glymph.list(limit=100) if "Mara" in one.text] == []
    return done


def test_they_are_not_taken_in_again(place, clock):
    _, url = place
    with open_at(url, clock) as glymph:
        kept = tell(glymph)
        assert purge_mara(glymph).certificate.complete
        assert list_taken_in(glymph) == []
        assert glymph.add("Ask him", tags=["mara.k@example.org"]).refused
        assert glymph.get(kept).text.endswith(SHARED)
        assert glymph.add(f"Letters to {SHARED} take a week").id
        assert glymph.add("The plant was certified under ISO 9001 on 8 May 2024").id
        assert glymph.add("Mara Keller is a common name").id


def test_an_older_copy_does_not_bring_them_back(place, clock):
    folder, url = place
    safe = folder / "safe"
    safe.mkdir()
    with open_at(url, clock) as glymph:
        kept = tell(glymph)
        once = glymph.add("Hal asked for mara.k@example.org").operation_id
        glymph.export(safe / "before.jsonl")
        glymph.backup(safe / "before.db")
        glymph.undo(once)
        purge_mara(glymph)
        glymph.import_(safe / "before.jsonl", space="copy")
        restore_backup(
            safe / "before.db", folder / "restored.db", in_use=url, clock=clock,
            settings=Settings(embedder="none"),
        )  # fmt: skip
    for copy, space in ((url, "copy"), (f"sqlite:///{folder}/restored.db", "default")):
        with open_at(copy, clock, space=space) as later:
            assert find_traces(later, [spelling for spelling, _ in OWN.values()]) == []
            assert list_taken_in(later) == []
            assert later.get(kept).text.endswith(SHARED)


def test_what_a_page_says_too_may_be_said_again(place, clock):
    _, url = place
    with open_at(url, clock) as glymph:
        glymph.add("The number of Mara Keller is +49 170 5551234")
        glymph.write("Call the clinic under 0170 5551234 on Mondays.")
        purge_mara(glymph)
        assert glymph.add("The clinic moved; it kept +491705551234").id


@pytest.mark.parametrize(
    ("words", "refused"), [("Mara", True), ("mara", True), ("Mara's salary", False)]
)
def test_only_a_request_for_somebody_reaches_what_else_they_have(place, clock, words, refused):
    _, url = place
    with open_at(url, clock) as glymph:
        glymph.add("Mara's salary is 5000, payslips to mara.k@example.org")
        assert glymph.forget(words, mode="purge", apply=True).succeeded
        taken = glymph.add("Write to mara.k@example.org")
        assert bool(taken.refused) is refused


def test_they_come_in_again_when_somebody_says_so(place, clock):
    _, url = place
    with open_at(url, clock) as glymph:
        tell(glymph)
        purge_mara(glymph)
        assert glymph.tombstones.lift(text="mara.k@example.org").succeeded
        assert glymph.add("Write to mara.k@example.org").id
        assert glymph.add("Call +49 170 5551234").refused
        assert glymph.add("Call +49 170 5551234", revive=True).id
