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

-- name: resting_directly_on
-- Whatever their state: what was drawn from these memories may repeat them.
SELECT DISTINCT m.id FROM scoped_edges e JOIN scoped_memories m ON m.key = e.source
WHERE e.target IN {keys:keys} AND e.type IN ('derived_from', 'generalizes');

-- name: ever_resting_on
-- Also what an undo took away, or what was linked to them once: only the journal still knows it.
SELECT DISTINCT CAST(coalesce({json:j.after:source}, {json:j.image:source}) AS bigint) FROM scoped_journal j
WHERE j.tbl = 'edges'
  AND CAST(coalesce({json:j.after:target}, {json:j.image:target}) AS bigint) IN {keys:keys}
  AND coalesce({json:j.after:type}, {json:j.image:type}) IN ('derived_from', 'generalizes');

-- name: conflicts_naming
SELECT key FROM scoped_conflicts WHERE older IN {texts:ids} OR newer IN {texts:ids};

-- name: past_conflicts_naming
-- Also those that an undo took away: only the journal still knows them.
SELECT DISTINCT j.key FROM scoped_journal j
WHERE j.tbl = 'conflicts' AND (
  {json:j.image:older} IN {texts:ids} OR {json:j.image:newer} IN {texts:ids}
  OR {json:j.after:older} IN {texts:ids} OR {json:j.after:newer} IN {texts:ids});

-- name: whole_entries
SELECT id, tbl, key, operation, image, after FROM scoped_journal
WHERE tbl = :tbl AND key IN {keys:keys};

-- name: set_images
UPDATE journal SET image = :image, after = :after WHERE id = :id AND space_id = :space_id;

-- name: sealed_operations
SELECT o.* FROM scoped_operations o WHERE o.key IN {keys:keys} AND o.hash <> '';

-- name: operations_to_seal
-- One that is still open has no seal yet and gets none, but may tell something, too.
SELECT o.* FROM scoped_operations o WHERE o.key IN {keys:keys};

-- name: seal_anew
UPDATE operations SET hash = :hash, reason = :reason, details = :details, actor = :actor, session = :session
WHERE key = :key AND space_id = :space_id;

-- name: forget_vectors
DELETE FROM vectors WHERE key IN (
  SELECT v.key FROM scoped_models m JOIN scoped_vectors v ON v.model = m.key WHERE v.memory IN {keys:keys});

-- name: forget_former_vectors
DELETE FROM vectors WHERE key IN (
  SELECT v.key FROM scoped_models o JOIN scoped_vectors v ON v.model = o.key
  JOIN scoped_memories m ON m.key = v.memory
  WHERE v.memory IN {keys:keys} AND v.wording <> {bytes:substr(m.content_hash, 1, 16)});

-- name: telling_operations
SELECT key, {array:reason, json(details)} FROM scoped_operations WHERE reason IS NOT NULL OR details <> '{}';

-- name: session_names
-- What callers ever called their sessions. Reads the journal of the whole space.
SELECT session FROM scoped_memories
UNION SELECT session FROM scoped_operations
UNION SELECT session FROM scoped_recalls
UNION SELECT {json:image:session} FROM scoped_journal WHERE tbl = 'memories'
UNION SELECT {json:after:session} FROM scoped_journal WHERE tbl = 'memories';

-- name: actor_names
SELECT actor FROM scoped_operations UNION SELECT actor FROM scoped_recalls;

-- name: memories_in_sessions
SELECT key, session FROM scoped_memories WHERE session IN {texts:sessions};

-- name: entries_in_sessions
SELECT id, tbl, key, operation, image, after FROM scoped_journal
WHERE tbl = 'memories' AND ({json:image:session} IN {texts:sessions} OR {json:after:session} IN {texts:sessions});

-- name: operations_of_callers
SELECT key FROM scoped_operations WHERE session IN {texts:sessions} OR actor IN {texts:actors};

-- name: rename_session
UPDATE recalls SET session = :anew WHERE session = :name AND space_id = :space_id;

-- name: rename_actor
UPDATE recalls SET actor = :anew WHERE actor = :name AND space_id = :space_id;

-- name: pages
SELECT key, name, text FROM scoped_pages;

