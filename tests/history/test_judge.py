"""What a reader's judgement keeps of a conversation, and what rules keep against it."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.history.compaction import Said, extract_points
from glymph.history.history import History
from glymph.history.judge import BATCH, MOST, ReaderJudge
from glymph.history.policy import HistorySettings
from glymph.reader.contract import Judgement
from glymph.reader.no_reader import NoReader
from glymph.reader.wording import KEEPINGS, WORTHS
from glymph.text.words import count_words

TALK = "Das lädt heute ziemlich langsam und die Vögel draußen sind laut."
NUTS = "Unsere Kleine verträgt keine Haselnüsse."


def share_out(words, kind, sure):
    shares = [0.0] * len(words)
    shares[words.index(kind)] = sure
    shares[0] += 1 - sure
    return Judgement(kind, sure, tuple(shares))


class Judging(NoReader):
    """Holds sentences with one of some words to be worth keeping, in the form that it gives."""

    name = "judging"

    def __init__(self, **forms):
        self.forms, self.graded, self.sifted = forms, [], []

    def find_form(self, text):
        return next((form for word, form in self.forms.items() if word in text), "none")

    def grade(self, texts):
        self.graded += texts
        known = [self.find_form(text) != "none" for text in texts]
        return [share_out(WORTHS, "lasting" if one else "noise", 0.95) for one in known]

    def sift(self, sentences):
        self.sifted += sentences
        return [share_out(KEEPINGS, self.find_form(one.text), 0.95) for one in sentences]


def judged(reader, *said, budget=30, **options):
    several = [Said(role, text, None, role != "user") for role, text in said]
    judge = ReaderJudge(reader, 60.0, **options)
    return [point.text for point in extract_points(several, budget, judge)]


def test_a_conversation_keeps_what_its_reader_holds_to_be_worth_it_in_any_language(tmp_path):
    spoken = [NUTS, *(f"{TALK} {'so ' * at}" for at in range(30))]
    with Glymph.open(f"sqlite:///{tmp_path}/m.db", reader=Judging(Haselnüsse="alone")) as glymph:
        history = History(tmp_path / "h", glymph, settings={"extract_ratio": 0.02})
        history.append("s", *({"role": "user", "content": text} for text in spoken))
        history.append("s", *({"role": "user", "content": "Weiter. " * 8000} for _ in range(2)))
        done = history.consolidate("s")
        assert done.by == "reader"
        assert NUTS in history.summary("s")


def test_no_seconds_leave_it_to_rules(tmp_path):
    reader = Judging(Haselnüsse="alone")
    with Glymph.open(f"sqlite:///{tmp_path}/m.db", reader=reader) as glymph:
        settings = {"unit": "messages", "consolidation_threshold": 5, "reader_seconds": 0}
        history = History(tmp_path / "h", glymph, settings=settings)
        history.append("s", *({"role": "user", "content": NUTS} for _ in range(9)))
        assert history.consolidate("s").by == "rules"
    assert reader.graded == reader.sifted == []


@pytest.mark.parametrize("seconds", [-1, "1", True, None, float("nan")])
def test_seconds_are_a_number_from_0_up(seconds):
    with pytest.raises(InvalidInput, match="reader_seconds"):
        HistorySettings(reader_seconds=seconds)


@pytest.mark.parametrize(
    "exact",
    [
        "Die Rechnung RE-2024-0815 liegt bei Anna.",
        "La reunión es el 14 de mayo de 2026.",
        "Le réservoir contient 450 litres.",
        "Schreib an anna.berg@example.com, bitte.",
        "We decided to keep the old gateway.",
    ],
)
def test_a_reader_alone_drops_no_identifier_date_quantity_or_decision(exact):
    talk = [("user", f"{TALK} {'wirklich ' * at}") for at in range(6)]
    assert exact in judged(Judging(), ("user", exact), *talk, budget=20)


def test_an_answer_is_kept_with_its_question():
    reader = Judging(dunkle="answering")
    talk = [("assistant", "Welche Farben soll sie haben?"), ("user", "Nimm dunkle, danke.")]
    assert judged(reader, ("user", TALK), *talk, budget=20) == [
        "Welche Farben soll sie haben?",
        "Nimm dunkle, danke.",
    ]


def test_a_short_answer_that_rules_would_pass_over_is_judged_behind_a_question():
    reader = Judging(lways="answering")
    talk = [("assistant", "Shall I squash commits?"), ("user", "yes, always")]
    assert judged(reader, *talk)[-1] == "Always"


def test_what_goes_on_is_kept_with_the_sentence_before_it():
    reader = Judging(Den="continued")
    said = f"{TALK} Der Planer läuft auf Rechner Nord. Den startet tagsüber keiner neu."
    assert judged(reader, ("user", said), budget=24) == [
        "Der Planer läuft auf Rechner Nord. Den startet tagsüber keiner neu."
    ]


def test_an_agents_words_need_more_certainty_and_are_judged_last():
    reader = Judging(Haselnüsse="alone")
    judged(reader, ("assistant", "Haselnüsse sind notiert worden."), ("user", NUTS))
    assert [one.role for one in reader.sifted] == ["user", "assistant"]
    assert reader.graded == [NUTS]


def test_it_ends_when_its_time_is_over_and_shares_it_among_the_parts():
    now = [0.0]

    class Slow(Judging):
        def grade(self, texts):
            now[0] += len(texts)  # a second each
            return super().grade(texts)

    reader = Slow()
    judge = ReaderJudge(reader, 20.0, parts=2, clock=lambda: now[0])
    several = [Said("user", f"Annika bringt Kiste {'x' * at} nach Bergen.") for at in range(99)]
    extract_points(several, 50, judge)
    assert 10 <= len(reader.graded) < 10 + BATCH
    extract_points(several, 50, judge)
    assert 20 <= len(reader.graded) < 20 + BATCH
    assert judge.judged == len(reader.graded)
    extract_points(several, 50, judge)
    assert len(reader.graded) < 20 + BATCH, "no time is left"


def test_no_more_than_so_many_sentences_are_judged():
    reader = Judging()
    several = [Said("user", f"Annika bringt Kiste {at} nach Bergen.") for at in range(MOST + 50)]
    extract_points(several, 50, ReaderJudge(reader, 60.0))
    assert len(reader.graded) == MOST


def test_a_reader_that_cannot_tell_leaves_it_to_rules():
    several = [Said("user", NUTS), Said("user", "My sister Annika is allergic to peanuts.")]
    judge = ReaderJudge(NoReader(), 60.0)
    assert extract_points(several, 60, judge) == extract_points(several, 60)
    assert judge.judged == 0


def test_words_are_counted_in_scripts_without_spaces_too():
    assert count_words("two words") == 2
    assert count_words("- 2026-03-01 user: 倉庫の鍵") == 5
    assert count_words("") == 0
