-- Schema 1. Integer keys inside, UUIDv7 text ids outside; times are microseconds since 1970 UTC;
-- lists and attributes are JSON texts. Rows of the tables marked "journalled" change only inside an
-- operation: triggers (see triggers.sql) refuse anything else and write the journal themselves.

CREATE TABLE migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spaces (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  offsets    TEXT NOT NULL DEFAULT '{}'  -- how far an import moved the integer keys, by table
) STRICT;

CREATE TABLE operations (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  id       TEXT NOT NULL,
  actor    TEXT NOT NULL,
  verb     TEXT NOT NULL,
  reason   TEXT,
  session  TEXT,
  at       INTEGER NOT NULL,
  parent   INTEGER,
  undoes   INTEGER,
  changes  INTEGER NOT NULL DEFAULT 0,  -- journal rows, children included
  edits    INTEGER NOT NULL DEFAULT 0,  -- of those, changes of content, state, links or pins: not mere use
  hash     TEXT NOT NULL DEFAULT '',    -- SHA-256 over its record and journal rows; empty while it is open
  details  TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE UNIQUE INDEX operations_by_id ON operations(space_id, id);
CREATE INDEX operations_by_time   ON operations(space_id, at);
CREATE INDEX operations_by_parent ON operations(space_id, parent) WHERE parent IS NOT NULL;
CREATE INDEX operations_by_undone ON operations(space_id, undoes) WHERE undoes IS NOT NULL;

-- The operation being written, if any. One writer at a time holds SQLite's write lock, so one row is enough.
CREATE TABLE writing (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  space_id  INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  verb      TEXT NOT NULL
) STRICT;

CREATE TABLE journal (
  id        INTEGER PRIMARY KEY,
  space_id  INTEGER NOT NULL,
  operation INTEGER NOT NULL,
  tbl       TEXT NOT NULL,
  key       INTEGER NOT NULL,
  action    TEXT NOT NULL CHECK (action IN ('insert', 'update', 'delete', 'rejected')),
  image     TEXT NOT NULL DEFAULT '{}',  -- the old values of what changed; all of them when the row was deleted
  after     TEXT NOT NULL DEFAULT '{}'   -- the new ones, for verify; a new memory's text is known by its hash
) STRICT;
CREATE INDEX journal_by_operation ON journal(space_id, operation);
CREATE INDEX journal_by_row       ON journal(space_id, tbl, key);

CREATE TABLE memories (  -- journalled
  key           INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id      INTEGER NOT NULL REFERENCES spaces(key),
  id            TEXT NOT NULL,
  kind          TEXT NOT NULL,
  section       TEXT NOT NULL CHECK (section IN ('SIGNALS', 'EPISODIC', 'KNOWLEDGE', 'PROCEDURAL')),
  title         TEXT NOT NULL,
  text          TEXT NOT NULL CHECK (text <> ''),
  state         TEXT NOT NULL CHECK (state IN ('LIVE', 'ARCHIVED', 'TRASHED')),
  state_at      INTEGER NOT NULL,
  state_by      TEXT NOT NULL,           -- the verb that brought it into this state
  pinned        INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  protected     INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
  superseded_by TEXT,
  salience      REAL NOT NULL CHECK (salience BETWEEN 0 AND 1),
  trust         REAL NOT NULL CHECK (trust BETWEEN 0 AND 1),
  source        TEXT,
  session       TEXT,
  tags          TEXT NOT NULL DEFAULT '[]',
  entities      TEXT NOT NULL DEFAULT '[]',
  attributes    TEXT NOT NULL DEFAULT '{}',
  event_at      INTEGER,
  expires_at    INTEGER,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  access_count  INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
  stability     REAL NOT NULL CHECK (stability > 0 AND stability < 1e9),
  difficulty    REAL NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
  review        TEXT,                    -- the latest use that moved stability, with the figures before it
  content_hash  TEXT NOT NULL,
  version       INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1)
) STRICT;
CREATE UNIQUE INDEX memories_by_id ON memories(space_id, id);
CREATE INDEX memories_by_state ON memories(space_id, state);
CREATE INDEX memories_by_hash  ON memories(space_id, content_hash, state);
CREATE UNIQUE INDEX one_identity_per_space ON memories(space_id) WHERE kind = 'self';

-- What full-text search reads. A title that only repeats the beginning of the text is not indexed again.
CREATE VIEW searchable AS
SELECT key,
       CASE WHEN substr(text, 1, length(rtrim(title, '…'))) = rtrim(title, '…')
             AND substr(text, length(rtrim(title, '…')) + 1, 1) IN ('', ' ', char(10))  -- and ends with a word
            THEN '' ELSE title END AS title,
       text, tags, entities
