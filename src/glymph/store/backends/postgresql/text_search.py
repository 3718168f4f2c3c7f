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
    kept = f"JOIN scoped_memories m ON m.key = r.memory AND {where}"
    return _best(session, words, _INDEXED, kept, {**parameters, "limit": limit})


def hold(
    session: Session, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
) -> list[int]:
    """Returns keys of the first memories whose text holds any of the phrases."""
    asked = " | ".join(f"({term})" for term in _parse_words(session, phrases))
    if not asked:
        return []
    sql = (
        "SELECT m.key FROM memory_text t JOIN scoped_memories m ON m.key = t.memory "
        "WHERE t.space_id = shown_space() AND t.words @@ CAST(:any AS tsquery) "
        f"AND {where} ORDER BY m.key LIMIT :limit"
    )
    return [key for (key,) in session.tuples(sql, {**parameters, "any": asked, "limit": limit})]


def _parse_words(session: Session, words: Sequence[str]) -> list[str]:
    """Returns the words as the index knows them, without those that have no letter or digit."""
    sql = "SELECT CAST(asked_for(w.word) AS text) FROM unnest(CAST(:asked AS text[])) AS w(word)"
    return [found for (found,) in session.tuples(sql, {"asked": list(words)}) if found]


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
        "texts AS MATERIALIZED (SELECT d.memory, d.words, length_of(d.words) AS length FROM "
        "(SELECT g.key AS memory, "
        f"words_in(g.title, g.text, g.tags, g.entities, g.event_at) AS words FROM unnest({arrays}) "
        f"AS g({', '.join(fields)})) d), "
        "sums AS (SELECT count(*)::float8 AS texts, greatest(avg(length), 1)::float8 AS usual "
        "FROM texts)"
    )
    return _best(session, words, texts, "", {**columns, "limit": limit})


def frequency(session: Session, word: str, most: float) -> float:
    """Returns the part of the space's texts that holds a word; of more than `most`, a bit more."""
    sql = (
        "SELECT count(*) / greatest((SELECT texts FROM text_sums), 1)::float8 FROM "
        "(SELECT 1 FROM memory_text t WHERE t.space_id = shown_space() "
        "AND t.words @@ asked_for(:word) "
        "LIMIT (SELECT floor(CAST(:most AS float8) * texts) + 1 FROM text_sums)::bigint) held"
    )
    return float(session.tuples(sql, {"word": word, "most": most})[0][0] or 0.0)


def occurs(session: Session, word: str) -> bool:
    sql = (
        "SELECT 1 FROM memory_text t "
        "WHERE t.space_id = shown_space() AND t.words @@ asked_for(:word) LIMIT 1"
    )
    return bool(session.tuples(sql, {"word": word}))


def _best(
    session: Session, words: Words, texts: str, kept: str, parameters: Mapping[str, Any]
) -> Scored:
    """Runs the one statement of ranking over some texts, which has one form for any words.

    `texts` writes these, and how many there are and how long one usually is. A word without a
    letter or digit is an empty query: it finds nothing and counts for nothing.
    """
    given = {
        "terms": list(dict.fromkeys(words.words)),
        "ones": [one for one, _ in words.pairs],
        "others": [other for _, other in words.pairs],
    }
    sql = f"WITH {texts}, {_RANKING.format(kept=kept)}"
    return [(key, score) for key, score in session.tuples(sql, {**parameters, **given})]


_INDEXED = (
    "texts AS NOT MATERIALIZED "
    "(SELECT memory, words, length FROM memory_text WHERE space_id = shown_space()), "
    "sums AS (SELECT texts::float8 AS texts, "
    "greatest(words / greatest(texts, 1)::float8, 1) AS usual FROM text_sums)"
)
# The index finds the texts that hold any word, once. ts_rank_cd of two words is one over how far
# apart they are. How rare a word is, is worked out once and not for each text.
_RANKING = f"""
asked AS MATERIALIZED (
  SELECT d.n, d.q, false AS close FROM (
    SELECT n, asked_for(word) AS q FROM unnest(CAST(:terms AS text[])) WITH ORDINALITY AS w(word, n)
  ) d WHERE numnode(d.q) > 0
  UNION ALL
  SELECT -d.n, d.one && d.other, true FROM (
    SELECT n, asked_for(one) AS one, asked_for(other) AS other
    FROM unnest(CAST(:ones AS text[]), CAST(:others AS text[])) WITH ORDINALITY AS w(one, other, n)
  ) d WHERE numnode(d.one) > 0 AND numnode(d.other) > 0
), hits AS MATERIALIZED (
  SELECT a.n, t.memory, t.length, CASE WHEN a.close THEN 1 ELSE times_in(t.words, a.q) END AS times
  FROM texts t CROSS JOIN asked a
  WHERE t.words @@ (
    SELECT CAST(string_agg('(' || CAST(e.q AS text) || ')', ' | ') AS tsquery)
    FROM asked e WHERE NOT e.close
  ) AND t.words @@ a.q
  AND (NOT a.close OR ts_rank_cd('{{{{1,1,1,1}}}}', t.words, a.q) >= 1.0 / {CLOSE})
), weights AS MATERIALIZED (
  SELECT h.n, greatest(ln((s.texts - count(*) + 0.5) / (count(*) + 0.5)), 1e-6) AS rarity, s.usual
  FROM hits h CROSS JOIN sums s GROUP BY h.n, s.texts, s.usual
), ranked AS (
  SELECT h.memory, sum(w.rarity * h.times * {SATURATION + 1} / (h.times + {SATURATION}
    * (1 - {SHORTNESS} + {SHORTNESS} * h.length / w.usual))) AS score
  FROM hits h JOIN weights w ON w.n = h.n GROUP BY h.memory
)
SELECT r.memory, r.score FROM ranked r {{kept}} ORDER BY r.score DESC, r.memory LIMIT :limit
"""
