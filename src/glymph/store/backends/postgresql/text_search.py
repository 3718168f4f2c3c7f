"""Ranking by BM25 over tsvectors: PostgreSQL finds the texts, and is told how to weigh them.

A word counts the more the rarer it is in the space, with less gain from each repetition and from a
long text. Two words that follow one another in the query count once more where they stand close.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.store.contract import Scored, Session
from glymph.text.query import Words

SATURATION, SHORTNESS = 1.2, 0.75  # BM25's k1 and b
CLOSE = 9  # words from one to the other, at most


def match(
    session: Session, words: Words, where: str, parameters: Mapping[str, Any], limit: int
) -> Scored:
    """Returns keys of memories whose text holds any of the words, best first, with their scores."""
    source = "FROM memory_text t WHERE t.space_id = shown_space() AND t.words @@ {any}"
    sums = "SELECT texts AS texts, words / greatest(texts, 1)::float8 AS usual FROM text_sums"
    kept = f"JOIN scoped_memories m ON m.key = h.memory AND {where}"
    return _best(session, words, source, sums, kept, {**parameters, "limit": limit})


def hold(
    session: Session, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
) -> list[int]:
    """Returns keys of the first memories whose text holds any of the phrases."""
    known = filter(None, _parse_words(session, Words(tuple(phrases))).values())
    asked = " | ".join(f"({term})" for term in known)
    if not asked:
        return []
    sql = (
        "SELECT m.key FROM memory_text t JOIN scoped_memories m ON m.key = t.memory "
        "WHERE t.space_id = shown_space() AND t.words @@ CAST(:any AS tsquery) "
        f"AND {where} ORDER BY m.key LIMIT :limit"
    )
    return [key for (key,) in session.tuples(sql, {**parameters, "any": asked, "limit": limit})]


def match_among(
    session: Session, rows: Iterable[Mapping[str, Any]], words: Words, limit: int
) -> Scored:
    """Does the same among the given rows."""
    fields = ("key", "title", "text", "tags", "entities", "event_at")
    given = [[row[field] for field in fields] for row in rows]
    columns = dict(zip(fields, map(list, zip(*given, strict=True)), strict=True)) if given else {}
    if not columns:
        return []
    kinds = ("bigint", *["text"] * 4, "bigint")
    arrays = ", ".join(
        f"CAST(:{field} AS {kind}[])" for field, kind in zip(fields, kinds, strict=True)
    )
    texts = (
        "(SELECT d.memory, d.words, length_of(d.words) AS length FROM (SELECT g.key AS memory, "
        f"words_in(g.title, g.text, g.tags, g.entities, g.event_at) AS words FROM unnest({arrays}) "
        f"AS g({', '.join(fields)})) d)"
    )
    sums = f"SELECT count(*) AS texts, greatest(avg(length), 1)::float8 AS usual FROM {texts} s"
    return _best(
        session,
        words,
        f"FROM {texts} t WHERE t.words @@ {{any}}",
        sums,
        "",
        {**columns, "limit": limit},
    )


def frequency(session: Session, word: str) -> float:
    """Returns the part of the space's texts that holds a word."""
    sql = (
        "SELECT count(*) / greatest((SELECT texts FROM text_sums), 1)::float8 FROM memory_text t "
        "WHERE t.space_id = shown_space() AND t.words @@ asked_for(:word)"
    )
    return float(session.tuples(sql, {"word": word})[0][0] or 0.0)


def occurs(session: Session, word: str) -> bool:
    sql = (
        "SELECT 1 FROM memory_text t "
        "WHERE t.space_id = shown_space() AND t.words @@ asked_for(:word) LIMIT 1"
    )
    return bool(session.tuples(sql, {"word": word}))


def _best(
    session: Session, words: Words, source: str, sums: str, kept: str, parameters: Mapping[str, Any]
) -> Scored:
    """Runs the one statement of ranking over some texts.

    `source` names them and holds `{any}` for the query.
    """
    known = _parse_words(session, words)
    terms = [known[word] for word in dict.fromkeys(words.words) if known.get(word)]
    if not terms:
        return []
    pairs = [
        (known[one], known[other])
        for one, other in words.pairs
        if known.get(one) and known.get(other)
    ]
    given: dict[str, Any] = {f"term{n}": term for n, term in enumerate(terms)}
    given |= {f"pair{n}": f"({one}) & ({other})" for n, (one, other) in enumerate(pairs)}
    given["any"] = " | ".join(f"({term})" for term in terms)
    times = [f"times_in(t.words, CAST(:term{n} AS tsquery)) AS f{n}" for n in range(len(terms))]
    times += [_closeness(n) for n in range(len(pairs))]
    names = [f"f{n}" for n in range(len(terms))] + [f"g{n}" for n in range(len(pairs))]
    found = source.format(any="CAST(:any AS tsquery)")
    sql = (
        f"WITH hits AS MATERIALIZED (SELECT t.memory, t.length, {', '.join(times)} {found}), "
        f"sums AS ({sums}), held AS (SELECT "
        f"{', '.join(f'count(*) FILTER (WHERE {name} > 0) AS {name}' for name in names)} FROM "
        "hits) "
        f"SELECT h.memory, {_score(names)} AS score FROM hits h CROSS JOIN sums s CROSS JOIN held "
        f"d {kept} "
        "ORDER BY score DESC, h.memory LIMIT :limit"
    )
    return [(key, score) for key, score in session.tuples(sql, {**parameters, **given})]


def _parse_words(session: Session, words: Words) -> dict[str, str]:
    """Returns each word as the index knows it; nothing for one without a letter or digit."""
    asked = list(
        dict.fromkeys(word for word in (*words.words, *(w for pair in words.pairs for w in pair)))
    )
    sql = (
        "SELECT w.word, CAST(asked_for(w.word) AS text) "
        "FROM unnest(CAST(:asked AS text[])) AS w(word)"
    )
    return dict(session.tuples(sql, {"asked": asked}))


def _closeness(number: int) -> str:
    """Writes 1 where both words of a pair stand close.

    ts_rank_cd of two words is one over how far apart they are.
    """
    pair = f"CAST(:pair{number} AS tsquery)"
    near = f"t.words @@ {pair} AND ts_rank_cd('{{1,1,1,1}}', t.words, {pair}) >= 1.0 / {CLOSE}"
    return f"CASE WHEN {near} THEN 1 ELSE 0 END AS g{number}"


def _score(names: Sequence[str]) -> str:
    dampened = f"{SATURATION} * (1 - {SHORTNESS} + {SHORTNESS} * h.length / greatest(s.usual, 1))"
    return " + ".join(
        f"greatest(ln((s.texts - d.{name} + 0.5) / (d.{name} + 0.5)), 1e-6) * h.{name} * "
        f"{SATURATION + 1} "
        f"/ (h.{name} + {dampened})"
        for name in names
    )
