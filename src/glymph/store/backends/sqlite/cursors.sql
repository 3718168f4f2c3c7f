-- Schema 12: the key of the cursors of listings.
INSERT INTO meta(name, value) VALUES ('cursor_key', lower(hex(randomblob(32))));
