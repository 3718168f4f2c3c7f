-- What the database itself refuses, whoever asks. A message "glymph:NAME:DETAIL" becomes the typed error NAME.

CREATE TRIGGER memory_keeps_its_id BEFORE UPDATE OF id ON memories
WHEN OLD.id <> NEW.id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a memory keeps its id.'); END;

-- UPDATE OR REPLACE would remove the row that is in the way, past the triggers that guard removals.
CREATE TRIGGER nothing_becomes_the_identity BEFORE UPDATE OF kind ON memories
WHEN NEW.kind = 'self' AND OLD.kind <> 'self'
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:the identity of a space is born with it.'); END;

CREATE TRIGGER cluster_takes_no_name BEFORE UPDATE OF id, name ON clusters
WHEN OLD.id <> NEW.id OR EXISTS (
  SELECT 1 FROM clusters WHERE space_id = NEW.space_id AND name = NEW.name AND key <> OLD.key)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a cluster of this name exists already.'); END;

CREATE TRIGGER page_keeps_its_name BEFORE UPDATE OF name ON pages
WHEN OLD.name <> NEW.name
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a page keeps its name.'); END;

CREATE TRIGGER successor_is_of_the_same_space BEFORE UPDATE OF superseded_by ON memories
WHEN NEW.superseded_by IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM memories WHERE space_id = NEW.space_id AND id = NEW.superseded_by)
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a memory is superseded by one of its own space.'); END;

CREATE TRIGGER protected_stays BEFORE UPDATE OF state, superseded_by, protected, kind ON memories
WHEN OLD.protected = 1
 AND (NEW.state <> 'LIVE' OR NEW.superseded_by IS NOT NULL OR NEW.protected = 0 OR NEW.kind <> OLD.kind)
BEGIN SELECT RAISE(ABORT, 'glymph:Protected:' || OLD.id); END;

CREATE TRIGGER protected_is_not_deleted BEFORE DELETE ON memories
WHEN OLD.protected = 1 AND (SELECT verb FROM writing) IS DISTINCT FROM 'space_delete'
BEGIN SELECT RAISE(ABORT, 'glymph:Protected:' || OLD.id); END;

-- A pinned memory may come back to life, but not leave it.
CREATE TRIGGER pinned_stays BEFORE UPDATE OF state, superseded_by ON memories
WHEN OLD.pinned = 1
 AND (NEW.state <> OLD.state AND NEW.state <> 'LIVE'
      OR NEW.superseded_by IS NOT NULL AND NEW.superseded_by IS DISTINCT FROM OLD.superseded_by)
BEGIN SELECT RAISE(ABORT, 'glymph:Pinned:' || OLD.id); END;

-- Undoing the operation that made a memory, pin included, takes it away again.
CREATE TRIGGER pinned_is_not_deleted BEFORE DELETE ON memories
WHEN OLD.pinned = 1 AND (SELECT verb FROM writing) NOT IN ('undo', 'space_delete')
BEGIN SELECT RAISE(ABORT, 'glymph:Pinned:' || OLD.id); END;

CREATE TRIGGER edge_stays_in_its_space BEFORE INSERT ON edges
WHEN (SELECT space_id FROM memories WHERE key = NEW.source) IS DISTINCT FROM NEW.space_id
  OR (SELECT space_id FROM memories WHERE key = NEW.target) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:both ends of a link must be memories of its space.'); END;

CREATE TRIGGER edge_keeps_its_ends BEFORE UPDATE OF source, target, type ON edges
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a link keeps its ends and its type.'); END;

CREATE TRIGGER membership_keeps_its_ends BEFORE UPDATE OF cluster, memory ON memberships
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a membership keeps its cluster and its memory.'); END;

CREATE TRIGGER membership_stays_in_its_space BEFORE INSERT ON memberships
WHEN (SELECT space_id FROM memories WHERE key = NEW.memory) IS DISTINCT FROM NEW.space_id
  OR (SELECT space_id FROM clusters WHERE key = NEW.cluster) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a cluster holds memories of its own space.'); END;

CREATE TRIGGER vector_stays_in_its_space BEFORE INSERT ON vectors
WHEN (SELECT space_id FROM memories WHERE key = NEW.memory) <> NEW.space_id
  OR (SELECT space_id FROM models WHERE key = NEW.model) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a vector belongs to a memory and a model of its own space.'); END;

CREATE TRIGGER vector_keeps_its_value BEFORE UPDATE ON vectors
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a vector is never changed: another wording has another vector.'); END;

