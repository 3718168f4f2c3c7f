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

-- The day a memory is about becomes searchable, in words: "8 May 2023".
DROP TABLE memory_text;
DROP VIEW searchable;
CREATE VIEW searchable AS
SELECT key,
       CASE WHEN substr(text, 1, length(rtrim(title, '…'))) = rtrim(title, '…')
             AND substr(text, length(rtrim(title, '…')) + 1, 1) IN ('', ' ', char(10))  -- and ends with a word
            THEN '' ELSE title END AS title,
       text, tags, entities,
       CASE WHEN event_at IS NULL THEN '' ELSE
         strftime('%e ', event_at / 1000000, 'unixepoch') ||
         CASE strftime('%m', event_at / 1000000, 'unixepoch')
           WHEN '01' THEN 'January' WHEN '02' THEN 'February' WHEN '03' THEN 'March' WHEN '04' THEN 'April'
           WHEN '05' THEN 'May' WHEN '06' THEN 'June' WHEN '07' THEN 'July' WHEN '08' THEN 'August'
           WHEN '09' THEN 'September' WHEN '10' THEN 'October' WHEN '11' THEN 'November' ELSE 'December' END ||
         strftime(' %Y', event_at / 1000000, 'unixepoch') END AS day
FROM memories;
CREATE VIRTUAL TABLE memory_text USING fts5(
  title, text, tags, entities, day,
  content = 'searchable', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_text(memory_text, rank) VALUES ('automerge', 8);
INSERT INTO memory_text(memory_text) VALUES ('rebuild');

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('models',   'models_by_name',      '10 1 1 1'),
  ('vectors',  'vectors_by_memory',   '1000000 100000 100000 1 1'),
  ('memories', 'memories_by_session', '1000000 100000 20 1');
ANALYZE sqlite_schema;
