-- Schema 6: who may use the store over HTTP. Of a token only its hash is kept.
CREATE TABLE tokens (
  id         TEXT COLLATE "C" PRIMARY KEY,
  name       TEXT NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL,
  actor      TEXT NOT NULL,
  role       TEXT NOT NULL,
  spaces     TEXT NOT NULL,     -- JSON list of names; "*" for every space
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE UNIQUE INDEX tokens_by_hash ON tokens(hash);
