-- Schema 8: the key of the cursors of listings, of two random numbers of 122 bits.
CREATE TABLE meta (
  name  TEXT COLLATE "C" PRIMARY KEY,
  value TEXT NOT NULL
);
INSERT INTO meta VALUES ('cursor_key', replace(concat(gen_random_uuid(), gen_random_uuid()), '-', ''));