-- References between rows are kept by triggers: a foreign key on a memory alone would have to search every space
-- for links whenever a memory is removed.
CREATE TRIGGER linked_memory_stays BEFORE DELETE ON memories
WHEN EXISTS (SELECT 1 FROM edges WHERE space_id = OLD.space_id AND source = OLD.key)
  OR EXISTS (SELECT 1 FROM edges WHERE space_id = OLD.space_id AND target = OLD.key)
  OR EXISTS (SELECT 1 FROM memberships WHERE space_id = OLD.space_id AND memory = OLD.key)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a memory is removed only after its links and memberships.'); END;

CREATE TRIGGER filled_cluster_stays BEFORE DELETE ON clusters
WHEN EXISTS (SELECT 1 FROM memberships WHERE space_id = OLD.space_id AND cluster = OLD.key)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a cluster is removed only after its memberships.'); END;

-- INSERT OR REPLACE would remove a row without asking the triggers that guard removals: no row is ever replaced.
CREATE TRIGGER memory_is_not_replaced BEFORE INSERT ON memories
WHEN EXISTS (SELECT 1 FROM memories WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM memories WHERE space_id = NEW.space_id AND id = NEW.id)
  OR NEW.kind = 'self' AND EXISTS (SELECT 1 FROM memories WHERE space_id = NEW.space_id AND kind = 'self')
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this memory exists already.'); END;

CREATE TRIGGER edge_is_not_replaced BEFORE INSERT ON edges
WHEN EXISTS (SELECT 1 FROM edges WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM edges WHERE space_id = NEW.space_id AND source = NEW.source AND target = NEW.target
             AND type = NEW.type)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this link exists already.'); END;

CREATE TRIGGER cluster_is_not_replaced BEFORE INSERT ON clusters
WHEN EXISTS (SELECT 1 FROM clusters WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM clusters WHERE space_id = NEW.space_id AND (id = NEW.id OR name = NEW.name))
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this cluster exists already.'); END;

CREATE TRIGGER membership_is_not_replaced BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM memberships WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM memberships WHERE space_id = NEW.space_id AND cluster = NEW.cluster
             AND memory = NEW.memory)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this membership exists already.'); END;

