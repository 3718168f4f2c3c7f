-- name: record_operation
INSERT INTO operations(key, space_id, id, actor, verb, reason, session, at, parent, undoes,
                       changes, edits, hash, details)
VALUES (:key, :space_id, :id, :actor, :verb, :reason, :session, :at, :parent, :undoes,
        :changes, :edits, :hash, :details);

-- name: begin_writing
{begin_writing};

-- name: end_writing
{end_writing};

-- name: close_operation
UPDATE operations SET changes = :changes, edits = :edits, hash = :hash, details = :details
WHERE space_id = :space_id AND key = :key;

-- name: children
SELECT key, changes, edits, hash FROM scoped_operations WHERE parent = :key ORDER BY key;

-- name: entries_to_seal
-- Without an ORDER BY, which would cost more than the rest: they are put in order by their id where they are read.
SELECT id, tbl, key, action, image, after FROM scoped_journal WHERE operation = :operation;

-- name: operation_by_id
SELECT o.*, p.id AS parent_id, u.id AS undoes_id
FROM scoped_operations o
LEFT JOIN scoped_operations p ON p.key = o.parent
LEFT JOIN scoped_operations u ON u.key = o.undoes
WHERE o.id = :id;

-- name: operation_by_key
SELECT o.*, p.id AS parent_id, u.id AS undoes_id
FROM scoped_operations o
LEFT JOIN scoped_operations p ON p.key = o.parent
LEFT JOIN scoped_operations u ON u.key = o.undoes
WHERE o.key = :key;

-- name: operations
SELECT o.*, p.id AS parent_id, u.id AS undoes_id
FROM scoped_operations o
LEFT JOIN scoped_operations p ON p.key = o.parent
LEFT JOIN scoped_operations u ON u.key = o.undoes
WHERE (o.key < :before OR :before IS NULL)
  AND (o.actor = :actor OR :actor IS NULL)
  AND (o.session = :session OR :session IS NULL)
  AND (o.verb = :verb OR :verb IS NULL)
  AND (o.parent = :parent OR o.parent IS NULL AND :parent IS NULL)
ORDER BY o.key DESC
LIMIT :limit;

-- name: operation_count
SELECT count(*) FROM scoped_operations WHERE parent IS NULL;

-- name: undos_of
-- The undos of an operation, their undos, and so on. An undo that put nothing back undid nothing.
WITH RECURSIVE undo(key, undoes) AS (
  SELECT key, undoes FROM scoped_operations WHERE undoes = :key AND changes > 0
  UNION  -- and not ALL: in a damaged store an operation may seem to undo itself
  SELECT o.key, o.undoes FROM scoped_operations o JOIN undo ON o.undoes = undo.key WHERE o.changes > 0
)
SELECT key, undoes FROM undo ORDER BY key DESC;

-- name: undo_candidates
SELECT o.*, NULL AS parent_id, NULL AS undoes_id FROM scoped_operations o
WHERE o.actor = :actor AND o.parent IS NULL AND (o.edits > 0 OR o.hash = '' AND EXISTS (SELECT 1 FROM scoped_operations c WHERE c.parent = o.key)) AND o.verb NOT IN ('undo', 'create_space', 'purge')
  AND (o.key < :before OR :before IS NULL)
ORDER BY o.key DESC LIMIT 50;

-- name: newest_operation_at
SELECT coalesce(max(at), 0) FROM scoped_operations;

-- name: last_operation_at
SELECT at FROM scoped_operations ORDER BY key DESC LIMIT 1;

-- name: dated_between
SELECT EXISTS (SELECT 1 FROM scoped_operations WHERE at > :after AND at <= :upto);

-- name: last_operation_at_or_before
-- By number: what came before an operation of the past is past, even if a wrong clock dated it later.
SELECT coalesce(max(key), 0) FROM scoped_operations WHERE at <= :at;

-- name: entries_of_operations
SELECT id, operation, tbl, key, action, image FROM scoped_journal
WHERE operation IN {keys:operations} ORDER BY id;

-- name: touched_by
SELECT operation, tbl, key, total FROM (
    SELECT operation, tbl, key, count(*) OVER (PARTITION BY operation, tbl) AS total,
        row_number() OVER (PARTITION BY operation, tbl ORDER BY id) AS place
    FROM (
        SELECT CASE WHEN o.parent IN {keys:operations} THEN o.parent ELSE o.key END AS operation,
            j.tbl, j.key, min(j.id) AS id
        FROM scoped_journal j JOIN scoped_operations o ON o.key = j.operation
        WHERE (o.key IN {keys:operations} OR o.parent IN {keys:operations})
          AND j.tbl IN ('memories', 'edges') AND j.action <> 'rejected'
        GROUP BY 1, 2, 3
    ) AS each_row
) AS placed WHERE place <= :most ORDER BY operation, place;

-- name: entries_of_table_since
SELECT id, operation, tbl, key, action, image FROM scoped_journal
WHERE tbl = :tbl AND operation > :operation ORDER BY id;

-- name: entries_of_rows_after
SELECT j.id, j.operation, j.tbl, j.key, j.action, j.image FROM scoped_journal j
WHERE j.tbl = :tbl AND j.key IN {keys:keys} AND j.id > :entry
  AND j.operation NOT IN {keys:without}
ORDER BY j.id;

-- name: history_of_memory
SELECT j.id, o.id AS operation, o.verb, o.actor, o.reason, o.details, o.at, j.tbl, j.action, j.image
FROM scoped_journal j JOIN scoped_operations o ON o.key = j.operation
WHERE j.tbl = 'memories' AND j.key = :key
ORDER BY j.id;

-- name: reject_wording
INSERT INTO journal(space_id, operation, tbl, key, action, image)
VALUES (:space_id, :operation, 'memories', :key, 'rejected', :image);
