-- name: model_key
SELECT key FROM scoped_models WHERE name = :name AND dimension = :dimension;

-- name: bands
SELECT duplicate_from, connect_from FROM scoped_models WHERE key = :model;

-- name: models
SELECT m.key, m.name, m.dimension, m.created_at,
       (SELECT count(*) FROM scoped_vectors v WHERE v.model = m.key) AS vectors
FROM scoped_models m ORDER BY m.key;

-- name: insert_model
INSERT INTO models(space_id, name, dimension, created_at, duplicate_from, connect_from)
VALUES (:space_id, :name, :dimension, :at, :duplicate, :connect)
ON CONFLICT (space_id, name, dimension) DO NOTHING;

-- name: insert_vector
-- Only for what a memory says now: a model that was at work while it was removed for good brings nothing back.
INSERT INTO vectors(space_id, model, memory, wording, vector)
SELECT :space_id, :model, :memory, :wording, :vector WHERE EXISTS (
  SELECT 1 FROM memories m WHERE m.key = :memory
    AND (m.space_id <> :space_id OR {bytes:substr(m.content_hash, 1, 16)} = :wording))
  OR (SELECT space_id FROM models WHERE key = :model) IS DISTINCT FROM :space_id  -- another space's are refused
ON CONFLICT (space_id, model, memory, wording) DO NOTHING;

-- name: forget_model
DELETE FROM vectors WHERE key IN (SELECT v.key FROM scoped_vectors v WHERE v.model = :model LIMIT :limit)
RETURNING key;

-- name: drop_model
DELETE FROM models WHERE space_id = :space_id AND key = :model;

-- name: unembedded
-- What has no vector of this model for the wording it has now: live memories first, the newest before the older.
SELECT m.key, m.text, m.content_hash FROM scoped_memories m
WHERE m.state = :state AND m.kind <> 'self' AND m.key < :before
  AND NOT EXISTS (
    SELECT 1 FROM scoped_vectors v
    WHERE v.model = :model AND v.memory = m.key AND v.wording = {bytes:substr(m.content_hash, 1, 16)})
ORDER BY m.key DESC LIMIT :limit;

-- name: unembedded_count
SELECT count(*) FROM scoped_memories m
WHERE m.state = 'LIVE' AND m.kind <> 'self'
  AND NOT EXISTS (
    SELECT 1 FROM scoped_vectors v
    WHERE v.model = :model AND v.memory = m.key AND v.wording = {bytes:substr(m.content_hash, 1, 16)});

-- name: vectors_after
SELECT memory, wording, vector FROM scoped_vectors
WHERE model = :model AND (memory, wording) > (:memory, :wording) ORDER BY memory, wording LIMIT :limit;

-- name: vectors_between
-- By key: the index by model would be read from its beginning. As three values: a row of its own for each vector costs
-- more than to read it.
SELECT {list:memory}, {joined:wording}, {joined:vector} FROM (SELECT v.memory, v.wording, v.vector FROM vectors v
WHERE v.key > :after AND v.key <= :upto AND {unindexed:v.space_id} = :space_id AND {unindexed:v.model} = :model) found;

-- name: vectors_of_memories
SELECT memory, wording, vector FROM scoped_vectors WHERE model = :model AND memory IN {keys:keys};

-- name: newest_change
SELECT operation FROM scoped_journal ORDER BY operation DESC LIMIT 1;

-- name: mirrored
SELECT {mirrored} FROM scoped_memories m WHERE m.key IN {keys:keys};

-- name: mirrored_columns
-- Ids grow with time: the index by id reads rows about as they lie.
SELECT {columns} FROM (SELECT {mirrored} FROM scoped_memories m ORDER BY m.id);

-- name: mirrored_columns_alone
-- Where there is only one space, rows are read as they lie.
SELECT {columns} FROM (SELECT {mirrored} FROM memories m
WHERE m.key > :after AND {unindexed:m.space_id} = :space_id ORDER BY m.key LIMIT :limit);

-- name: edges_touching
SELECT e.source, e.target, e.type, e.weight, e.created_at, e.last_used_at FROM scoped_edges e
WHERE e.source IN {keys:keys}
UNION
SELECT e.source, e.target, e.type, e.weight, e.created_at, e.last_used_at FROM scoped_edges e
WHERE e.target IN {keys:keys};
