-- Schema 5: what upkeep with a language model needs: calls set aside before they are made, transcripts read so far,
-- and the digest a session begins with.

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
  made_at  INTEGER NOT NULL,
  text     TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX surfaces_by_budget ON surfaces(space_id, budget);

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('transcripts', 'transcripts_by_source', '1000 100 1'),
  ('surfaces',    'surfaces_by_budget',    '10 1 1');
ANALYZE sqlite_schema;
