"""What lifecycle lets go, what it leaves, and the way back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.errors import InvalidInput
from glymph.moments import micros
from glymph.prune.lifecycle import lifecycle
from glymph.store.contract import Filter
from tests.grounds.pruning import image, remembered, used
from tests.grounds.reading import GradingReader

SIGNAL = "Funding on SOL turned negative for the first time in nine days"
EPISODE = (
    "Talked through the rollout of the billing service with Mira and wrote the open points down"
)
WEAK_AFTER = 16  # days until a turn summary has nearly fallen dormant; a day later it has


@pytest.fixture
def plain(url, clock):
    """A handle that stores every text as it is told."""
    settings = Settings.parse({"compare": "off", "junk_gate": "off"})
    with Glymph.open(url, clock=clock, settings=settings) as handle:
        yield handle


def run(glymph, **options):
    return lifecycle(glymph._ctx, **options)


def ids(moved):
    return [one.id for one in moved]


def consolidated(glymph, at=None):
    """As if the space had been learnt from at a moment."""
    with glymph._ctx.store.writing(glymph.space, None) as writer:
        writer.set_counter("last_consolidation_at", micros(at or glymph._ctx.now()))


def with_settings(glymph, clock, **values):
    settings = Settings.parse({"compare": "off", "junk_gate": "off", **values})
    return Glymph.open(glymph.url, clock=clock, settings=settings)


def counters(glymph):
    with glymph._ctx.reading() as reader:
        return reader.counter("last_lifecycle_at"), reader.counter(
            "newest_memory_at_last_lifecycle"
        )


# which memories


def test_a_dormant_signal_goes_after_fourteen_days_and_not_before(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=14, seconds=-1)
    assert glymph.get(memory).lifecycle == "DORMANT"
    assert run(glymph).archived == ()
    clock.advance(seconds=1)
    assert ids(run(glymph).archived) == [memory]
    assert glymph.get(memory).state == "ARCHIVED"
    assert glymph.get(memory).state_by == "lifecycle"


def test_an_episode_goes_once_it_is_dormant_and_not_while_it_is_weak(glymph, clock) -> None:
    memory = glymph.add(EPISODE, kind="turn_summary").id
    clock.advance(days=WEAK_AFTER)
    assert glymph.get(memory).retrievability > 0.8
    assert run(glymph).archived == ()
    clock.advance(days=1)
    assert glymph.get(memory).retrievability < 0.8
    assert ids(run(glymph).archived) == [memory]


def test_a_use_starts_the_fourteen_days_anew(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=13)
    used(glymph, memory)
    clock.advance(days=13)
    assert run(glymph).archived == ()


def test_pinned_protected_and_lasting_memories_stay(glymph, clock) -> None:
    pinned = glymph.add(SIGNAL, kind="signal", pinned=True).id
    goal = glymph.add(
        "Bring the cost of funding under two per cent",
        kind="goal",
        expires_at=clock() + timedelta(1),
    )
    clock.advance(days=700)
    assert run(glymph).archived == ()
    assert glymph.get(pinned).state == "LIVE"
    assert glymph.get(goal.id).state == "LIVE"


def test_the_reason_is_in_the_history_of_the_memory(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=20)
    done = run(glymph)
    assert "unused for 20 days" in done.archived[0].reason
    newest = next(change for change in glymph.history(memory) if change.verb == "lifecycle")
    assert newest.reason == done.archived[0].reason


def linked(glymph, target, count, kind="user_linked"):
    notes = remembered(glymph, count, word=f"Note for {target[-4:]}")
    for note in notes:
        glymph.link(note, target, type=kind)


@pytest.mark.parametrize(("links", "stays"), [(50, False), (51, True)])
def test_what_many_point_at_is_central_and_stays(plain, clock, links, stays) -> None:
    memory = plain.add(SIGNAL, kind="signal").id
    hub = plain.add("The desk trades only liquid pairs", kind="goal").id
    linked(plain, hub, 100)
    linked(plain, memory, links)
    clock.advance(days=20)
    done = run(plain)
    assert (plain.get(memory).state == "LIVE") is stays
    assert done.kept_central == int(stays)


@pytest.mark.parametrize("kind", ["supersedes", "similar_to", "contradicts"])
def test_links_that_say_it_is_replaced_or_repeated_do_not_make_it_central(
    plain, clock, kind
) -> None:
    memory = plain.add(SIGNAL, kind="signal").id
    linked(plain, memory, 3, kind)
    clock.advance(days=20)
    assert ids(run(plain).archived) == [memory]


def test_links_from_what_is_not_live_do_not_make_it_central(plain, clock) -> None:
    memory = plain.add(SIGNAL, kind="signal").id
    linked(plain, memory, 2)
    clock.advance(days=10)
    plain.archive([one.id for one in plain.list().items if one.kind == "note"])
    clock.advance(days=20)
    assert ids(run(plain).archived) == [memory]


# second reasons


def knowledge(glymph, count=30, kind="fact"):
    """So many facts that tell much, of which none repeats another."""
    places = "Oslo Lima Quito Accra Hanoi Turin Malmo Porto Bergen Graz Basel Cadiz Kyoto Perth Davao".split()
    names = "Abena Bogdan Chiara Dilnoza Edgar Fatima Goran Hulda Imre Jolanta".split()
    texts = [
        f"I met {names[n % 10]} in {places[n % 15]} on 3 March {1990 + n} about contract {7000 + n * 37}"
        for n in range(count)
    ]
    return [one.id for one in glymph.add_many([{"text": text, "kind": kind} for text in texts])]


def test_knowledge_that_only_faded_stays(plain, clock) -> None:
    facts = knowledge(plain)
    clock.advance(days=720)
    done = run(plain)
    assert plain.get(facts[0]).lifecycle == "DORMANT"
    assert done.archived == ()


@pytest.fixture
def graded(url, clock):
    """A handle with a reader that grades."""
    settings = Settings.parse({"compare": "off", "junk_gate": "off"})
    with Glymph.open(url, clock=clock, settings=settings, reader=GradingReader()) as handle:
        yield handle


def test_noise_and_what_was_true_for_a_while_go_and_nothing_else(graded, clock) -> None:
    texts = [f"{word} words about thing {n}" for word in GradingReader.words for n in range(3)]
    added = [graded.add(text, kind="fact").id for text in texts]
    clock.advance(days=720)
    done = run(graded)
    assert set(ids(done.archived)) == set(added[:6])
    assert all("for a while only" in one.reason for one in done.archived)


def test_what_might_be_vital_does_not_go_for_what_it_says_alone(graded, clock) -> None:
    graded.add("Perhaps words about a rail that holds nobody", kind="fact")
    clock.advance(days=720)
    assert run(graded).archived == ()


def test_what_is_vital_stays_whatever_rules_say(graded, clock) -> None:
    vital = graded.add("Vital words in a passing remark", kind="event").id
    other = graded.add("Lasting words in a passing remark", kind="event").id
    clock.advance(days=40)
    done = run(graded)
    assert ids(done.archived) == [other]
    assert done.kept_as_vital == 1
    assert graded.get(vital).state == "LIVE"
    graded.archive([vital])  # somebody who says so may
    assert graded.get(vital).state == "ARCHIVED"


def test_what_was_replaced_goes_though_it_was_vital(graded, clock) -> None:
    old = graded.add("Vital dose of 5 mg", kind="fact").id
    new = graded.add("Vital dose of 10 mg", kind="fact").id
    graded.link(new, old, "supersedes")
    clock.advance(days=720)
    assert ids(run(graded).archived) == [old]


def test_a_grade_is_read_once_for_each_wording(graded, clock) -> None:
    memory = graded.add("Lasting words", kind="fact").id
    clock.advance(days=720)
    run(graded, dry_run=True)
    run(graded)
    assert graded._ctx.reader.asked == ["Lasting words"] * 2  # a dry run keeps nothing
    run(graded)
    assert len(graded._ctx.reader.asked) == 2
    graded.update(memory, text="Noise words")
    clock.advance(days=720)
    assert ids(run(graded).archived) == [memory]
    assert graded._ctx.reader.asked[2:] == ["Noise words"]
    assert graded.meaning().others == ()  # grades are no vectors of another model


def test_without_a_reader_no_knowledge_goes_for_what_it_says(plain, clock) -> None:
    added = [plain.add(text, kind="fact").id for text in ("ok then", "I have epilepsy.")]
    clock.advance(days=720)
    assert run(plain).archived == ()
    assert all(plain.get(one).state == "LIVE" for one in added)


def only_reason(glymph, clock, memory, days=720):
    clock.advance(days=days)
    done = run(glymph)
    assert memory in ids(done.archived)
    return next(one.reason for one in done.archived if one.id == memory).partition("; ")[2]


def test_expired_knowledge_goes(plain, clock) -> None:
    memory = plain.add(
        "The office key is at the porter's", kind="fact", expires_at=clock() + timedelta(days=30)
    ).id
    assert only_reason(plain, clock, memory) == "it has expired"


def test_superseded_knowledge_goes(plain, clock) -> None:
    memory = plain.add("The office is in Vienna", kind="fact").id
    plain.supersede(memory, "The office is in Graz since the move")
    assert only_reason(plain, clock, memory) == "a newer statement has replaced it"


def test_knowledge_that_another_memory_says_as_well_goes_and_that_other_stays(plain, clock) -> None:
    short = plain.add("The porter keeps the key of the archive", kind="fact").id
    long = plain.add("The porter keeps the key of the archive in the blue drawer", kind="fact").id
    assert only_reason(plain, clock, short) == f"{long} says it as well"
    assert plain.get(long).state == "LIVE"


def test_a_reason_outlives_the_purge_of_the_memory_it_names(plain, clock) -> None:
    short = plain.add("The porter keeps the key of the archive", kind="fact").id
    long = plain.add("The porter keeps the key of the archive in the blue drawer", kind="fact").id
    why = only_reason(plain, clock, short)
    plain.delete([long])
    clock.advance(days=30)
    assert run(plain).purged == 1
    assert next(c for c in plain.history(short) if c.verb == "lifecycle").reason.endswith(why)


def test_a_number_or_a_denial_that_the_other_lacks_keeps_it(plain, clock) -> None:
    kept = [
        plain.add("The porter keeps 4 keys of the archive", kind="fact").id,
        plain.add("The porter keeps 5 keys of the archive in the blue drawer", kind="fact").id,
        plain.add("The landlord allows dogs in the garden", kind="fact").id,
        plain.add("The landlord never allows dogs in the garden at night", kind="fact").id,
    ]
    clock.advance(days=720)
    run(plain)
    assert [plain.get(one).state for one in kept] == ["LIVE"] * 4


def test_of_copies_one_stays(plain, clock) -> None:
    text = "The porter keeps the key of the archive"
    first = plain.add(text, kind="fact").id
    second = plain.add(f"{text}!", kind="fact").id
    clock.advance(days=720)
    for _ in range(3):
        run(plain)
        clock.advance(days=1)
    assert sorted(plain.get(one).state for one in {first, second}) == ["ARCHIVED", "LIVE"]


@pytest.mark.parametrize(("days", "goes"), [(299, False), (300, True)])
def test_knowledge_past_its_kinds_retention_goes(plain, clock, days, goes) -> None:
    memory = plain.add("The porter keeps the key of the archive", kind="fact").id
    clock.advance(days=days)
    with with_settings(plain, clock, retention="fact=300, note=10") as handle:
        done = run(handle)
    assert (memory in ids(done.archived)) is goes
    if goes:
        assert "retention" in done.archived[0].reason


def test_retention_takes_nothing_that_has_not_faded(plain, clock) -> None:
    plain.add("The porter keeps the key of the archive", kind="fact")
    clock.advance(days=60)
    with with_settings(plain, clock, retention="fact=30") as handle:
        assert run(handle).archived == ()


@pytest.mark.parametrize(
    "text", ["fact", "fact=", "=3", "fact=x", "fact=0", "fact=1.5", "fact=3, fact=4"]
)
def test_a_retention_that_makes_no_sense_is_refused(plain, clock, text) -> None:
    with (
        with_settings(plain, clock, retention=text) as handle,
        pytest.raises(InvalidInput, match="retention"),
    ):
        run(handle)


# outcomes wait


def test_an_episode_with_an_outcome_waits_for_one_consolidation(glymph, clock) -> None:
    trade = glymph.add(
        "Closed SOL long at 98.4 for 3.1 per cent", kind="trade_close", attributes={"pnl_pct": 3.1}
    ).id
    entry = glymph.add(
        "Opened SOL long at 95.4 on volume", kind="trade_entry", attributes={"symbol": "SOL"}
    ).id
    clock.advance(days=60)
    done = run(glymph)
    assert ids(done.archived) == [entry]
    assert done.waiting == 1
    consolidated(glymph)
    assert ids(run(glymph).archived) == [trade]


def test_a_consolidation_before_its_time_does_not_count(glymph, clock) -> None:
    consolidated(glymph)
    trade = glymph.add(
        "Closed SOL long at 98.4 for 3.1 per cent",
        kind="trade_close",
        attributes={"outcome": "win"},
    )
    clock.advance(days=60)
    done = run(glymph)
    assert (done.archived, done.waiting) == ((), 1)
    assert glymph.get(trade.id).state == "LIVE"


def test_the_last_evidence_of_a_live_lesson_stays(plain, clock) -> None:
    episodes = remembered(plain, 3, word="Trade", kind="turn_summary")
    lesson = plain.add(
        "I exit breakouts too early",
        kind="lesson",
        links=[(one, "generalizes") for one in episodes],
    )
    goal = plain.add("Hold breakouts for a day", kind="goal").id
    linked(plain, goal, 4)
    clock.advance(days=40)
    done = run(plain)
    assert len(done.archived) == 2
    assert done.kept_as_evidence == 1
    assert plain.get(lesson.id).state == "LIVE"


# caps


def test_the_cap_of_a_run_and_of_a_day_bites_and_says_so(plain, clock) -> None:
    remembered(plain, 40, word="Signal", kind="signal")
    clock.advance(days=20)
    done = run(plain)
    assert len(done.archived) == 10
    assert (done.cap, done.held_back) == (10, 30)
    again = run(plain)
    assert (len(again.archived), again.held_back) == (0, 30)
    clock.advance(days=1, seconds=1)
    assert len(run(plain).archived) == 10


def test_the_least_retrievable_go_first(plain, clock) -> None:
    newer = None
    older = remembered(plain, 10, word="Early signal", kind="signal")
    clock.advance(days=5)
    newer = remembered(plain, 10, word="Late signal", kind="signal")
    clock.advance(days=20)
    assert set(ids(run(plain).archived)) == set(older)
    assert all(plain.get(one).state == "LIVE" for one in newer)


def test_more_than_one_transaction_takes_is_one_operation(plain, clock, monkeypatch) -> None:
    monkeypatch.setattr("glymph.prune.lifecycle.AT_ONCE", 4)
    remembered(plain, 10, word="Signal", kind="signal")
    clock.advance(days=20)
    before = image(plain)
    done = run(plain)
    assert len(done.archived) == 10
    (operation,) = done.operation_ids
    plain.undo(operation)
    assert image(plain) == before


def test_every_memory_has_its_turn_to_be_read(graded, clock, monkeypatch) -> None:
    monkeypatch.setattr("glymph.prune.lifecycle_select.READ", 7)
    graded.add_many([{"text": f"Lasting word {n}", "kind": "fact"} for n in range(20)])
    bland = graded.add("Noise then", kind="fact").id
    clock.advance(days=720)
    runs = []
    while graded.get(bland).state == "LIVE" and len(runs) < 4:
        runs.append(run(graded))
    assert runs[0].unread == 14
    assert graded.get(bland).state == "ARCHIVED"


# what people did


def test_what_somebody_restored_is_left_alone_for_fourteen_days(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=20)
    run(glymph)
    glymph.restore([memory])
    clock.advance(days=14, seconds=-1)
    assert run(glymph).archived == ()
    clock.advance(seconds=1)
    assert ids(run(glymph).archived) == [memory]


def test_what_was_undone_or_edited_is_left_alone_for_fourteen_days(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    other = glymph.add("Open interest on ETH fell by a third", kind="signal").id
    clock.advance(days=20)
    done = run(glymph)
    glymph.undo(done.operation_ids[0])
    glymph.update(other, tags=["eth"])
    clock.advance(days=13)
    assert run(glymph).archived == ()
    clock.advance(days=1)
    assert set(ids(run(glymph).archived)) == {memory, other}


def test_undo_gives_back_exactly_what_there_was(plain, clock) -> None:
    remembered(plain, 8, word="Signal", kind="signal")
    knowledge(plain, 25)
    clock.advance(days=720)
    before = image(plain)
    done = run(plain)
    assert len(done.archived) >= 8
    plain.undo(done.operation_ids[0])
    assert image(plain) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(plain, clock) -> None:
    remembered(plain, 8, word="Signal", kind="signal")
    clock.advance(days=30)
    before, operations = image(plain), plain.operations()
    told = run(plain, dry_run=True)
    assert image(plain) == before
    assert plain.operations() == operations
    assert counters(plain) == (None, None)
    assert told.dry_run
    done = run(plain)
    assert (done.archived, done.held_back) == (told.archived, told.held_back)


# the trash


def archived_by(glymph, verb, ids):
    with glymph._ctx.operation(verb) as op:
        rows = op.writer.standing_of(ids)
        op.writer.set_state(
            [row["key"] for row in rows.values()], state="ARCHIVED", at=op.now, by=verb
        )


def test_x2_nothing_is_archived_and_trashed_in_one_run_however_old(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=2_000)
    done = run(glymph)
    assert ids(done.archived) == [memory]
    assert done.trashed == ()


def test_x9_what_lifecycle_archived_goes_to_the_trash_after_thirty_days_and_not_before(
    glymph, clock
) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=20)
    run(glymph)
    clock.advance(days=30, seconds=-1)
    assert run(glymph).trashed == ()
    clock.advance(seconds=1)
    before = image(glymph)
    done = run(glymph)
    assert ids(done.trashed) == [memory]
    assert done.recoverable_until == clock() + timedelta(days=30)
    assert glymph.get(memory).state_by == "lifecycle_trash"
    assert (
        "30 days ago"
        in next(c for c in glymph.history(memory) if c.verb == "lifecycle_trash").reason
    )
    glymph.undo(done.operation_ids[-1])
    assert image(glymph) == before


def test_trash_is_purged_when_it_has_expired_and_not_before(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    mine = glymph.add("Open interest on ETH fell by a third", kind="signal").id
    clock.advance(days=20)
    run(glymph)
    glymph.restore([mine])
    clock.advance(days=30)
    glymph.delete([mine])
    run(glymph)
    clock.advance(days=29)
    assert run(glymph).purged == 0
    assert run(glymph, dry_run=True).purged == 0
    clock.advance(days=1)
    assert run(glymph, dry_run=True).purged == 2
    assert run(glymph).purged == 2
    with glymph._ctx.reading() as reader:
        assert reader.memories([memory, mine]) == {}


@pytest.mark.parametrize("how", ["archive", "plan", "tool"])
def test_what_a_person_a_tool_or_a_plan_archived_is_never_moved(glymph, clock, how) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=5)
    if how == "archive":
        glymph.archive([memory])
    elif how == "tool":
        glymph.batch_prune([memory], "archive")
    else:
        glymph.prune(glymph.analyze(min_staleness=0, include_isolated=True))
    assert glymph.get(memory).state == "ARCHIVED"
    clock.advance(days=365)
    assert run(glymph).trashed == ()


def test_what_ai_prune_archived_goes_to_the_trash_after_thirty_days(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    archived_by(glymph, "ai_prune", [memory])
    clock.advance(days=29)
    assert run(glymph).trashed == ()
    clock.advance(days=1)
    assert ids(run(glymph).trashed) == [memory]


def test_knowledge_stays_in_the_archive_unless_a_retention_says_otherwise(plain, clock) -> None:
    memory = plain.add("The porter keeps the key of the archive", kind="fact").id
    archived_by(plain, "ai_prune", [memory])
    clock.advance(days=300)
    assert run(plain).trashed == ()
    with with_settings(plain, clock, retention="fact=301") as handle:
        assert run(handle).trashed == ()
    with with_settings(plain, clock, retention="fact=300") as handle:
        assert ids(run(handle).trashed) == [memory]


def test_restored_and_then_archived_by_a_person_stays(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    archived_by(glymph, "lifecycle", [memory])
    glymph.restore([memory])
    glymph.archive([memory])
    clock.advance(days=100)
    assert run(glymph).trashed == ()


def test_what_was_changed_in_the_archive_stays_for_thirty_more_days(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    archived_by(glymph, "lifecycle", [memory])
    clock.advance(days=20)
    restored = glymph.restore([memory])
    glymph.undo(restored.operation_id)
    clock.advance(days=20)
    assert run(glymph).trashed == ()
    clock.advance(days=10)
    assert ids(run(glymph).trashed) == [memory]


def test_what_a_live_memory_rests_on_stays_in_the_archive(plain, clock) -> None:
    episodes = remembered(plain, 2, word="Trade", kind="turn_summary")
    plain.add("I exit breakouts too early", kind="lesson", links=[(episodes[0], "generalizes")])
    archived_by(plain, "lifecycle", episodes)
    clock.advance(days=40)
    done = run(plain)
    assert ids(done.trashed) == [episodes[1]]
    assert done.kept_as_evidence == 1


def test_the_trash_has_a_cap_of_its_own_and_says_so(plain, clock) -> None:
    archived_by(plain, "lifecycle", remembered(plain, 25, word="Signal", kind="signal"))
    clock.advance(days=30)
    done = run(plain)
    assert (len(done.trashed), done.trash_held_back) == (10, 15)
    assert run(plain).trashed == ()
    clock.advance(days=1, seconds=1)
    assert len(run(plain).trashed) == 10


# when


def test_it_runs_if_needed_at_first_after_two_hours_and_when_something_was_added(
    glymph, clock
) -> None:
    assert run(glymph, if_needed=True).why == "it never ran"
    assert not run(glymph, if_needed=True).ran
    clock.advance(hours=2, seconds=-1)
    assert not run(glymph, if_needed=True).ran
    clock.advance(seconds=1)
    assert run(glymph, if_needed=True).ran
    glymph.add(SIGNAL, kind="signal")
    assert "added" in run(glymph, if_needed=True).why
    assert not run(glymph, if_needed=True).ran
    assert run(glymph).ran


def test_unattended_runs_empty_the_trash_once_a_day_and_one_that_is_asked_for_at_once(
    glymph, clock
) -> None:
    ids_of = [glymph.add(f"{SIGNAL} no {n}", kind="signal").id for n in range(3)]
    for memory in ids_of:
        glymph.delete([memory])
        clock.advance(hours=3)
    clock.advance(days=30, hours=-9)
    assert [run(glymph, if_needed=True).purged] == [1]
    clock.advance(hours=3)
    assert run(glymph, if_needed=True).purged == 0
    assert run(glymph).purged == 1
    clock.advance(days=1)
    assert run(glymph, if_needed=True).purged == 1


def test_unattended_runs_read_texts_once_a_day(plain, clock) -> None:
    plain.add("The porter keeps the key of the archive in the blue drawer", kind="fact")
    clock.advance(days=720)
    assert run(plain, if_needed=True).unread == 0
    clock.advance(hours=3)
    assert run(plain, if_needed=True).unread == 1
    assert run(plain).unread == 0
    clock.advance(days=1)
    assert run(plain, if_needed=True).unread == 0


def test_a_dry_run_does_not_count_as_a_run(glymph) -> None:
    run(glymph, dry_run=True)
    assert run(glymph, if_needed=True).why == "it never ran"


def test_x1_running_often_fades_nothing_faster(glymph, clock) -> None:
    memory = glymph.add(EPISODE, kind="turn_summary").id
    for _ in range(2 * WEAK_AFTER):
        clock.advance(hours=12)
        run(glymph)
    found = glymph.get(memory)
    assert (found.state, found.stability, found.access_count) == ("LIVE", 7.0, 0)
    assert found.retrievability > 0.8


def test_a_run_that_was_cut_short_is_made_up_for_by_the_next(plain, clock, monkeypatch) -> None:
    moved = remembered(plain, 6, word="Signal", kind="signal")
    clock.advance(days=20)

    def cut(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("glymph.prune.lifecycle_select.allowance", lambda place, reader: 10)
        patch.setattr("glymph.prune.lifecycle_select.trash_allowance", cut)
        with pytest.raises(KeyboardInterrupt):
            run(plain)
    assert counters(plain) == (None, None)
    assert set(ids(run(plain, if_needed=True).archived)) == set(moved)


def test_a_use_between_choosing_and_moving_saves_a_memory(plain, clock, monkeypatch) -> None:
    first, second = remembered(plain, 2, word="Signal", kind="signal")
    clock.advance(days=20)
    from glymph.prune import lifecycle as module

    told = module._describe_run

    def meanwhile(*args, **options):
        used(plain, first)
        return told(*args, **options)

    monkeypatch.setattr(module, "_describe_run", meanwhile)
    assert ids(run(plain).archived) == [second]
    with plain._ctx.reading() as reader:
        assert len(reader.page(Filter(kinds=("signal",)), before=None, limit=9)) == 1


def test_what_was_used_stays_for_three_of_its_stabilities(glymph, clock) -> None:
    memory = glymph.add(SIGNAL, kind="signal").id
    clock.advance(days=2)
    used(glymph, memory)
    days = 3 * glymph.get(memory).stability
    assert days > 14
    clock.advance(days=days - 0.01)
    assert glymph.get(memory).lifecycle == "DORMANT"
    assert run(glymph).archived == ()
    clock.advance(days=0.02)
    assert ids(run(glymph).archived) == [memory]
