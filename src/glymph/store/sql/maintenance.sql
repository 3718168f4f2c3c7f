-- name: counter
SELECT value FROM scoped_counters WHERE name = :name;

-- name: set_counter
INSERT INTO counters(space_id, name, value) VALUES (:space_id, :name, :value)
ON CONFLICT (space_id, name) DO UPDATE SET value = excluded.value;

-- name: set_counter_to_newest
INSERT INTO counters(space_id, name, value) VALUES (:space_id, :name, coalesce({newest:memories}, 0))
ON CONFLICT (space_id, name) DO UPDATE SET value = excluded.value;

-- name: schedule
SELECT job, due_at, last_run_at, outcome FROM scoped_schedules WHERE job = :job;

-- name: set_schedule
INSERT INTO schedules(space_id, job, due_at, last_run_at, outcome)
VALUES (:space_id, :job, :due_at, :last_run_at, :outcome)
ON CONFLICT (space_id, job) DO UPDATE
SET due_at = excluded.due_at, last_run_at = excluded.last_run_at, outcome = excluded.outcome;

-- name: schedules
SELECT job, due_at, last_run_at, outcome FROM scoped_schedules ORDER BY job;

-- name: enqueue
INSERT INTO queue(space_id, id, job, payload, enqueued_at) VALUES (:space_id, :id, :job, :payload, :at)
ON CONFLICT (space_id, id) DO NOTHING;

-- name: enqueue_finished
INSERT INTO queue(space_id, id, job, payload, enqueued_at, done_at) VALUES (:space_id, :id, :job, :payload, :at, :at)
ON CONFLICT (space_id, id) DO NOTHING;

-- name: waiting_jobs
SELECT id, job, payload, enqueued_at, attempts, step, report FROM scoped_queue
WHERE done_at IS NULL AND failed_at IS NULL AND coalesce(taken_until, 0) <= :now ORDER BY key;

-- name: queue_state
SELECT count(*) AS waiting, count(*) FILTER (WHERE taken_until > :now) AS resting, min(enqueued_at) AS oldest_at
FROM scoped_queue WHERE done_at IS NULL AND failed_at IS NULL;

-- name: failed_jobs
SELECT id, job, enqueued_at, attempts, step, report, failed_at FROM scoped_queue
WHERE failed_at IS NOT NULL ORDER BY key DESC LIMIT :limit;

-- name: job
SELECT id, job, payload, enqueued_at, attempts, step, report, done_at, failed_at FROM scoped_queue WHERE id = :id;

-- name: attempt_job
UPDATE queue SET attempts = attempts + 1 WHERE space_id = :space_id AND id = :id AND done_at IS NULL;

-- name: advance_job
UPDATE queue SET step = :step, report = :report WHERE space_id = :space_id AND id = :id AND done_at IS NULL;

-- name: rest_job
UPDATE queue SET taken_until = :until WHERE space_id = :space_id AND id = :id AND done_at IS NULL;

-- name: finish_job
UPDATE queue SET done_at = :at WHERE space_id = :space_id AND id = :id AND done_at IS NULL;

-- name: give_up_job
UPDATE queue SET failed_at = :at, report = :report WHERE space_id = :space_id AND id = :id AND done_at IS NULL;

-- name: revive_job
UPDATE queue SET failed_at = NULL, taken_until = NULL, attempts = 1, report = :report
WHERE space_id = :space_id AND id = :id;

-- name: drop_finished_jobs
DELETE FROM queue WHERE space_id = :space_id AND done_at <= :before;

-- name: cut_off
-- Operations of an actor, in several transactions, begun after a moment, that nobody has closed.
SELECT key FROM scoped_operations WHERE at > :since AND hash = '' AND actor = :actor ORDER BY key;

-- name: lease
SELECT fence, holder, until FROM leases WHERE space_id = :space_id;

-- name: take_lease
-- One that ends far later than anybody could have asked for is of a clock that was set back meanwhile.
INSERT INTO leases(space_id, fence, holder, until) VALUES (:space_id, 1, :holder, :until)
ON CONFLICT (space_id) DO UPDATE SET fence = leases.fence + 1, holder = excluded.holder, until = excluded.until
WHERE leases.until <= :now OR leases.until - :until > :until - :now
RETURNING fence;

-- name: renew_lease
UPDATE leases SET until = :until WHERE space_id = :space_id AND fence = :fence RETURNING fence;

-- name: give_back_lease
UPDATE leases SET until = 0 WHERE space_id = :space_id AND fence = :fence;

