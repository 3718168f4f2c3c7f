"""A purged fact stays gone however it is reworded and whichever way it comes.

Another fact is never refused.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import unicodedata
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import Glymph
from glymph.config import Settings
from glymph.forget.purge import purge
from glymph.stores import restore_backup
from glymph.testing import FrozenClock

NAMES = (
    "Ana",
    "José Núñez",
    "Zoë Krüger",
    "Łukasz",
    "Иван Петров",
    "李雷",
    "O'Brien",
    "Müller-Lüdenscheidt",
)
OTHER_NAMES = (
    "Anna",
    "José Nunes",
    "Zora Krüger",
    "Lukas",
    "Иванна Петрова",
    "李梅",
    "O'Brian",
    "Müller-Lüdenscheit",
)
EXAMPLES = settings.default.max_examples  # each of them is the life of a store
PATTERNS = (
    "{who} can be reached under {what}",
    "The file of {who} says: {what}",
    "{what} belongs to {who}",
)


@st.composite
def digits(draw, least, most):
    return draw(st.sampled_from("123456789")) + draw(
        st.text("0123456789", min_size=least - 1, max_size=most - 1)
    )


@st.composite
def mail(draw):
    """A mail address in several writings, and others that it is not."""
    user = draw(st.sampled_from(["alice", "bob.smith", "c3po", "dana_x"]))
    host = draw(st.sampled_from(["acme", "mail-box", "uni.example"]))
    one = f"{user}@{host}.io"
    return [one, one.upper(), f"{user} (at) {host} dot io"], [
        f"{user}@{host}.com", f"{user}@{host}.ioo", f"x{one}", f"{user}2@{host}.io",
    ]  # fmt: skip


@st.composite
def phone(draw):
    number = draw(digits(8, 10))
    code = draw(st.sampled_from(["1", "49", "351"]))
    last = str((int(number[-1]) + draw(st.integers(1, 9))) % 10)
    a, b, c = number[:3], number[3:5], number[5:]
    same = [
        f"+{code}{number}",
        f"+{code} {a} {b}{c}",
        f"+{code} ({a}) {b}-{c}",
        f"+{code}-{a}-{b}-{c}",
    ]
    return same, [f"+{code}{number[:-1]}{last}", f"+{code}{number}{last}"]


@st.composite
def code(draw):
    prefix = draw(st.sampled_from(["TKT", "ORD", "QX"]))
    number = draw(digits(3, 6))
    same = [
        f"{prefix}-{number}",
        f"{prefix.lower()}-{number}",
        f"{prefix} {number}",
        f"{prefix.title()}_{number}",
    ]
    return same, [
        f"{prefix}-{number}0", f"{prefix}-{number[:-1]}", f"X{prefix}-{number}", f"{prefix}-{int(number) + 1}",
    ]  # fmt: skip


@st.composite
def fact(draw):
    """A fact, rewordings of it, and facts that are others."""
    pattern = draw(st.sampled_from(PATTERNS))
    at = draw(st.integers(0, len(NAMES) - 1))
    same, others = draw(st.one_of(mail(), phone(), code()))
    rewordings = [draw(reworded(pattern.format(who=NAMES[at], what=one))) for one in same]
    different = [draw(reworded(pattern.format(who=NAMES[at], what=one))) for one in others]
    different.append(draw(reworded(pattern.format(who=OTHER_NAMES[at], what=same[0]))))
    return pattern.format(who=NAMES[at], what=same[0]), rewordings, different


@st.composite
def reworded(draw, text):
    """The text with other case, spaces, marks around its words and Unicode form."""
    text = draw(st.sampled_from([str, str.upper, str.lower, str.title]))(text)
    text = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"])), text)
    before, after = draw(
        st.sampled_from([("", ""), ('"', '"'), ("* ", "."), ("(", ")"), ("", "!"), ("… ", " …")])
    )
    between = draw(st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", " \r\n "]))
    return before + text.replace(" ", between) + after


def opened(path, **options):
    plain = Settings(compare="off", junk_gate="off")
    return Glymph.open(
        f"sqlite:///{path}", clock=FrozenClock(), embedder="none", settings=plain, **options
    )


def refused(glymph, texts):
    return [glymph.add(text).refused is not None for text in texts]


def holds(path, space, words):
    """Whether any row of a space, its journal included, still has one of the texts."""
    with opened(path, space=space) as glymph:
        assert glymph.verify().ok
        everything = json.dumps(
            list(glymph._ctx.store.dump(space)), default=str, ensure_ascii=False
        )
    return [word for word in words if json.dumps(word, ensure_ascii=False)[1:-1] in everything]


@given(fact(), st.data())
@settings(max_examples=EXAMPLES // 8)
def test_a_purged_fact_stays_gone_by_every_way_and_no_other_fact_does(found, data):
    said, rewordings, different = found
    folder = Path(tempfile.mkdtemp())
    try:
        stored = data.draw(st.sampled_from([said, *rewordings]))
        with opened(folder / "m.db") as glymph:
            memory = glymph.add(stored)
            glymph.add("Ben waters the plants")
            glymph.export(folder / "e.jsonl")
            glymph.backup(folder / "b.db")
            assert purge(glymph._ctx, memory.id, tombstone=True).succeeded == (memory.id,)
            assert refused(glymph, [said, *rewordings]) == [True] * (1 + len(rewordings))
            assert all(one.refused for one in glymph.add_many([said, *rewordings]))
            assert glymph.import_(folder / "e.jsonl", space="copy").kept_out == 1
            done = restore_backup(
                folder / "b.db", folder / "r.db", in_use=glymph.url, clock=FrozenClock()
            )
            assert (done.kept_out, done.unread) == (1, None)
            assert (
                holds(folder / "m.db", "copy", [stored])
                == holds(folder / "r.db", "default", [stored])
                == []
            )
            revived = glymph.add(data.draw(st.sampled_from(rewordings)), revive=True)
            assert revived.id is not None
            assert glymph.add(said).refused is None
            glymph.undo(revived.operation_id)
        for path, space in (("m.db", "copy"), ("r.db", "default")):
            with opened(folder / path, space=space) as later:
                assert refused(later, [said, *rewordings]) == [True] * (1 + len(rewordings))
                assert refused(later, different) == [False] * len(different)
    finally:
        shutil.rmtree(folder)


@given(fact(), st.data())
@settings(max_examples=EXAMPLES // 5)
def test_a_revival_that_is_undone_leaves_the_fact_refused(found, data):
    said, rewordings, different = found
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "m.db") as glymph:
        purge(glymph._ctx, glymph.add(said).id, tombstone=True)
        revived = glymph.add(data.draw(st.sampled_from([said, *rewordings])), revive=True)
        assert refused(glymph, different) == [False] * len(different)
        glymph.undo(revived.operation_id)
        assert refused(glymph, [said, *rewordings]) == [True] * (1 + len(rewordings))
        assert refused(glymph, different) == [False] * len(different)
        assert glymph.verify().ok
