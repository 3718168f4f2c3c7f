-- Schema 5: what upkeep while the agent sleeps needs: calls set aside before they are made, transcripts read so far,
-- the digest a session begins with, jobs that go on where they stopped, and who may work on a space.

ALTER TABLE ledger ADD COLUMN run TEXT;                          -- the calls of one run share it
ALTER TABLE ledger ADD COLUMN outcome TEXT NOT NULL DEFAULT 'answered'
  CHECK (outcome IN ('reserved', 'answered', 'failed'));         -- reserved: set aside before the call, at its dearest
ALTER TABLE ledger ADD COLUMN assumed INTEGER NOT NULL DEFAULT 0 CHECK (assumed IN (0, 1));  -- the price was not known

-- How far each transcript was read. A transcript is known by a hash of where it lies, and by how it begins.
CREATE TABLE transcripts (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  source   TEXT NOT NULL,
  head     TEXT NOT NULL,
  offset   INTEGER NOT NULL CHECK (offset >= 0),  -- bytes read
  read_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX transcripts_by_source ON transcripts(space_id, source);

-- A cache that any handle may make anew, never journalled or exported. It goes with its space, and with each purge.
CREATE TABLE surfaces (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key) ON DELETE CASCADE,
  budget   INTEGER NOT NULL,   -- tokens it was made for
  change   INTEGER NOT NULL,   -- the newest operation when it was made
  until    INTEGER NOT NULL,   -- when something in it ends by itself
  text     TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX surfaces_by_budget ON surfaces(space_id, budget);

-- Who works on a space, until when. The number grows with every holder: what an earlier one still writes is refused.
CREATE TABLE leases (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key) ON DELETE CASCADE,
  fence    INTEGER NOT NULL,
  holder   TEXT NOT NULL,
  until    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX leases_by_space ON leases(space_id);

ALTER TABLE queue ADD COLUMN step TEXT;         -- the last step that is done
ALTER TABLE queue ADD COLUMN report TEXT;       -- JSON: what each step did, or why it failed
ALTER TABLE queue ADD COLUMN failed_at INTEGER; -- given up
DROP INDEX queue_waiting;
CREATE INDEX queue_waiting ON queue(space_id, key) WHERE done_at IS NULL AND failed_at IS NULL;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('transcripts', 'transcripts_by_source', '1000 100 1'),
  ('leases',      'leases_by_space',       '10 1'),
  ('surfaces',    'surfaces_by_budget',    '10 1 1');
ANALYZE sqlite_schema;
