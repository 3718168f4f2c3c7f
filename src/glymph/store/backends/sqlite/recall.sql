-- Schema 2: vectors, neighbours in a session, and what `fit` learns from.

-- Embedding models by name and dimension. Vectors of two models are never compared.
CREATE TABLE models (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES spaces(key),
  name       TEXT NOT NULL,
  dimension  INTEGER NOT NULL CHECK (dimension > 0),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX models_by_name ON models(space_id, name, dimension);

-- A vector belongs to one wording of a memory and never changes. One that is no longer said stays, so that an undo
-- finds it again; a memory answers with the vector whose wording is its own.
CREATE TABLE vectors (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  model    INTEGER NOT NULL,
  memory   INTEGER NOT NULL,
  wording  BLOB NOT NULL CHECK (length(wording) = 8),  -- the first bytes of the content hash
  vector   BLOB NOT NULL                               -- little-endian float16
) STRICT;
CREATE UNIQUE INDEX vectors_by_memory ON vectors(space_id, model, memory, wording);

CREATE INDEX memories_by_session ON memories(space_id, session, key) WHERE session IS NOT NULL;

ALTER TABLE recalls ADD COLUMN figures TEXT;  -- JSON: for each memory shown its section, days since use, stability

-- Forgetting curves fitted to a space's own recall log and adopted.
CREATE TABLE curves (
  key       INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id  INTEGER NOT NULL REFERENCES spaces(key),
  section   TEXT NOT NULL,
  decay     REAL NOT NULL CHECK (decay > 0),
  scale     REAL NOT NULL CHECK (scale > 0),
  fitted_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX curves_by_section ON curves(space_id, section);

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('models',   'models_by_name',      '10 1 1 1'),
  ('vectors',  'vectors_by_memory',   '1000000 100000 100000 1 1'),
  ('memories', 'memories_by_session', '1000000 100000 20 1');
ANALYZE sqlite_schema;
