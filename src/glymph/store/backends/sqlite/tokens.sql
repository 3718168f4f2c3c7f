-- Schema 10: who may use the store over HTTP. Of a token only its hash is kept.
CREATE TABLE tokens (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  hash       TEXT NOT NULL,
  actor      TEXT NOT NULL,
  role       TEXT NOT NULL,
  spaces     TEXT NOT NULL,     -- JSON list of names; "*" for every space
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_by_hash ON tokens(hash);
