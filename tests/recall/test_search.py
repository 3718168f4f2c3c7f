"""What a search finds and in which order.

Words, meaning, names, sessions, links, standing, filters.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.decay.sections import KINDS
from glymph.recall import channels
from glymph.testing import FrozenClock, strategies
from glymph.testing.embedders import WordEmbedder

WIDE = 4096  # dimensions in which words do not meet by accident
EMBEDDERS = {"text only": lambda: "none", "hybrid": lambda: WordEmbedder(WIDE, ms=0.0)}


@pytest.fixture(params=EMBEDDERS)
def store(request, url, clock):
    """A handle with and one without an embedding model."""
    with Glymph.open(url, clock=clock, embedder=EMBEDDERS[request.param]()) as handle:
        yield handle


@pytest.fixture
def hybrid(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)) as handle:
        yield handle


def ids(hits):
    return [hit.memory.id for hit in hits]


def hit_of(hits, memory_id):
    return next(hit for hit in hits if hit.memory.id == memory_id)


def supersede(handle, old, new):
    with handle._ctx.operation("supersede") as op:
        op.writer.change("memories", {op.row(old)["key"]: {"superseded_by": new}})


def chain(handle, length, edge_type="user_linked"):
    """Memories of which each is linked to the next, and only the first speaks of the lighthouse."""
    names = [handle.add("The lighthouse keeper retired").id]
    for number in range(length):
        names.append(handle.add(f"Statement {'abcdefgh'[number] * 3} of its own").id)
        handle.link(names[-2], names[-1], edge_type)
    return names


# links


def test_what_only_a_link_leads_to_is_found_with_the_way_there(store):
    fire = store.add("The Lisbon office burned down")
    policy = store.add("Insurance number 4711 pays for everything")
    assert ids(store.search("Lisbon office")) == [fire.id]
    store.link(fire.id, policy.id, "caused_by")
    hits = store.search("Lisbon office")
    assert ids(hits) == [fire.id, policy.id]
    brought = hits[1]
    assert brought.parts["links"] == pytest.approx(0.8 * 0.8)
    assert "keyword" not in brought.parts
    assert "semantic" not in brought.parts
    assert "'The Lisbon office burned down' → caused_by (0.80) → this" in brought.why
    store.unlink(fire.id, policy.id, "caused_by")
    assert ids(store.search("Lisbon office")) == [fire.id]


def test_activation_goes_against_the_direction_of_a_link_too(store):
    lesson = store.add("Never trade the news", kind="lesson")
    episode = store.add("Loss of 4 percent", kind="event", links=[])
    store.link(lesson.id, episode.id, "generalizes")
    assert ids(store.search("Loss percent")) == [episode.id, lesson.id]
    assert ids(store.search("trade news")) == [lesson.id, episode.id]


def test_activation_reaches_three_hops_and_no_further(store):
    names = chain(store, 4)
    hits = store.search("lighthouse keeper")
    assert ids(hits) == names[:4]
    assert [hit.parts["links"] for hit in hits[1:]] == pytest.approx([0.72, 0.72**2, 0.72**3])
    assert (
        "'Statement aaa of its own' → user_linked (0.90) → 'Statement bbb of its own'"
        in hits[3].why
    )


def test_a_stronger_link_lifts_higher(store):
    seed = store.add("The lighthouse keeper retired")
    weak, strong = store.add("first of two").id, store.add("second of two").id
    store.link(seed.id, weak, "related_to", 0.4)
    store.link(seed.id, strong, "related_to", 0.9)
    assert ids(store.search("lighthouse")) == [seed.id, strong, weak]


def test_links_fade_by_half_in_ninety_days_unless_they_last(store, clock):
    seed = store.add("The lighthouse keeper retired")
    fading, lasting = store.add("first of two").id, store.add("second of two").id
    store.link(seed.id, fading, "related_to", 0.8)
    store.link(seed.id, lasting, "derived_from", 0.8)
    clock.advance(days=90)
    hits = store.search("lighthouse")
    assert hit_of(hits, fading).parts["links"] == pytest.approx(0.4 * 0.8)
    assert hit_of(hits, lasting).parts["links"] == pytest.approx(0.8 * 0.8)
    assert "(0.40)" in hit_of(hits, fading).why
    clock.advance(days=900)  # under the floor
    assert ids(store.search("lighthouse")) == [seed.id, lasting]


@pytest.mark.parametrize("hiding", ["archive", "delete", "supersede", "expire"])
def test_a_hidden_memory_passes_nothing_on(store, clock, hiding):
    first, bridge, last = chain(store, 2)
    assert ids(store.search("lighthouse")) == [first, bridge, last]
    if hiding == "supersede":
        supersede(store, bridge, first)
    elif hiding == "expire":
        store.update(bridge, expires_at=clock.now + timedelta(hours=1))
        clock.advance(hours=2)
    else:
        getattr(store, hiding)(bridge)
    assert ids(store.search("lighthouse")) == [first]
    if hiding == "archive":
        assert ids(store.search("lighthouse", states=["LIVE", "ARCHIVED"])) == [first, bridge, last]


def test_activation_ends_in_a_circle_and_visits_each_memory_once(store):
    names = chain(store, 2)
    store.link(names[-1], names[0])
    hits = store.search("lighthouse keeper retired")
    assert sorted(ids(hits)) == sorted(names)
    assert [hit.parts["links"] for hit in hits[1:]] == pytest.approx([0.72, 0.72])
    assert "links" not in hits[0].parts  # nothing comes back to where it began


def test_a_link_between_two_finds_speaks_for_both(store):
    a, b, c = (store.add(f"the lighthouse has a {word}").id for word in ("door", "roof", "lamp"))
    store.link(b, c)
    hits = store.search("lighthouse")
    assert ids(hits)[-1] == a
    assert "links" in hit_of(hits, b).parts
    assert "links" in hit_of(hits, c).parts


def test_a_hub_of_two_thousand_links_is_bounded(glymph):
    hub = glymph.add("The lighthouse keeper retired")
    glymph.add_many(
        [{"text": f"thing {n}", "links": [(hub.id, "related_to")]} for n in range(2000)]
    )
    glymph.search("something else")  # the mirror is made
    hits = glymph.search("lighthouse", limit=1000)
    assert len(hits) == 500
    assert hits[0].memory.id == hub.id


# names


def conversation(handle):
    """Two people take turns; who speaks is a field."""
    turns = [
        ("Nate", "I finally adopted a puppy from the shelter"),
        ("Joanna", "How lovely, what is the little one called?"),
        ("Nate", "Max, after my grandfather"),
        ("Joanna", "My screenplay was rejected again"),
        ("Joanna", "Bye Nate!"),
        ("Nate", "Bye, see you soon"),
    ]
    return [handle.add(text, entities=[who], session="s", kind="event").id for who, text in turns]


def test_a_question_about_somebody_is_not_answered_by_a_greeting_to_them(store):
    turns = conversation(store)
    hits = store.search("What did Nate adopt?")
    assert hits[0].memory.id == turns[0]
    assert hits[0].parts["affinity"] == 1.0
    assert "it is about Nate" in hits[0].why
    greeting = [hit for hit in hits if hit.memory.id == turns[4]]
    assert all("affinity" not in hit.parts and hit.score < hits[0].score / 2 for hit in greeting)
    assert store.search("Was Joanna's screenplay rejected?")[0].memory.id == turns[3]


def test_a_common_name_is_not_embedded_and_a_rare_one_is(hybrid):
    conversation(hybrid)
    hybrid.search("What is Nate's puppy called?")
    assert hybrid._ctx.embedding.embedder.calls[-1] == ["What is puppy called?"]
    hybrid.add_many([f"filler number {n}" for n in range(300)])
    hybrid.search("Where is Nate's puppy?")
    assert hybrid._ctx.embedding.embedder.calls[-1] == ["Where is Nate's puppy?"]


def test_a_query_that_is_only_a_name_finds_what_is_about_it(store):
    turns = conversation(store)
    assert {turns[0], turns[2], turns[5]} <= set(ids(store.search("Nate")))
    assert {turns[0], turns[2], turns[5]} <= set(ids(store.search("NATE'S")))


def test_names_of_several_words_and_names_that_begin_alike_are_told_apart(store):
    york = store.add("the flat is too small", entities=["New York"])
    deal = store.add("the flat rate was agreed", entities=["New Deal"])
    anne = store.add("the flat in the north", entities=["Mary Anne O'Brien"])
    hits = store.search("how big is the flat in New York?")
    assert hits[0].memory.id == york.id
    assert "affinity" in hits[0].parts
    assert "affinity" not in hit_of(hits, deal.id).parts
    assert store.search("the flat of Mary Anne O’Brien")[0].memory.id == anne.id
    assert "affinity" not in hit_of(store.search("a new flat"), york.id).parts


def test_an_entity_that_was_taken_away_no_longer_counts(store):
    kept, changed = (
        store.add(f"the {word} puppy", entities=["Nate"]).id for word in ("brown", "white")
    )
    assert all("affinity" in hit.parts for hit in store.search("puppy of Nate"))
    operation = store.update(changed, entities=["Joanna"])
    hits = store.search("puppy of Nate")
    assert "affinity" in hit_of(hits, kept).parts
    assert "affinity" not in hit_of(hits, changed).parts
    assert "affinity" in hit_of(store.search("puppy of Joanna"), changed).parts
    store.undo(operation.operation_id)
    assert "affinity" in hit_of(store.search("puppy of Nate"), changed).parts


def test_much_use_of_a_memory_does_not_make_its_name_common(hybrid, clock):
    used = hybrid.add("the puppy sleeps", entities=["Nate"]).id
    hybrid.add_many([f"filler number {n}" for n in range(60)])
    for _ in range(5):
        hybrid.report(hybrid.recall("puppy").id, used=[used])
        clock.advance(days=1)
    with hybrid._ctx.reading() as reader:
        view = hybrid._ctx.embedding.mirrors.view(reader, hybrid._ctx.embedding.model)
        assert view.share("Nate") == 1 / 62  # the identity included


# sessions


def test_neighbouring_turns_of_one_session_support_each_other(store):
    question = store.add("Which film did you like most?", session="monday")
    answer = store.add("The one with the whale", session="monday")
    store.add("Nothing to do with it", session="tuesday")
    far = store.add("Let us talk tomorrow", session="monday")
    hits = store.search("favourite film")
    assert ids(hits) == [question.id, answer.id]
    assert "what was said next to it" in hits[1].why
    assert hits[1].parts["session"] > 0
    assert far.id not in ids(hits)


def test_turns_with_a_supporting_neighbour_rank_before_lonely_ones(store):
    lonely = store.add("the film about ships", session="a").id
    beside = store.add("the film about whales", session="b").id
    store.add("a film with whales indeed", session="b")
    hits = store.search("film")
    assert ids(hits).index(beside) < ids(hits).index(lonely)


@pytest.mark.parametrize("hiding", ["archive", "delete"])
def test_a_hidden_neighbour_neither_shows_nor_supports(store, hiding):
    hidden = store.add("The film was long", session="s").id
    after = store.add("Yes, three hours", session="s").id
    assert set(ids(store.search("film"))) == {hidden, after}
    receipt = getattr(store, hiding)(hidden)
    assert store.search("film") == []
    store.undo(receipt.operation_id)
    assert set(ids(store.search("film"))) == {hidden, after}


def test_what_was_never_said_stands_between_nobody(store):
    first = store.add("The film was long", session="s")
    slip = store.add("a slip of the tongue", session="s")
    last = store.add("Yes, three hours", session="s")
    assert set(ids(store.search("film"))) == {first.id, slip.id}
    undone = store.undo(slip.operation_id)
    assert set(ids(store.search("film"))) == {first.id, last.id}
    store.undo(undone.operation_id)
    assert set(ids(store.search("film"))) == {first.id, slip.id}


# days in words


def test_the_day_a_memory_is_about_is_found_in_words_and_follows_changes(store):
    day = datetime(2023, 5, 8, 13, tzinfo=UTC)
    picnic = store.add("We had a picnic", event_at=day).id
    store.add("We had a party", event_at=datetime(2022, 11, 30, tzinfo=UTC))
    assert ids(store.search("8 May 2023"))[0] == picnic
    assert ids(store.search("what happened in May 2023?"))[0] == picnic
    moved = store.update(picnic, event_at=datetime(2023, 6, 9, tzinfo=UTC))
    assert ids(store.search("May")) == []
    assert ids(store.search("June")) == [picnic]
    store.undo(moved.operation_id)
    assert ids(store.search("May")) == [picnic]
    assert ids(store.search("June")) == []
    assert store.verify().ok


# standing


def test_however_fresh_a_signal_does_not_beat_the_fact_that_answers(store, clock):
    fact = store.add("The vault code is kept by Maria", kind="fact", trust=0.8).id
    clock.advance(days=300)
    signal = store.add("Maria called", kind="signal", pinned=True).id
    hits = store.search("Who keeps the vault code, Maria?")
    assert ids(hits) == [fact, signal]


def test_a_stale_signal_falls_below_a_fresh_one(store, clock):
    stale = store.add("BTC broke out at noon", kind="signal").id
    clock.advance(days=20)
    fresh = store.add("BTC broke out at night", kind="signal").id
    hits = store.search("BTC broke out")
    assert ids(hits) == [fresh, stale]
    assert hits[0].parts["standing"] == pytest.approx(1.0)
    assert hits[1].parts["standing"] < 0.8


def test_trust_and_a_pin_count_as_authority(store):
    doubted, trusted, pinned = (
        store.add(f"the {side} harbour opens at six", trust=trust, pinned=pin).id
        for side, trust, pin in (("old", 0.2, False), ("new", 0.9, False), ("inner", 0.1, True))
    )
    hits = store.search("when does the harbour open?")
    assert ids(hits) == [pinned, trusted, doubted]
    assert hits[0].parts["standing"] == 1.0


# several spaces


def test_several_spaces_are_measured_on_one_scale(url, clock):
    embedder = WordEmbedder(WIDE, ms=0.0)
    with (
        Glymph.open(url, space="good", clock=clock, embedder=embedder) as good,
        Glymph.open(url, space="weak", clock=clock, embedder=embedder) as weak,
        Glymph.open(url, space="none", clock=clock, embedder=embedder) as none,
    ):
        best = good.add("the lighthouse keeper retired in spring").id
        poor = weak.add("a keeper of bees, among many other words that say nothing of it").id
        none.add("tomatoes need water")
        assert weak.search("lighthouse keeper retired")[0].parts["keyword"] == 1.0
        hits = weak.search("lighthouse keeper retired", spaces=["weak", "none", "good", "good"])
        assert ids(hits) == [best, poor]
        assert hits[1].parts["keyword"] < 0.8
        assert hits[1].score < hits[0].score / 2
        with pytest.raises(errors.SpaceNotFound):
            good.search("keeper", spaces=["good", "nowhere"])


def test_a_small_space_is_found_beside_a_large_one(url, clock, monkeypatch):
    monkeypatch.setattr(channels, "POOL", 10)
    with (
        Glymph.open(url, space="large", clock=clock) as large,
        Glymph.open(url, space="small") as small,
    ):
        large.add_many([f"tulip {n}" for n in range(40)])
        own = small.add("a field of tulips, far away and long ago, with a house beside it").id
        assert ids(small.search("tulip")) == [own]
        assert ids(large.search("tulip", tags=["none"])) == []
        tagged = large.add(
            "a field of tulips, far away and long ago, with more words", tags=["rare"]
        ).id
        assert ids(large.search("tulip", tags=["rare"])) == [tagged]


def test_a_word_counts_the_same_in_all_spaces_that_are_searched_together(url, clock):
    with (
        Glymph.open(url, space="large", clock=clock, embedder="none") as large,
        Glymph.open(url, space="small", clock=clock, embedder="none") as small,
    ):
        large.add_many([f"the harbour has {n} boats" for n in range(40)])
        own = small.add("the harbour keeper is called Anselm").id
        hits = small.search("Anselm the harbour keeper", spaces=["large", "small"])
        assert hits[0].memory.id == own
        assert hits[0].parts["keyword"] == 1.0


def test_as_many_are_found_as_are_asked_for(store, clock, monkeypatch):
    monkeypatch.setattr(channels, "POOL", 10)
    store.add_many([f"tulip number {n}" for n in range(60)])
    assert len(store.search("tulip", limit=50)) == 50
    assert len(store.search("tulip", limit=100)) == 60
    assert len(store.search("tulip", limit=50, at=clock.now)) == 50


def test_words_that_many_memories_hold_are_left_out_unless_all_are_such(store, monkeypatch):
    monkeypatch.setattr(channels, "COMMON_FROM", 10)
    store.add_many([f"harbour {n}" for n in range(30)])
    rare = store.add("a lighthouse without the other word").id
    hits = store.search("harbour lighthouse", limit=50)
    assert [hit.memory.id for hit in hits if "keyword" in hit.parts] == [rare]
    assert len(store.search("harbour", limit=50)) == 30


# filters


@pytest.fixture(scope="module", params=EMBEDDERS)
def mixed(request, tmp_path_factory):
    """Two spaces with memories of every sort; all of them say "alpha"."""
    url = f"sqlite:///{tmp_path_factory.mktemp('mixed')}/memory.db"
    clock = FrozenClock()
    embedder = EMBEDDERS[request.param]()
    kinds = [kind for kind in KINDS if kind != "self"]
    with (
        Glymph.open(url, space="other", clock=clock, embedder=embedder) as other,
        Glymph.open(url, space="mine", clock=clock, embedder=embedder) as mine,
    ):
        added = []
        for n in range(60):
            clock.advance(hours=7)
            fields = {
                "kind": kinds[n * 7 % len(kinds)],
                "tags": [w for at, w in enumerate(strategies.WORDS[:4]) if n >> at & 1],
                "session": (None, "s", "t")[n % 3],
                "event_at": None if n % 4 else clock.now - timedelta(days=n),
                "expires_at": clock.now + timedelta(days=1 + n) if n % 5 == 0 else None,
                "entities": [strategies.WORDS[n % 5]],
            }
            added.append(mine.add(f"alpha {strategies.WORDS[n % 9]} number {n}", **fields).id)
            other.add(f"alpha {strategies.WORDS[n % 9]} number {n}", **fields)
            if n % 6 == 5:
                mine.link(added[-1], added[n // 2])
        mine.archive(added[3:60:9])
        mine.delete(added[4:60:11])
        for n in range(6, 60, 13):
            supersede(mine, added[n], added[0])
        clock.advance(days=5)
        yield mine, clock


moments = st.integers(-30, 30).map(lambda days: FrozenClock().now + timedelta(days=days))
filters = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.lists(
            strategies.kinds.filter(lambda kind: kind in KINDS), min_size=1, max_size=8
        ),
        "sections": st.lists(
            st.sampled_from(["SIGNALS", "EPISODIC", "KNOWLEDGE", "PROCEDURAL"]),
            min_size=1,
            max_size=3,
        ),
        "tags": st.lists(st.sampled_from(strategies.WORDS[:5]), min_size=1, max_size=2),
        "since": moments,
        "until": moments,
        "states": st.lists(
            st.sampled_from(["LIVE", "ARCHIVED", "TRASHED"]), min_size=1, max_size=3
        ),
        "include_superseded": st.booleans(),
        "session": st.sampled_from(["s", "t", "nobody's"]),
    },
)


@given(given_filters=filters)
def test_masks_let_through_exactly_what_the_store_lets_through(mixed, given_filters):
    mine, clock = mixed
    allowed = {
        memory.id
        for memory in mine.list(limit=1000, **given_filters)
        if memory.expires_at is None or memory.expires_at > clock.now
    }
    assert set(ids(mine.search("alpha", limit=1000, **given_filters))) == allowed


fts_syntax = st.sampled_from(
    [
        '"',
        "*",
        "^",
        "NEAR(",
        "NEAR",
        "AND",
        "OR",
        "NOT",
        ":",
        "-",
        "+",
        "{",
        "}",
        "(",
        ")",
        "title:",
        "'",
        ",",
        "\\",
    ]
)
queries = st.one_of(
    st.text(min_size=1, max_size=60),
    st.lists(st.one_of(fts_syntax, st.sampled_from(strategies.WORDS)), min_size=1).map(" ".join),
    st.lists(fts_syntax, min_size=1).map("".join),
    strategies.texts,
)


@given(query=queries, given_filters=filters, budget=st.none() | st.integers(1, 50))
def test_any_text_is_a_query_and_reaches_nothing_it_should_not(mixed, query, given_filters, budget):
    mine, _ = mixed
    try:
        hits = mine.search(query, budget_tokens=budget, **given_filters)
    except errors.InvalidInput:
        assert not query.strip() or "\0" in query or any(0xD800 <= ord(c) <= 0xDFFF for c in query)
        return
    assert set(ids(hits)) <= {memory.id for memory in mine.list(limit=1000, **given_filters)}
    assert all(hit.memory.space == "mine" and hit.score > 0 and hit.why for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "query", ["\0", "a\0b", "\ud800", "word \udfff word", "", "   ", "x" * 20_001]
)
def test_what_no_store_could_hold_is_refused_by_name(store, query):
    store.add("something")
    with pytest.raises(errors.InvalidInput, match="query"):
        store.search(query)


@pytest.mark.parametrize(
    "query",
    ["🙂", "👩‍👩‍👧 family", "x" * 20_000, "word " * 4_000, "日" * 20_000, '"' * 20_000, "NEAR(" * 4_000,
     "\u202e", "\ufeff", "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪", "a\u0301", "\u0301", "𝔘𝔫𝔦 text", "ﬁsh", "\U0010ffff", "हिन्दी में"],
)  # fmt: skip
def test_odd_queries_are_answered(store, query):
    plain = store.add("something plain", entities=["日日", "🙂"]).id
    for hits in (store.search(query), store.search(query, at=store._ctx.now())):
        assert set(ids(hits)) <= {plain}
        assert all(hit.why for hit in hits)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("私は東京タワーの近くに住んでいます", "東京タワー"),
        ("私は東京タワーの近くに住んでいます", "タワーの近く"),
        ("我在北京大学学习计算机科学", "北京大学"),
        ("我在北京大学学习计算机科学", "计算机"),
        ("ผมชอบกินข้าวผัดกุ้งมาก", "ข้าวผัด"),
        ("ខ្ញុំចូលចិត្តកាហ្វេ", "កាហ្វេ"),
        ("أحب القهوة العربية في الصباح", "القهوة"),
        ("אני אוהב קפה שחור", "קפה"),
        ("나는 서울에 살고 있다", "서울에"),
    ],
)
def test_a_part_of_a_text_in_any_script_finds_it(store, text, part):
    wanted = store.add(text)
    store.add("plain words in English")
    store.add("別の文章です")
    assert ids(store.search(part))[0] == wanted.id
    assert ids(store.search(part, at=store._ctx.now()))[0] == wanted.id


def test_titles_tags_and_entities_of_unspaced_scripts_are_found_by_a_part(store):
    titled = store.add("a note on a tower", title="東京タワーの高さ").id
    tagged = store.add("a note on a temple", tags=["浅草寺院"]).id
    about = store.add("a note on a person", entities=["山田太郎"]).id
    assert [ids(store.search(part)) for part in ("タワー", "浅草", "太郎")] == [
        [titled],
        [tagged],
        [about],
    ]


def test_memories_without_vectors_are_judged_fairly_by_their_words(url, clock):
    with Glymph.open(url, clock=clock, embedder="none") as plain:
        exact = plain.add("the lighthouse keeper retired").id
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)) as hybrid:
        hybrid._background.finish(5)  # which would embed the other one, too
        near = hybrid.add("a keeper of bees and wasps").id
        hits = hybrid.search("lighthouse keeper retired")
        assert ids(hits) == [exact, near]
        assert "semantic" not in hits[0].parts
        assert "semantic" in hits[1].parts


# packing


def test_a_budget_keeps_the_order_and_passes_over_what_does_not_fit(store):
    for n, size in enumerate((300, 20, 200, 40)):
        store.add(f"harbour {'abcd'[n]} " + "quay " * (size // 5), trust=1 - n / 10)
    whole = store.search("harbour")
    packed = store.search("harbour", budget_tokens=70)
    assert sum(-(-len(hit.memory.text) // 4) for hit in packed) <= 70
    assert ids(packed) == [i for i in ids(whole) if i in ids(packed)]
    assert len(packed) >= 2


# at once


def test_threads_search_while_others_write(hybrid):
    seen, failures = [], []
    stop = threading.Event()

    def look():
        try:
            while not stop.is_set():
                seen.append(len(hybrid.search("harbour about", tags=["t"], limit=50)))
        except BaseException as error:  # noqa: BLE001  a thread's failure must reach the test
            failures.append(error)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for n in range(25):
            added = hybrid.add(f"harbour {n}", tags=["t", f"t{n}"], entities=[f"name {n}"])
            hybrid.update(added.id, text=f"harbour again {n}", entities=["about"])
            if n % 3 == 0:
                hybrid.undo(added.operation_id)
            if n % 4 == 0:
                hybrid.archive(added.id)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert seen
    live = {memory.id for memory in hybrid.list(limit=1000)}
    assert set(ids(hybrid.search("harbour", limit=100))) == live


# the recall log


def test_the_log_is_bounded_and_keeps_what_was_shown_and_how_it_stood(url, clock):
    with Glymph.open(url, clock=clock, settings={"recall_log_size": 3}) as g:
        lesson = g.add("harbours freeze in winter", kind="lesson").id
        clock.advance(days=2)
        for n in range(5):
            g.recall(f"harbour {n}")
        with g._ctx.reading() as reader:
            rows = reader.recalls(limit=10)
        assert [row["query"] for row in rows] == ["harbour 4", "harbour 3", "harbour 2"]
        assert rows[0]["shown"] == f'["{lesson}"]'
        assert rows[0]["figures"] == '[["KNOWLEDGE", 2.0, 90.0]]'


def test_a_read_only_store_says_that_a_recall_was_not_logged(url, clock):
    with Glymph.open(url, clock=clock) as g:
        added = g.add("harbours freeze in winter").id
    with Glymph.open(f"{url}?mode=ro", clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)) as reader:
        found = reader.recall("harbour", reinforce=True)
        assert (found.id, [hit.memory.id for hit in found]) == (None, [added])
        assert "read-only" in found.notice
        assert "nothing was reinforced" in found.notice


def test_what_a_source_told_can_be_listed_and_searched_alone(glymph):
    glymph.add("Lisbon releases on Thursdays.", kind="fact", source="consolidation")
    glymph.add("Lisbon has trams.", kind="fact", source="extraction")
    glymph.add("Lisbon lies at a river.", kind="fact")
    assert [one.text for one in glymph.list(source="extraction")] == ["Lisbon has trams."]
    assert [hit.memory.source for hit in glymph.search("Lisbon", source="consolidation")] == [
        "consolidation"
    ]
    assert len(glymph.search("Lisbon")) == 3
