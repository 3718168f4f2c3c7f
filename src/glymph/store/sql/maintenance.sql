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

-- name: reserve
INSERT INTO ledger(space_id, at, job, model, run, tokens_in, tokens_out, cost_usd, assumed, outcome)
VALUES (:space_id, :at, :job, :model, :run, :tokens_in, :tokens_out, :cost_usd, :assumed, 'reserved')
RETURNING key;

-- name: settle
UPDATE ledger SET tokens_in = :tokens_in, tokens_out = :tokens_out, cost_usd = :cost_usd, outcome = :outcome
WHERE space_id = :space_id AND key = :key AND outcome = 'reserved';

-- name: spent
SELECT coalesce(sum(cost_usd), 0.0), coalesce(sum(tokens_in + tokens_out), 0) FROM scoped_ledger WHERE at > :since;

-- name: spent_by_run
SELECT coalesce(sum(cost_usd), 0.0), coalesce(sum(tokens_in + tokens_out), 0) FROM scoped_ledger WHERE run = :run;

-- name: calls
SELECT at, job, model, run, tokens_in, tokens_out, cost_usd, assumed, outcome FROM scoped_ledger
WHERE at > :since ORDER BY key;

-- name: transcript
SELECT head, offset, read_at FROM scoped_transcripts WHERE source = :source;

-- name: set_transcript
INSERT INTO transcripts(space_id, source, head, offset, read_at) VALUES (:space_id, :source, :head, :offset, :at)
ON CONFLICT (space_id, source) DO UPDATE
SET head = excluded.head, offset = excluded.offset, read_at = excluded.read_at;

-- name: surface
SELECT change, made_at, text FROM surfaces WHERE space_id = :space_id AND budget = :budget;

-- name: keep_surface
INSERT INTO surfaces(space_id, budget, change, made_at, text) VALUES (:space_id, :budget, :change, :at, :text)
ON CONFLICT (space_id, budget) DO UPDATE
SET change = excluded.change, made_at = excluded.made_at, text = excluded.text;

-- name: drop_surfaces
DELETE FROM surfaces WHERE space_id = :space_id;

-- name: touched_since
-- Which of these memories an operation changed after a moment, in whatever way.
SELECT DISTINCT j.key FROM scoped_journal j JOIN scoped_operations o ON o.key = j.operation
WHERE j.tbl = 'memories' AND j.key IN {keys:keys} AND o.at > :since;

-- name: newest_memory
SELECT coalesce(max(key), 0) FROM scoped_memories;

-- name: archived_by
-- What these verbs archived before a moment and nobody has used since.
SELECT {memory} FROM scoped_memories m
WHERE m.state = 'ARCHIVED' AND m.state_by IN {texts:verbs} AND m.state_at <= :before
  AND coalesce(m.last_used_at, 0) <= m.state_at
ORDER BY m.state_at, m.key LIMIT :limit;
