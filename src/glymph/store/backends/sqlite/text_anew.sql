-- Schema 14: the text index is made anew once. Up to here a purge of a memory that had been changed before could leave
-- its former words in it.
INSERT INTO memory_text(memory_text) VALUES ('rebuild');
DELETE FROM leftover_words;
