-- Schema 7: one queue for every doubt about two memories. The table keeps the name of the first kind of doubt, by
-- which journals and exports know it; what a question may be answered with is its kind's affair.
CREATE TABLE conflicts_before AS SELECT * FROM conflicts;
CREATE TABLE sequence_before AS SELECT name, seq FROM sqlite_sequence WHERE name = 'conflicts';
DROP TABLE conflicts;
CREATE TABLE conflicts (  -- journalled
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id    INTEGER NOT NULL REFERENCES spaces(key),
  id          TEXT NOT NULL,
  older       TEXT NOT NULL,
  newer       TEXT NOT NULL,
  reason      TEXT NOT NULL,
  raised_at   INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  resolution  TEXT,
  resolved_at INTEGER,
  kind        TEXT  -- none in what was asked before there were kinds
) STRICT;
CREATE UNIQUE INDEX conflicts_by_id ON conflicts(space_id, id);
CREATE INDEX conflicts_open ON conflicts(space_id, key) WHERE resolution IS NULL;
INSERT INTO conflicts SELECT *, NULL FROM conflicts_before;
DELETE FROM sqlite_sequence WHERE name = 'conflicts';
INSERT INTO sqlite_sequence(name, seq) SELECT name, seq FROM sequence_before;
DROP TABLE conflicts_before;
DROP TABLE sequence_before;

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('conflicts', 'conflicts_by_id', '10000 1000 1'),
  ('conflicts', 'conflicts_open',  '1000 100 1');
ANALYZE sqlite_schema;
