-- name: links_of_memories
SELECT e.key FROM scoped_edges e WHERE e.source IN {keys:keys}
UNION
SELECT e.key FROM scoped_edges e WHERE e.target IN {keys:keys};

-- name: memberships_of_memories
SELECT s.key FROM scoped_memberships s WHERE s.memory IN {keys:keys};

-- name: replaced_by
-- What these memories have replaced.
SELECT {memory} FROM scoped_memories m
WHERE m.superseded_by IN {texts:ids} AND m.superseded_by IS NOT NULL;

-- name: conflicts_naming
SELECT key FROM scoped_conflicts WHERE older IN {texts:ids} OR newer IN {texts:ids};

-- name: past_conflicts_naming
-- Also those that an undo took away: only the journal still knows them.
SELECT DISTINCT j.key FROM scoped_journal j
WHERE j.tbl = 'conflicts' AND (
  json_extract(j.image, '$.older') IN {texts:ids} OR json_extract(j.image, '$.newer') IN {texts:ids}
  OR json_extract(j.after, '$.older') IN {texts:ids} OR json_extract(j.after, '$.newer') IN {texts:ids});

-- name: whole_entries
SELECT id, operation, action, image, after FROM scoped_journal
WHERE tbl = :tbl AND key IN {keys:keys};

-- name: blank_entry
UPDATE journal SET image = :image, after = :after WHERE id = :id AND space_id = :space_id;

-- name: sealed_operations
SELECT o.* FROM scoped_operations o WHERE o.key IN {keys:keys} AND o.hash <> '';

-- name: seal_anew
UPDATE operations SET hash = :hash, reason = :reason, details = :details WHERE key = :key AND space_id = :space_id;

-- name: forget_vectors
DELETE FROM vectors WHERE key IN (
  SELECT v.key FROM scoped_models m JOIN scoped_vectors v ON v.model = m.key WHERE v.memory IN {keys:keys});

-- name: asked
SELECT key, query FROM scoped_recalls WHERE query <> '';

-- name: forget_query
UPDATE recalls SET query = '' WHERE key = :key AND space_id = :space_id;

-- name: planned
SELECT key, body FROM scoped_plans;

-- name: drop_plan
DELETE FROM plans WHERE key = :key AND space_id = :space_id;

-- name: drop_chunks_over
-- They hold no texts, but the kind and the size of each memory.
DELETE FROM chunks WHERE space_id = :space_id AND tbl = 'memories' AND EXISTS (
  SELECT 1 FROM json_each(:keys) WHERE value >= chunks.first AND value < chunks.upto);
