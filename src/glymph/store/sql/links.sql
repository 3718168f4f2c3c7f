-- name: edges_between_states
SELECT {edge}, s.id AS source_id, t.id AS target_id
FROM scoped_edges e
JOIN scoped_memories s ON s.key = e.source
JOIN scoped_memories t ON t.key = e.target
WHERE s.state IN {texts:states} AND t.state IN {texts:states}
ORDER BY e.key;

-- name: edges_of_memory
SELECT {edge}, s.id AS source_id, t.id AS target_id
FROM scoped_edges e
JOIN scoped_memories s ON s.key = e.source
JOIN scoped_memories t ON t.key = e.target
WHERE e.key IN (
  SELECT key FROM scoped_edges WHERE source = (SELECT key FROM scoped_memories WHERE id = :id)
  UNION
  SELECT key FROM scoped_edges WHERE target = (SELECT key FROM scoped_memories WHERE id = :id)
)
AND s.state IN {texts:states} AND t.state IN {texts:states}
ORDER BY e.key;

-- name: edge_between
SELECT {edge} FROM scoped_edges e WHERE e.source = :source AND e.target = :target AND e.type = :type;

-- name: edge_between_ids
SELECT {edge} FROM scoped_edges e
JOIN scoped_memories s ON s.key = e.source
JOIN scoped_memories t ON t.key = e.target
WHERE s.id = :source AND t.id = :target AND e.type = :type;

-- name: clusters
SELECT key, id, name, rule, created_at FROM scoped_clusters ORDER BY name;

-- name: memberships
SELECT s.key, s.cluster, s.memory, s.added_at, c.id AS cluster_id, m.id AS memory_id
FROM scoped_memberships s
JOIN scoped_clusters c ON c.key = s.cluster
JOIN scoped_memories m ON m.key = s.memory
ORDER BY s.key;

-- name: members_of_cluster
SELECT s.key, s.cluster, s.memory, s.added_at, m.id AS memory_id
FROM scoped_memberships s
JOIN scoped_memories m ON m.key = s.memory
WHERE s.cluster = :cluster
ORDER BY s.key;

-- name: members_among
SELECT s.key, s.cluster, s.memory, s.added_at, m.id AS memory_id
FROM scoped_memberships s
JOIN scoped_memories m ON m.key = s.memory
WHERE s.cluster = :cluster AND s.memory IN {keys:memories}
ORDER BY s.key;

-- name: page_by_name
SELECT key, name, text, updated_at FROM scoped_pages WHERE name = :name;
