-- Schema 6: conversations with their transcripts, for whoever keeps them in the store and not in files beside it.

CREATE TABLE conversations (
  key           INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id      INTEGER NOT NULL REFERENCES spaces(key),
  name          TEXT NOT NULL,                -- the session
  state         TEXT NOT NULL DEFAULT '{}',   -- JSON: how far it is summarised, and the summary
  claimed_until INTEGER NOT NULL DEFAULT 0    -- somebody is shortening it
) STRICT;
CREATE UNIQUE INDEX conversations_by_name ON conversations(space_id, name);

CREATE TABLE messages (
  key          INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id     INTEGER NOT NULL REFERENCES spaces(key),
  conversation INTEGER NOT NULL,
  number       INTEGER NOT NULL CHECK (number > 0),  -- from 1 on, in each conversation
  body         TEXT NOT NULL                         -- JSON: the message, and when it was said
) STRICT;
CREATE UNIQUE INDEX messages_by_number ON messages(space_id, conversation, number);

-- Folders, besides the usual one, in which conversations of a space lie, so that a purge finds them.
CREATE TABLE folders (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  space_id INTEGER NOT NULL REFERENCES spaces(key),
  path     TEXT NOT NULL,
  owner    TEXT NOT NULL    -- the store that noted it: a copy of it has no right to them
) STRICT;
CREATE UNIQUE INDEX folders_by_path ON folders(space_id, path, owner);

INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('conversations', 'conversations_by_name', '1000 100 1'),
  ('messages',      'messages_by_number',    '100000 10000 100 1'),
  ('folders',       'folders_by_path',       '10 1 1 1');
ANALYZE sqlite_schema;