-- name: reserve
INSERT INTO ledger(space_id, at, job, model, run, tokens_in, tokens_out, cost_usd, assumed, outcome)
VALUES (:space_id, :at, :job, :model, :run, :tokens_in, :tokens_out, :cost_usd, :assumed, 'reserved')
RETURNING key;

-- name: settle
UPDATE ledger SET tokens_in = :tokens_in, tokens_out = :tokens_out, cost_usd = :cost_usd, outcome = :outcome
WHERE space_id = :space_id AND key = :key AND outcome = 'reserved';

-- name: spent
SELECT coalesce(sum(cost_usd), 0.0), CAST(coalesce(sum(tokens_in + tokens_out), 0) AS BIGINT) FROM scoped_ledger
WHERE at > :since AND at <= :upto;

-- name: spent_by_store
SELECT coalesce(sum(cost_usd), 0.0), CAST(coalesce(sum(tokens_in + tokens_out), 0) AS BIGINT) FROM ledger
WHERE space_id IN (SELECT key FROM spaces) AND at > :since AND at <= :upto;

-- name: spent_by_run
SELECT coalesce(sum(cost_usd), 0.0), CAST(coalesce(sum(tokens_in + tokens_out), 0) AS BIGINT) FROM scoped_ledger WHERE run = :run;

-- name: calls
SELECT at, job, model, run, tokens_in, tokens_out, cost_usd, assumed, outcome FROM scoped_ledger
WHERE at > :since AND at <= :upto ORDER BY key;

-- name: transcript
SELECT head, "offset", read_at FROM scoped_transcripts WHERE source = :source;

-- name: set_transcript
INSERT INTO transcripts(space_id, source, head, "offset", read_at) VALUES (:space_id, :source, :head, :offset, :at)
ON CONFLICT (space_id, source) DO UPDATE
SET head = excluded.head, "offset" = excluded."offset", read_at = excluded.read_at;

-- name: surface
SELECT change, until, text FROM surfaces WHERE space_id = :space_id AND budget = :budget;

-- name: keep_surface
INSERT INTO surfaces(space_id, budget, change, until, text) VALUES (:space_id, :budget, :change, :until, :text)
ON CONFLICT (space_id, budget) DO UPDATE
SET change = excluded.change, until = excluded.until, text = excluded.text;

-- name: drop_surfaces
DELETE FROM surfaces WHERE space_id = :space_id;

-- name: touched_since
-- Which of these memories a later operation changed. That it was made, linked to another or dated anew is no change.
SELECT DISTINCT j.key FROM scoped_journal j JOIN scoped_operations o ON o.key = j.operation
WHERE j.tbl = 'memories' AND j.key IN {keys:keys} AND j.operation > :operation AND o.verb <> 'redate'
  AND j.action <> 'insert' AND j.image NOT LIKE '{"version":%';

-- name: newest_memory
SELECT coalesce(max(key), 0) FROM scoped_memories;

-- name: archived_by
-- What these verbs archived before a moment and nobody has used since.
SELECT {memory} FROM scoped_memories m
WHERE m.state = 'ARCHIVED' AND m.state_by IN {texts:verbs} AND m.state_at <= :before
  AND coalesce(m.last_used_at, 0) <= m.state_at
ORDER BY m.state_at, m.key LIMIT :limit;

-- name: operations_ahead
-- How many operations after one are dated later than a moment, and the first of these dates.
SELECT count(*), min(at), max(at), max(key) FROM scoped_operations WHERE at > :at AND key > :operation;

-- name: next_operation_by
-- The first operation after one that is dated no later than a moment.
SELECT key, at FROM scoped_operations WHERE key > :operation AND at <= :upto ORDER BY key LIMIT 1;

-- name: writers_of_rows
-- The first and the last operation that touched each of these rows.
SELECT key, min(operation), max(operation) FROM scoped_journal
WHERE tbl = :tbl AND key IN {keys:keys} GROUP BY key;

-- name: marks_ahead
-- Counters that hold a moment, for no key or count is as large, and rests of jobs.
SELECT (SELECT count(*) FROM scoped_counters WHERE value > :at)
  + (SELECT count(*) FROM scoped_queue WHERE done_at IS NULL AND taken_until > :at);

-- name: set_back_counters
UPDATE counters SET value = :now WHERE space_id = :space_id AND value > :at;

-- name: set_back_rests
UPDATE queue SET taken_until = :now WHERE space_id = :space_id AND done_at IS NULL AND taken_until > :at;
