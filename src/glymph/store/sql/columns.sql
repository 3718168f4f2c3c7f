-- What a whole space is judged by, in columns. Chunks are a cache; the rows of the tables are the truth.

-- name: chunk_heads
SELECT key, first, upto, stamp, count, layout FROM chunks
WHERE space_id = :space_id AND tbl = :tbl ORDER BY first;

-- name: chunk_body
SELECT b.body FROM chunks c JOIN chunk_bodies b ON b.chunk = c.key WHERE c.space_id = :space_id AND c.key = :key;

-- name: drop_chunks
DELETE FROM chunks WHERE space_id = :space_id AND key IN {keys:keys} RETURNING key;

-- name: forget_chunks
DELETE FROM chunks WHERE space_id = :space_id RETURNING key;

-- name: overlapping_chunks
SELECT key FROM chunks WHERE space_id = :space_id AND tbl = :tbl AND first < :upto AND upto > :first;

-- name: insert_chunk
INSERT INTO chunks(space_id, tbl, first, upto, stamp, count, layout)
VALUES (:space_id, :tbl, :first, :upto, :stamp, :count, :layout) RETURNING key;

-- name: insert_chunk_body
INSERT INTO chunk_bodies(chunk, body) VALUES (:key, :body);

-- name: restamp_chunks
UPDATE chunks SET stamp = :stamp WHERE space_id = :space_id AND key IN {keys:keys} AND stamp < :stamp;

-- name: changed_rows
-- By operation: the index by row would be read from its beginning.
SELECT DISTINCT key FROM scoped_journal WHERE {unindexed:tbl} = :tbl AND operation > :operation;

-- name: memory_figures_between
-- In the order of keys, for one state: the index by state leads there, whatever other spaces lie between.
SELECT key, kind, section, state, pinned, protected, superseded_by IS NOT NULL, created_at, last_used_at,
       expires_at, stability, access_count, octet_length(text)
FROM scoped_memories WHERE state = :state AND key > :after AND key < :upto ORDER BY key LIMIT :limit;

-- name: memory_figures
SELECT key, kind, section, state, pinned, protected, superseded_by IS NOT NULL, created_at, last_used_at,
       expires_at, stability, access_count, octet_length(text)
FROM scoped_memories WHERE key IN {keys:keys};

-- name: edge_figures_between
SELECT key, source, target, type, weight, coalesce(last_used_at, created_at)
FROM scoped_edges WHERE (source, target, type) > (:source, :target, :type) AND source < :upto
ORDER BY source, target, type LIMIT :limit;

-- name: edge_figures
SELECT key, source, target, type, weight, coalesce(last_used_at, created_at)
FROM scoped_edges WHERE key IN {keys:keys};