CREATE TRIGGER page_is_not_replaced BEFORE INSERT ON pages
WHEN EXISTS (SELECT 1 FROM pages WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM pages WHERE space_id = NEW.space_id AND name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this page exists already.'); END;

CREATE TRIGGER operation_is_not_replaced BEFORE INSERT ON operations
WHEN EXISTS (SELECT 1 FROM operations WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM operations WHERE space_id = NEW.space_id AND id = NEW.id)
  OR (SELECT space_id FROM writing) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:operations are opened by Glymph, once.'); END;

CREATE TRIGGER journal_is_written_by_operations BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
  OR (SELECT space_id FROM writing) IS DISTINCT FROM NEW.space_id
  OR (SELECT operation FROM writing) <> NEW.operation AND (SELECT verb FROM writing) <> 'import'
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:the journal is written by the operation that is under way.'); END;

-- Only a purge takes texts out of the journal, and leaves its name where they were, or gives a session another name
-- and changes nothing else; and a fold lets an entry stand for others, and says for how many.
CREATE TRIGGER journal_only_grows BEFORE UPDATE ON journal
WHEN coalesce((SELECT verb FROM writing), '') NOT IN ('purge', 'fold')
  OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
  OR OLD.id <> NEW.id OR OLD.space_id <> NEW.space_id OR OLD.operation <> NEW.operation
  OR OLD.tbl <> NEW.tbl OR OLD.key <> NEW.key OR OLD.action <> NEW.action
  OR json_extract(NEW.image, CASE (SELECT verb FROM writing) WHEN 'fold' THEN '$.folded' ELSE '$.purged' END) IS NULL
    AND ((SELECT verb FROM writing) = 'fold'
      OR json_remove(OLD.image, '$.session') <> json_remove(NEW.image, '$.session')
      OR json_remove(OLD.after, '$.session') <> json_remove(NEW.after, '$.session'))
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:journal rows are never changed.'); END;

CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal
WHEN coalesce((SELECT verb FROM writing), '') NOT IN ('fold', 'space_delete')
  OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:journal rows are never deleted.'); END;

-- A purge seals anew the operations whose journal rows it blanked, and gives sessions and actors other names; a fold
-- seals anew those whose rows it folded into others.
CREATE TRIGGER operations_only_grow BEFORE UPDATE ON operations
WHEN OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.id <> NEW.id
  OR (SELECT operation FROM writing) IS DISTINCT FROM OLD.key AND (
    coalesce((SELECT verb FROM writing), '') NOT IN ('purge', 'fold')
    OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
    OR (OLD.hash = '') <> (NEW.hash = '') OR OLD.verb <> NEW.verb OR OLD.at <> NEW.at
    OR OLD.parent IS NOT NEW.parent OR OLD.undoes IS NOT NEW.undoes
    OR (SELECT verb FROM writing) = 'purge' AND (OLD.changes <> NEW.changes OR OLD.edits <> NEW.edits)
    OR (SELECT verb FROM writing) = 'fold' AND (OLD.hash = '' OR OLD.actor <> NEW.actor
      OR OLD.session IS NOT NEW.session OR OLD.reason IS NOT NEW.reason OR OLD.details <> NEW.details
      OR NEW.changes > OLD.changes OR NEW.edits > OLD.edits))
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a finished operation is never changed.'); END;

CREATE TRIGGER operations_are_kept BEFORE DELETE ON operations
WHEN coalesce((SELECT verb FROM writing), '') NOT IN ('fold', 'space_delete')
  OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:operations are never deleted.'); END;

-- A transcript only grows. A purge takes texts out of it, or the whole conversation.
CREATE TRIGGER message_stays_in_its_space BEFORE INSERT ON messages
WHEN (SELECT space_id FROM conversations WHERE key = NEW.conversation) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a message belongs to a conversation of its own space.'); END;

CREATE TRIGGER message_is_not_replaced BEFORE INSERT ON messages
WHEN EXISTS (SELECT 1 FROM messages WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM messages WHERE space_id = NEW.space_id AND conversation = NEW.conversation
             AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this message exists already.'); END;

CREATE TRIGGER messages_only_grow BEFORE UPDATE ON messages
WHEN (SELECT verb FROM writing) IS DISTINCT FROM 'purge' OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
  OR OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.conversation <> NEW.conversation
  OR OLD.number <> NEW.number
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:messages are never changed.'); END;

CREATE TRIGGER messages_are_kept BEFORE DELETE ON messages
WHEN coalesce((SELECT verb FROM writing), '') NOT IN ('purge', 'space_delete')
  OR (SELECT space_id FROM writing) IS DISTINCT FROM OLD.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:messages are never deleted.'); END;

CREATE TRIGGER conversation_is_not_replaced BEFORE INSERT ON conversations
WHEN EXISTS (SELECT 1 FROM conversations WHERE key = NEW.key)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:this conversation exists already.'); END;

CREATE TRIGGER conversation_keeps_its_name BEFORE UPDATE OF key, space_id, name ON conversations
WHEN OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.name <> NEW.name
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a conversation keeps its name.'); END;

CREATE TRIGGER filled_conversation_stays BEFORE DELETE ON conversations
WHEN EXISTS (SELECT 1 FROM messages WHERE space_id = OLD.space_id AND conversation = OLD.key)
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a conversation is removed only after its messages.'); END;

CREATE TRIGGER text_follows_insert AFTER INSERT ON memories
BEGIN
  INSERT INTO memory_text(rowid, title, text, tags, entities, day) SELECT * FROM searchable WHERE key = NEW.key;
END;

-- FTS5 must be told what it indexed, so the old text leaves while the old row is still there. Without secure-delete
-- its words stay in the pages of the index until it is merged: then it is noted whose they are.
CREATE TRIGGER text_leaves_before_update BEFORE UPDATE OF title, text, tags, entities, event_at ON memories
BEGIN
  INSERT INTO memory_text(memory_text, rowid, title, text, tags, entities, day)
  SELECT 'delete', * FROM searchable WHERE key = OLD.key;
  INSERT OR IGNORE INTO leftover_words(memory, space_id) SELECT OLD.key, OLD.space_id
  WHERE (SELECT v FROM memory_text_config WHERE k = 'secure-delete') = 0;
END;

CREATE TRIGGER text_follows_update AFTER UPDATE OF title, text, tags, entities, event_at ON memories
BEGIN
  INSERT INTO memory_text(rowid, title, text, tags, entities, day) SELECT * FROM searchable WHERE key = NEW.key;
END;

CREATE TRIGGER text_leaves_before_delete BEFORE DELETE ON memories
BEGIN
  INSERT INTO memory_text(memory_text, rowid, title, text, tags, entities, day)
  SELECT 'delete', * FROM searchable WHERE key = OLD.key;
  INSERT OR IGNORE INTO leftover_words(memory, space_id) SELECT OLD.key, OLD.space_id
  WHERE (SELECT v FROM memory_text_config WHERE k = 'secure-delete') = 0;
END;