-- name: page_words
SELECT name, text FROM scoped_pages;

-- name: past_rows
SELECT key, image, after FROM scoped_journal WHERE tbl = :tbl;

-- name: cluster_words
SELECT key, name || ' ' || coalesce(rule, '') FROM scoped_clusters;

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
  SELECT 1 FROM {keys:keys} k WHERE k.value >= chunks.first AND k.value < chunks.upto);

-- name: queued
SELECT key, {array:json(payload), json(report)} FROM scoped_queue;

-- name: drop_job
DELETE FROM queue WHERE key = :key AND space_id = :space_id;

-- name: digests
SELECT key, text FROM surfaces WHERE space_id = {scope};

-- name: outcomes
SELECT key, outcome FROM scoped_schedules WHERE outcome IS NOT NULL;

-- name: forget_outcome
UPDATE schedules SET outcome = NULL WHERE key = :key AND space_id = :space_id;

-- name: conflict_reasons
SELECT key, reason FROM scoped_conflicts;

-- name: save_certificate
INSERT INTO certificates(space_id, operation, at, body, completed_at)
VALUES (:space_id, :operation, :at, :body, :completed_at)
ON CONFLICT (space_id, operation) DO UPDATE SET body = excluded.body, completed_at = excluded.completed_at;

-- name: certificates
SELECT operation, at, body, completed_at FROM certificates WHERE space_id = :space_id ORDER BY key DESC LIMIT :limit;

-- name: pending_certificates
SELECT operation, at, body, completed_at FROM certificates
WHERE space_id = :space_id AND completed_at IS NULL ORDER BY key;

-- name: certificate_of
SELECT operation, at, body, completed_at FROM certificates WHERE space_id = :space_id AND operation = :operation;

-- name: memories_left
SELECT count(*) FROM scoped_memories WHERE key IN {keys:keys};

-- name: vectors_left
SELECT count(*) FROM scoped_models m JOIN scoped_vectors v ON v.model = m.key WHERE v.memory IN {keys:keys};

-- name: former_vectors_left
SELECT count(*) FROM scoped_models o JOIN scoped_vectors v ON v.model = o.key
JOIN scoped_memories m ON m.key = v.memory
WHERE v.memory IN {keys:keys} AND v.wording <> {bytes:substr(m.content_hash, 1, 16)};

-- name: chunks_left
SELECT count(*) FROM chunks WHERE space_id = :space_id AND tbl = 'memories' AND stamp < :operation AND EXISTS (
  SELECT 1 FROM {keys:keys} k WHERE k.value >= chunks.first AND k.value < chunks.upto);

-- name: entries_left
-- Journal rows that no purge has blanked.
SELECT count(*) FROM scoped_journal
WHERE tbl = 'memories' AND key IN {keys:keys} AND {json:image:purged} IS NULL;

-- name: former_entries_left
SELECT count(*) FROM scoped_journal
WHERE tbl = 'memories' AND key IN {keys:keys} AND {json:image:purged} IS NULL
  AND coalesce({json:image:text}, {json:image:title}, {json:image:tags},
               {json:image:entities}, {json:image:attributes}, {json:image:source}) IS NOT NULL;

-- name: ids_of_keys
-- Also of those that an undo took away.
SELECT id FROM scoped_memories WHERE key IN {keys:keys}
UNION
SELECT {json:image:id} FROM scoped_journal
WHERE tbl = 'memories' AND key IN {keys:keys} AND action = 'delete';

-- name: journal_holding
-- Old values only: a new one is that of the row now, or the old one of a later entry. Whoever asks looks closer: beyond
-- ASCII a word can be spelt in more ways than an engine knows. Images of figures alone, such as those of uses, say
-- nothing. Reads the journal of the whole space, page by page.
SELECT operation, id, tbl, key, image FROM scoped_journal
WHERE (operation, id) > (:operation, :id) AND action <> 'insert'
  AND (image LIKE '%:"%' OR image LIKE '%: "%') AND (
  :every = 1
  OR octet_length(image) <> length(image)
  OR EXISTS (SELECT 1 FROM {texts:probes} p WHERE {at:lower(image):p.value} > 0))
ORDER BY operation, id LIMIT :most;