FROM memories;
CREATE VIRTUAL TABLE memory_text USING fts5(
  title, text, tags, entities,
  content = 'searchable', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', 1);
INSERT INTO memory_text(memory_text, rank) VALUES ('automerge', 8);  -- half the merging of small commits

CREATE TABLE edges (  -- journalled
  key          INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id     INTEGER NOT NULL REFERENCES spaces(key),
  source       INTEGER NOT NULL,
  target       INTEGER NOT NULL,
  type         TEXT NOT NULL,
  weight       REAL NOT NULL CHECK (weight > 0 AND weight <= 1),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  CHECK (source <> target)
) STRICT;
CREATE UNIQUE INDEX edges_by_source ON edges(space_id, source, target, type);
CREATE INDEX edges_by_target ON edges(space_id, target);

CREATE TABLE clusters (  -- journalled
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES spaces(key),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  rule       TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX clusters_by_id ON clusters(space_id, id);
CREATE UNIQUE INDEX clusters_by_name ON clusters(space_id, name);

CREATE TABLE memberships (  -- journalled
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  cluster  INTEGER NOT NULL,
  memory   INTEGER NOT NULL,
  added_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX memberships_by_cluster ON memberships(space_id, cluster, memory);
CREATE INDEX memberships_by_memory ON memberships(space_id, memory);

CREATE TABLE pages (  -- journalled: longer texts an agent keeps about itself, by name
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES spaces(key),
  name       TEXT NOT NULL,
  text       TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pages_by_name ON pages(space_id, name);

CREATE TABLE recalls (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  id       TEXT NOT NULL,
  at       INTEGER NOT NULL,
  actor    TEXT NOT NULL,
  session  TEXT,
  query    TEXT NOT NULL,
  shown    TEXT NOT NULL,               -- JSON list of memory ids, best first
  reported TEXT NOT NULL DEFAULT '{}'   -- JSON: memory id → outcome
) STRICT;
CREATE UNIQUE INDEX recalls_by_id ON recalls(space_id, id);
CREATE INDEX recalls_by_space ON recalls(space_id, key);

CREATE TABLE tombstones (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id    INTEGER NOT NULL REFERENCES spaces(key),
  fingerprint TEXT NOT NULL,            -- keyed hash; says nothing about the text without the key
  operation   TEXT,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tombstones_by_fingerprint ON tombstones(space_id, fingerprint);

CREATE TABLE plans (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES spaces(key),
  id         TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  body       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX plans_by_id ON plans(space_id, id);
CREATE INDEX plans_by_space ON plans(space_id, created_at);

CREATE TABLE schedules (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id    INTEGER NOT NULL REFERENCES spaces(key),
  job         TEXT NOT NULL,
  due_at      INTEGER NOT NULL,
  last_run_at INTEGER,
  outcome     TEXT
) STRICT;
CREATE UNIQUE INDEX schedules_by_job ON schedules(space_id, job);

CREATE TABLE counters (  -- counters and watermarks of maintenance
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  name     TEXT NOT NULL,
  value    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX counters_by_name ON counters(space_id, name);

CREATE TABLE queue (
  key         INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id    INTEGER NOT NULL REFERENCES spaces(key),
  id          TEXT NOT NULL,
  job         TEXT NOT NULL,
  payload     TEXT NOT NULL,
  enqueued_at INTEGER NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,
  taken_until INTEGER,                  -- a worker holds it until then
  done_at     INTEGER
) STRICT;
CREATE UNIQUE INDEX queue_by_id ON queue(space_id, id);
CREATE INDEX queue_waiting ON queue(space_id, key) WHERE done_at IS NULL;

CREATE TABLE ledger (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id   INTEGER NOT NULL REFERENCES spaces(key),
  at         INTEGER NOT NULL,
  job        TEXT NOT NULL,
  model      TEXT NOT NULL,
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd   REAL NOT NULL CHECK (cost_usd >= 0 AND cost_usd < 1e9)
) STRICT;
CREATE INDEX ledger_by_time ON ledger(space_id, at);

-- What the query planner should expect: a million rows in ten spaces. Without figures it takes "this space" for
-- a handful of rows and reads a whole space where a few keys were asked for. ANALYZE would replace them.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memories',    'memories_by_id',            '1000000 100000 1'),
  ('memories',    'memories_by_state',         '1000000 100000 40000'),
  ('memories',    'memories_by_hash',          '1000000 100000 1 1'),
  ('memories',    'one_identity_per_space',    '10 1'),
  ('edges',       'edges_by_source',           '3000000 300000 4 2 1'),
  ('edges',       'edges_by_target',           '3000000 300000 4'),
  ('memberships', 'memberships_by_cluster',    '100000 10000 100 1'),
  ('memberships', 'memberships_by_memory',     '100000 10000 2'),
  ('operations',  'operations_by_id',          '1000000 100000 1'),
  ('operations',  'operations_by_time',        '1000000 100000 1'),
  ('operations',  'operations_by_parent',      '10000 1000 20'),
  ('operations',  'operations_by_undone',      '10000 1000 1'),
  ('journal',     'journal_by_operation',      '4000000 400000 4'),
  ('journal',     'journal_by_row',            '4000000 400000 200000 3'),
  ('recalls',     'recalls_by_id',             '100000 10000 1'),
  ('recalls',     'recalls_by_space',          '100000 10000 1');
ANALYZE sqlite_schema;
