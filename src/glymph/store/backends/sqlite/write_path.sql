-- Schema 3: what `add` notices. Conflicts wait for a decision; tombstones become undoable.

-- Two statements that cannot both be current, where code could not tell which is. Memories are named by id: a
-- conflict about one that is gone is moot, and in nobody's way.
CREATE TABLE conflicts (  -- journalled
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id    INTEGER NOT NULL REFERENCES spaces(key),
  id          TEXT NOT NULL,
  older       TEXT NOT NULL,
  newer       TEXT NOT NULL,
  reason      TEXT NOT NULL,
  raised_at   INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  resolution  TEXT CHECK (resolution IN ('new_is_current', 'old_is_current', 'keep_both', 'merge')),
  resolved_at INTEGER
) STRICT;
CREATE UNIQUE INDEX conflicts_by_id ON conflicts(space_id, id);
CREATE INDEX conflicts_open ON conflicts(space_id, key) WHERE resolution IS NULL;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('conflicts', 'conflicts_by_id', '10000 1000 1'),
  ('conflicts', 'conflicts_open',  '1000 100 1');
ANALYZE sqlite_schema;
