-- name: any_rests_on
SELECT EXISTS (SELECT 1 FROM scoped_edges e JOIN scoped_memories m ON m.key = e.target
  WHERE m.id IN {texts:ids} AND e.type IN {texts:types});

-- name: resting_on
-- What hangs on these memories by links of some types: every such dependence of theirs on what is still live.
WITH hanging AS MATERIALIZED (
  SELECT DISTINCT d.source FROM scoped_edges d
  JOIN scoped_memories l ON l.key = d.source
  WHERE d.target IN {keys:keys} AND d.type IN {texts:types}
    AND l.state = 'LIVE' AND l.superseded_by IS NULL
)
SELECT e.source, e.target FROM hanging h
JOIN scoped_edges e ON e.source = h.source
JOIN scoped_memories m ON m.key = e.target
WHERE m.state = 'LIVE' AND e.type IN {texts:types}
ORDER BY e.source, e.key;

-- name: live_count
-- Not on beyond what anybody wants to know: in a large space the count would cost more than the rest.
SELECT count(*) FROM (
  SELECT 1 FROM scoped_memories m WHERE m.state = 'LIVE' AND m.kind <> 'self' LIMIT :most) AS counted;

-- name: plans
SELECT id, created_at, expires_at, body FROM scoped_plans ORDER BY created_at DESC, key DESC LIMIT :limit;

-- name: drop_plan_by_id
DELETE FROM plans WHERE space_id = :space_id AND id = :id;

-- name: drop_expired_plans
DELETE FROM plans WHERE space_id = :space_id AND expires_at <= :now;

-- name: put_away_by
-- How many memories an actor, or one with a name below its name, has hidden or removed since a moment that are so
-- still, by whatever verb: archived, trashed, replaced, taken away or given an end; and how many older ones it has
-- reworded, also if an undo took that back, or undoing that undo would go on beyond any day.
SELECT count(DISTINCT j.key) FROM scoped_operations o
JOIN scoped_journal j ON j.operation = o.key
LEFT JOIN scoped_memories m ON m.key = j.key
WHERE (lower(trim(o.actor)) = lower(:actor)
       OR substr(lower(trim(o.actor)), 1, length(:actor) + 1) IN (lower(:actor) || ':', lower(:actor) || '-'))
  AND o.at > :since AND o.at <= :upto AND j.tbl = 'memories' AND (
  j.action = 'delete' AND m.key IS NULL
  OR j.action = 'update' AND {json:j.after:state} <> 'LIVE' AND coalesce(m.state, '') <> 'LIVE'
  OR j.action = 'update' AND {json:j.after:superseded_by} IS NOT NULL
    AND (m.key IS NULL OR m.superseded_by IS NOT NULL)
  OR j.action = 'update' AND {json:j.after:expires_at} IS NOT NULL AND (m.key IS NULL OR m.expires_at IS NOT NULL)
  OR j.action = 'update' AND {json:j.after:text} IS NOT NULL AND o.verb <> 'undo'
    AND m.created_at <= :since);

-- name: put_away_in
-- The same of one operation; of those told before a moment what it rewords.
SELECT count(DISTINCT j.key) FROM scoped_journal j
LEFT JOIN scoped_memories m ON m.key = j.key
WHERE j.operation = :operation AND j.tbl = 'memories' AND (
  j.action = 'delete'
  OR j.action = 'update' AND (
    {json:j.after:state} <> 'LIVE' OR {json:j.after:superseded_by} IS NOT NULL
    OR {json:j.after:expires_at} IS NOT NULL
    OR {json:j.after:text} IS NOT NULL AND m.created_at <= :since));

-- name: purged_by
-- How many memories these actors have removed for good since a moment.
SELECT count(DISTINCT j.key) FROM scoped_operations o
JOIN scoped_journal j ON j.operation = o.key
WHERE o.at > :since AND o.at <= :upto AND o.verb = 'purge' AND o.actor IN {texts:actors}
  AND j.tbl = 'memories' AND j.action = 'delete';

-- name: trash_ends
-- How many memories leave the trash on each day (counted from 1970) up to a moment.
SELECT (m.state_at + :stay) / 86400000000 AS day, count(*) FROM scoped_memories m
WHERE m.state = 'TRASHED' AND m.state_at + :stay <= :upto GROUP BY 1 ORDER BY 1;

-- name: changed_by
-- How many memories operations of a verb, or their parts, moved to another state since a moment; those that a
-- standing undo brought back apart. A part of a bulk operation is undone with the whole.
SELECT count(DISTINCT j.key) FROM scoped_operations o
JOIN scoped_journal j ON j.operation = o.key
WHERE o.verb = :verb AND o.at > :since AND o.at <= :upto
  AND j.tbl = 'memories' AND j.action = 'update'
  AND coalesce({json:j.image:state}, {json:j.image:purged}) IS NOT NULL
  AND NOT EXISTS (
    SELECT 1 FROM scoped_operations u
    JOIN scoped_journal b ON b.operation = u.key AND b.tbl = 'memories' AND b.key = j.key
    WHERE u.undoes IN (o.key, o.parent)
      AND NOT EXISTS (SELECT 1 FROM scoped_operations r WHERE r.undoes = u.key AND r.changes > 0)
  );

-- name: operations_by_hash
SELECT o.*, NULL AS parent_id, NULL AS undoes_id FROM scoped_operations o WHERE o.hash = :hash;

-- name: memories_by_hash
SELECT {memory} FROM scoped_memories m WHERE m.content_hash = :hash ORDER BY m.key;
