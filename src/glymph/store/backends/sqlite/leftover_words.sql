-- Schema 13: memories of which the pages of the text index may still hold words that they say no longer, and which no
-- search finds. Merging the whole index takes such words out; it is done once for those that earlier versions left.
CREATE TABLE leftover_words (
  memory   INTEGER PRIMARY KEY,
  space_id INTEGER NOT NULL
) STRICT;
INSERT INTO memory_text(memory_text) VALUES ('optimize');
