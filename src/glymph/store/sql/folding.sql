-- name: fold_horizon
-- The last operation dated by a moment, before the first that is dated between it and another, and before the newest
-- that changed a row: caches go by that one. What is dated later still is of a wrong clock.
SELECT coalesce(max(key), 0) FROM scoped_operations
WHERE at <= :before AND key < :newest
  AND key < (SELECT coalesce(min(key), :newest) FROM scoped_operations WHERE at > :before AND at <= :upto);

-- name: fold_boundary
SELECT operation FROM scoped_journal WHERE operation > :after AND operation <= :upto
ORDER BY operation LIMIT 1 OFFSET :entries;

-- name: rows_between
SELECT DISTINCT tbl, key FROM scoped_journal WHERE operation > :after AND operation <= :upto;

-- name: entries_to_fold
SELECT id, operation, tbl, key, action, image, after FROM scoped_journal
WHERE tbl = :tbl AND key IN {keys:keys} AND operation > :after AND operation <= :upto;

-- name: operations_of_use
-- Those that did nothing but report uses. What reconciles a memory is taken back with it.
SELECT key FROM scoped_operations WHERE key IN {keys:keys} AND edits = 0 AND verb <> 'reconcile';

-- name: purges_after
SELECT id FROM scoped_operations WHERE key > :operation AND verb = 'purge';

-- name: operations_between
SELECT key FROM scoped_operations WHERE key > :after AND key <= :upto;

-- name: families_of
SELECT key, parent, undoes FROM scoped_operations WHERE key IN {keys:keys};

-- name: drop_entries
DELETE FROM journal WHERE space_id = :space_id AND id IN {keys:ids};

-- name: drop_operations
-- Those of which nothing is left, and which nothing that is left points at.
DELETE FROM operations WHERE space_id = :space_id AND key IN {keys:keys} AND key < :upto AND hash <> ''
  AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.space_id = :space_id AND j.operation = operations.key)
  AND NOT EXISTS (SELECT 1 FROM operations c WHERE c.space_id = :space_id AND c.parent = operations.key)
  AND NOT EXISTS (SELECT 1 FROM operations u WHERE u.space_id = :space_id AND u.undoes = operations.key)
RETURNING key;

-- name: seal_folded
UPDATE operations SET hash = :hash, changes = :changes, edits = :edits
WHERE key = :key AND space_id = :space_id AND hash <> '';

-- name: drop_chunks_before
DELETE FROM chunks WHERE space_id = :space_id AND stamp < :operation RETURNING key;

-- name: keys_in_journal
SELECT DISTINCT key FROM scoped_journal WHERE tbl = :tbl AND key IN {keys:keys};

-- name: wordings_in_journal
SELECT key, {json:image:content_hash} FROM scoped_journal
WHERE tbl = 'memories' AND key IN {keys:keys} AND {json:image:content_hash} IS NOT NULL
UNION
SELECT key, content_hash FROM scoped_memories WHERE key IN {keys:keys};

-- name: forget_wordings
DELETE FROM vectors WHERE key IN (
  SELECT v.key FROM scoped_models m JOIN scoped_vectors v ON v.model = m.key
  WHERE v.memory = :memory AND v.wording IN (SELECT {bytes:w.value} FROM {texts:wordings} w));
