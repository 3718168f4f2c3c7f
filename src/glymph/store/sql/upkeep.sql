-- name: spaces
SELECT s.key, s.name, s.created_at, m.id AS identity_id
FROM spaces s LEFT JOIN memories m ON m.space_id = s.key AND m.kind = 'self'
WHERE s.name NOT LIKE '(%'  -- being loaded or deleted
ORDER BY s.name;

-- name: space_count
SELECT count(*) FROM spaces;

-- name: insert_space
INSERT INTO spaces(name, created_at) VALUES (:name, :at) RETURNING key;

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

-- name: counter
SELECT value FROM scoped_counters WHERE name = :name;

-- name: set_counter
INSERT INTO counters(space_id, name, value) VALUES (:space_id, :name, :value)
ON CONFLICT (space_id, name) DO UPDATE SET value = excluded.value;

-- name: schedule
SELECT job, due_at, last_run_at, outcome FROM scoped_schedules WHERE job = :job;

-- name: set_schedule
INSERT INTO schedules(space_id, job, due_at, last_run_at, outcome)
VALUES (:space_id, :job, :due_at, :last_run_at, :outcome)
ON CONFLICT (space_id, job) DO UPDATE
SET due_at = excluded.due_at, last_run_at = excluded.last_run_at, outcome = excluded.outcome;

-- name: enqueue
INSERT INTO queue(space_id, id, job, payload, enqueued_at) VALUES (:space_id, :id, :job, :payload, :at);

-- name: take_job
UPDATE queue SET attempts = attempts + 1, taken_until = :until
WHERE key = (
  SELECT key FROM queue
  WHERE space_id = :space_id AND done_at IS NULL AND (taken_until IS NULL OR taken_until <= :now)
  ORDER BY key LIMIT 1
)
RETURNING id, job, payload, attempts;

-- name: finish_job
UPDATE queue SET done_at = :at WHERE space_id = :space_id AND id = :id;

-- name: charge
INSERT INTO ledger(space_id, at, job, model, tokens_in, tokens_out, cost_usd)
VALUES (:space_id, :at, :job, :model, :tokens_in, :tokens_out, :cost_usd);

-- name: spent
SELECT coalesce(sum(cost_usd), 0.0) FROM scoped_ledger WHERE at >= :since;

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

-- name: open_conflicts
SELECT key, id, older, newer, reason, raised_at, expires_at, resolution, resolved_at FROM scoped_conflicts
WHERE resolution IS NULL ORDER BY key;

-- name: conflict_by_id
SELECT key, id, older, newer, reason, raised_at, expires_at, resolution, resolved_at FROM scoped_conflicts
WHERE id = :id;
