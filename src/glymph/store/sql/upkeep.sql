-- name: spaces
SELECT s.key, s.name, s.created_at, {identity} AS identity_id FROM spaces s
WHERE s.name NOT LIKE '(%'  -- being loaded or deleted
ORDER BY s.name;

-- name: due_spaces
WITH d AS {once} (SELECT s.name, {due_at} AS at FROM spaces s WHERE s.name NOT LIKE '(%')
SELECT d.name FROM d
WHERE d.at IS NULL OR d.at <= :now OR d.at > :beyond ORDER BY coalesce(d.at, 0), d.name;

-- name: next_due
SELECT min({due_at}) FROM spaces s WHERE s.name NOT LIKE '(%';

-- name: space_count
SELECT count(*) FROM spaces;

-- name: insert_space
INSERT INTO spaces(name, created_at) VALUES (:name, :at) ON CONFLICT (name) DO NOTHING RETURNING key;

-- name: rename_space
UPDATE spaces SET name = :new WHERE name = :old;

-- name: log_recall
INSERT INTO recalls(space_id, id, at, actor, session, query, shown, figures)
VALUES (:space_id, :id, :at, :actor, :session, :query, :shown, :figures);

-- name: trim_recalls
DELETE FROM recalls WHERE space_id = :space_id AND key <= (
  SELECT key FROM recalls WHERE space_id = :space_id ORDER BY key DESC LIMIT 1 OFFSET :keep
);

-- name: recall_by_id
SELECT key, id, at, actor, session, query, shown, reported, figures FROM scoped_recalls WHERE id = :id;

-- name: recalls
SELECT key, id, at, actor, session, query, shown, reported, figures FROM scoped_recalls ORDER BY key DESC LIMIT :limit;

-- name: set_reported
UPDATE recalls SET reported = :reported WHERE space_id = :space_id AND key = :key;

-- name: curves
SELECT section, decay, scale FROM scoped_curves;

-- name: adopt_curve
INSERT INTO curves(space_id, section, decay, scale, fitted_at) VALUES (:space_id, :section, :decay, :scale, :at)
ON CONFLICT (space_id, section) DO UPDATE
SET decay = excluded.decay, scale = excluded.scale, fitted_at = excluded.fitted_at;

-- name: drop_curves
DELETE FROM curves WHERE space_id = :space_id;

-- name: save_plan
INSERT INTO plans(space_id, id, created_at, expires_at, body)
VALUES (:space_id, :id, :created_at, :expires_at, :body)
ON CONFLICT (space_id, id) DO UPDATE
SET created_at = excluded.created_at, expires_at = excluded.expires_at, body = excluded.body;

-- name: plan_by_id
SELECT id, created_at, expires_at, body FROM scoped_plans WHERE id = :id;

-- name: tombstones
SELECT key, fingerprint, operation, created_at FROM scoped_tombstones ORDER BY key;

-- name: has_tombstones
SELECT EXISTS (SELECT 1 FROM scoped_tombstones);

-- name: tombstones_with
SELECT key, fingerprint, operation, created_at FROM scoped_tombstones
WHERE fingerprint IN {texts:fingerprints} ORDER BY key;

-- name: bury
INSERT INTO tombstones(space_id, fingerprint, operation, created_at)
VALUES (:space_id, :fingerprint, :operation, :at)
ON CONFLICT (space_id, fingerprint) DO NOTHING;

-- name: open_questions
SELECT key, id, kind, older, newer, reason, raised_at, expires_at, resolution, resolved_at FROM scoped_conflicts
WHERE resolution IS NULL ORDER BY key;

-- name: questions_of
SELECT key, id, kind, older, newer, reason, raised_at, expires_at, resolution, resolved_at FROM scoped_conflicts
WHERE newer IN {texts:ids} ORDER BY key;

-- name: question_by_id
SELECT key, id, kind, older, newer, reason, raised_at, expires_at, resolution, resolved_at FROM scoped_conflicts
WHERE id = :id;
