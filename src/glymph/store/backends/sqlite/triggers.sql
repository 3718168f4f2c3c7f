-- What the database itself refuses, whoever asks. A message "glymph:NAME:DETAIL" becomes the typed error NAME.

CREATE TRIGGER memory_keeps_its_place BEFORE UPDATE OF key, space_id, id ON memories
WHEN OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.id <> NEW.id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a memory keeps its id and its space.'); END;

CREATE TRIGGER protected_stays BEFORE UPDATE OF state, superseded_by, protected, kind ON memories
WHEN OLD.protected = 1
 AND (NEW.state <> 'LIVE' OR NEW.superseded_by IS NOT NULL OR NEW.protected = 0 OR NEW.kind <> OLD.kind)
BEGIN SELECT RAISE(ABORT, 'glymph:Protected:' || OLD.id); END;

CREATE TRIGGER protected_is_not_deleted BEFORE DELETE ON memories
WHEN OLD.protected = 1 AND (SELECT verb FROM writing) IS DISTINCT FROM 'space_delete'
BEGIN SELECT RAISE(ABORT, 'glymph:Protected:' || OLD.id); END;

-- A pinned memory may come back to life. Undo may also put back the image from before an operation: it leaves
-- alone what was changed since, so it never meets a pin that is younger than what it undoes.
CREATE TRIGGER pinned_stays BEFORE UPDATE OF state, superseded_by ON memories
WHEN OLD.pinned = 1
 AND (NEW.state <> OLD.state AND NEW.state <> 'LIVE'
      OR NEW.superseded_by IS NOT NULL AND NEW.superseded_by IS DISTINCT FROM OLD.superseded_by)
 AND (SELECT verb FROM writing) IS DISTINCT FROM 'undo'
BEGIN SELECT RAISE(ABORT, 'glymph:Pinned:' || OLD.id); END;

CREATE TRIGGER pinned_is_not_deleted BEFORE DELETE ON memories
WHEN OLD.pinned = 1 AND (SELECT verb FROM writing) NOT IN ('undo', 'space_delete')
BEGIN SELECT RAISE(ABORT, 'glymph:Pinned:' || OLD.id); END;

CREATE TRIGGER edge_stays_in_its_space BEFORE INSERT ON edges
WHEN (SELECT space_id FROM memories WHERE key = NEW.source) IS DISTINCT FROM NEW.space_id
  OR (SELECT space_id FROM memories WHERE key = NEW.target) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:both ends of a link must be memories of its space.'); END;

CREATE TRIGGER edge_keeps_its_ends BEFORE UPDATE OF space_id, source, target, type ON edges
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a link keeps its ends, its type and its space.'); END;

CREATE TRIGGER membership_stays_in_its_space BEFORE INSERT ON memberships
WHEN (SELECT space_id FROM memories WHERE key = NEW.memory) IS DISTINCT FROM NEW.space_id
  OR (SELECT space_id FROM clusters WHERE key = NEW.cluster) IS DISTINCT FROM NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Isolated:a cluster holds memories of its own space.'); END;

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

CREATE TRIGGER journal_only_grows BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:journal rows are never changed.'); END;

CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal
WHEN (SELECT verb FROM writing) IS DISTINCT FROM 'space_delete'
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:journal rows are never deleted.'); END;

CREATE TRIGGER operations_only_grow BEFORE UPDATE ON operations
WHEN (SELECT operation FROM writing) IS DISTINCT FROM OLD.key OR OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:a finished operation is never changed.'); END;

CREATE TRIGGER operations_are_kept BEFORE DELETE ON operations
WHEN (SELECT verb FROM writing) IS DISTINCT FROM 'space_delete'
BEGIN SELECT RAISE(ABORT, 'glymph:Refused:operations are never deleted.'); END;

CREATE TRIGGER text_follows_insert AFTER INSERT ON memories
BEGIN
  INSERT INTO memory_text(rowid, title, text, tags, entities) SELECT * FROM searchable WHERE key = NEW.key;
END;

-- FTS5 must be told what it indexed, so the old text leaves while the old row is still there.
CREATE TRIGGER text_leaves_before_update BEFORE UPDATE OF title, text, tags, entities ON memories
BEGIN
  INSERT INTO memory_text(memory_text, rowid, title, text, tags, entities)
  SELECT 'delete', * FROM searchable WHERE key = OLD.key;
END;

CREATE TRIGGER text_follows_update AFTER UPDATE OF title, text, tags, entities ON memories
BEGIN
  INSERT INTO memory_text(rowid, title, text, tags, entities) SELECT * FROM searchable WHERE key = NEW.key;
END;

CREATE TRIGGER text_leaves_before_delete BEFORE DELETE ON memories
BEGIN
  INSERT INTO memory_text(memory_text, rowid, title, text, tags, entities)
  SELECT 'delete', * FROM searchable WHERE key = OLD.key;
END;
