-- Schema 4: the bands of embedding models; the figures of memories and links in columns; erase certificates.

-- From which cosine on two texts are the same, or near; NULL for those of the specification.
ALTER TABLE models ADD COLUMN duplicate_from REAL CHECK (duplicate_from BETWEEN -1 AND 1);
ALTER TABLE models ADD COLUMN connect_from REAL CHECK (connect_from BETWEEN -1 AND 1);

-- What was superseded by a memory is looked for when that is removed for good.
CREATE INDEX memories_by_successor ON memories(space_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- A cache that any handle may make anew: never journalled, exported or looked at for the truth, and without texts.
-- A chunk holds the rows of one key range (for links, of their sources) as they were right after one operation.
-- It goes with its space.
CREATE TABLE chunks (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key) ON DELETE CASCADE,
  tbl      TEXT NOT NULL,
  first    INTEGER NOT NULL,   -- the range begins here
  upto     INTEGER NOT NULL,   -- and ends before this
  stamp    INTEGER NOT NULL,   -- the newest operation whose changes are in it
  count    INTEGER NOT NULL,   -- of rows
  layout   TEXT NOT NULL       -- JSON: columns in their order, how each is packed, the words its codes stand for
) STRICT;
CREATE UNIQUE INDEX chunks_by_range ON chunks(space_id, tbl, first);

CREATE TABLE chunk_bodies (  -- apart, so that a new stamp does not write the body again
  chunk INTEGER PRIMARY KEY REFERENCES chunks(key) ON DELETE CASCADE,
  body  BLOB NOT NULL
) STRICT;

-- What became of each purge, place by place, without a word of what was removed. It is about this file, so it is
-- neither journalled nor exported, and goes with its space.
CREATE TABLE certificates (
  key          INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id     INTEGER NOT NULL REFERENCES spaces(key) ON DELETE CASCADE,
  operation    TEXT NOT NULL,      -- the id of the purge
  at           INTEGER NOT NULL,
  body         TEXT NOT NULL,      -- JSON: the status of each place
  completed_at INTEGER             -- NULL while a place is pending
) STRICT;
CREATE UNIQUE INDEX certificates_by_operation ON certificates(space_id, operation);
CREATE INDEX certificates_pending ON certificates(space_id, key) WHERE completed_at IS NULL;
CREATE INDEX certificates_by_space ON certificates(space_id, key);

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('chunks',   'chunks_by_range',       '1000 100 50 1'),
  ('certificates', 'certificates_by_operation', '1000 100 1'),
  ('certificates', 'certificates_by_space',     '1000 100 1'),
  ('certificates', 'certificates_pending',      '10 10 1'),
  ('memories', 'memories_by_successor', '10000 1000 1');
ANALYZE sqlite_schema;
