-- Reads go through scoped_* views, which show the rows of one space only.

-- name: memory_by_id
SELECT {memory} FROM scoped_memories m WHERE m.id = :id;

-- name: memories_by_ids
SELECT {memory} FROM scoped_memories m WHERE m.id IN {texts:ids};

-- name: standing_of_ids
-- Just what decides whether a memory may be moved to another state.
SELECT m.key, m.id, m.title, m.kind, m.section, m.state, m.pinned, m.protected, m.superseded_by, m.stability,
       m.access_count, m.created_at, m.last_used_at, m.version
FROM scoped_memories m WHERE m.id IN {texts:ids};

-- name: titles
SELECT m.id, m.title FROM scoped_memories m WHERE m.id IN {texts:ids};

-- name: memory_ids_from
-- The first ids that begin with a prefix; `upto` is the first text after all of those.
SELECT m.id, m.title FROM scoped_memories m WHERE m.id >= :prefix AND m.id < :upto ORDER BY m.id LIMIT :limit;

-- name: operation_ids_from
SELECT o.id, o.verb FROM scoped_operations o WHERE o.id >= :prefix AND o.id < :upto ORDER BY o.id LIMIT :limit;

-- name: recall_ids_from
SELECT r.id, r.query FROM scoped_recalls r WHERE r.id >= :prefix AND r.id < :upto ORDER BY r.id LIMIT :limit;

-- name: question_ids_from
SELECT c.id, c.reason FROM scoped_conflicts c WHERE c.id >= :prefix AND c.id < :upto ORDER BY c.id LIMIT :limit;

-- name: plan_ids_from
SELECT p.id, '' AS title FROM scoped_plans p WHERE p.id >= :prefix AND p.id < :upto ORDER BY p.id LIMIT :limit;

-- name: memory_ids_beside
-- Of ids that exist, the next one before and the next one behind: a prefix is unique among those.
SELECT m.id, (SELECT max(b.id) FROM scoped_memories b WHERE b.id < m.id), (SELECT min(a.id) FROM scoped_memories a WHERE a.id > m.id)
FROM scoped_memories m WHERE m.id IN {texts:ids};

-- name: operation_ids_beside
SELECT m.id, (SELECT max(b.id) FROM scoped_operations b WHERE b.id < m.id), (SELECT min(a.id) FROM scoped_operations a WHERE a.id > m.id)
FROM scoped_operations m WHERE m.id IN {texts:ids};

-- name: recall_ids_beside
SELECT m.id, (SELECT max(b.id) FROM scoped_recalls b WHERE b.id < m.id), (SELECT min(a.id) FROM scoped_recalls a WHERE a.id > m.id)
FROM scoped_recalls m WHERE m.id IN {texts:ids};

-- name: question_ids_beside
SELECT m.id, (SELECT max(b.id) FROM scoped_conflicts b WHERE b.id < m.id), (SELECT min(a.id) FROM scoped_conflicts a WHERE a.id > m.id)
FROM scoped_conflicts m WHERE m.id IN {texts:ids};

-- name: plan_ids_beside
SELECT m.id, (SELECT max(b.id) FROM scoped_plans b WHERE b.id < m.id), (SELECT min(a.id) FROM scoped_plans a WHERE a.id > m.id)
FROM scoped_plans m WHERE m.id IN {texts:ids};

-- name: identity
SELECT {memory} FROM scoped_memories m WHERE m.kind = 'self';

-- name: any_live_by_hash
SELECT EXISTS (SELECT 1 FROM scoped_memories d
  WHERE d.content_hash IN {texts:hashes} AND d.state = 'LIVE' AND d.superseded_by IS NULL);

-- name: oldest_live_by_hash
SELECT {memory} FROM scoped_memories m
WHERE m.key IN (
  SELECT min(d.key) FROM scoped_memories d
  WHERE d.content_hash IN {texts:hashes} AND d.state = 'LIVE' AND d.superseded_by IS NULL
    AND (d.expires_at > :live_at OR d.expires_at IS NULL OR :live_at IS NULL OR d.pinned = 1)
  GROUP BY d.content_hash
);

-- name: keys_of_removed
-- The keys of memories that were taken away: only the images of their removal still know their ids. Every removal that
-- the journal remembers is looked at, so all ids are asked at once.
SELECT {json:j.image:id} AS id, j.key FROM scoped_journal j
WHERE j.tbl = 'memories' AND j.action = 'delete' AND {json:j.image:id} IN {texts:ids};

-- name: kinds_in_use
SELECT DISTINCT kind FROM scoped_memories;

-- name: count_stages
-- The live memories without the identity: all, and those that are ACTIVE, and at least WEAK.
-- The spans say for how many microseconds that lasts for each day of stability.
SELECT count(*) AS live,
  count(*) FILTER (WHERE lasts OR idle <= stability * CASE section
    WHEN 'SIGNALS' THEN :active_signals WHEN 'EPISODIC' THEN :active_episodic
    WHEN 'KNOWLEDGE' THEN :active_knowledge ELSE :active_procedural END) AS active,
  count(*) FILTER (WHERE lasts OR idle <= stability * CASE section
    WHEN 'SIGNALS' THEN :awake_signals WHEN 'EPISODIC' THEN :awake_episodic
    WHEN 'KNOWLEDGE' THEN :awake_knowledge ELSE :awake_procedural END) AS awake
FROM (
  SELECT section, stability, :now - coalesce(last_used_at, created_at) AS idle,
         kind IN {texts:lasting} AS lasts
  FROM scoped_memories WHERE state = 'LIVE' AND kind <> 'self') each_row;

-- name: created_per_span
-- How many memories came in each span of time since a moment, the identity apart.
SELECT created_at / :span AS number, count(*) AS n
FROM scoped_memories WHERE created_at >= :since AND kind <> 'self' GROUP BY 1;

-- name: put_away_per_span
-- How many memories were archived or trashed in each span of time, and are so still.
SELECT state_at / :span AS number, state, count(*) AS n
FROM scoped_memories WHERE state IN ('ARCHIVED', 'TRASHED') GROUP BY 1, 2;

-- name: set_state
UPDATE memories
SET state = :state, state_at = :at, state_by = :by, version = version + 1
WHERE space_id = :space_id AND key IN {keys:keys};

-- name: bump_versions
UPDATE memories SET version = version + 1
WHERE space_id = :space_id AND key IN {keys:keys};

-- name: from_source
SELECT key FROM scoped_memories WHERE source = :source;

-- name: cursor_key
SELECT value FROM meta WHERE name = 'cursor_key';
