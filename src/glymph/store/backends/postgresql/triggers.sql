-- What the database itself refuses besides what triggers.py writes for each table. A message "glymph:NAME:DETAIL"
-- becomes the typed error NAME.

CREATE OR REPLACE FUNCTION stays_as_it_is() RETURNS TRIGGER LANGUAGE plpgsql AS
$$ BEGIN PERFORM glymph.refuse(TG_ARGV[0], TG_ARGV[1]); RETURN NULL; END $$;

CREATE OR REPLACE TRIGGER memory_keeps_its_id BEFORE UPDATE OF id ON memories FOR EACH ROW
WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION stays_as_it_is('Refused', 'a memory keeps its id.');

CREATE OR REPLACE TRIGGER cluster_keeps_its_id BEFORE UPDATE OF id ON clusters FOR EACH ROW
WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION stays_as_it_is('Refused', 'a cluster keeps its id.');

CREATE OR REPLACE TRIGGER page_keeps_its_name BEFORE UPDATE OF name ON pages FOR EACH ROW
WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION stays_as_it_is('Refused', 'a page keeps its name.');

CREATE OR REPLACE TRIGGER edge_keeps_its_ends BEFORE UPDATE OF source, target, type ON edges FOR EACH ROW
EXECUTE FUNCTION stays_as_it_is('Isolated', 'a link keeps its ends and its type.');

CREATE OR REPLACE TRIGGER membership_keeps_its_ends BEFORE UPDATE OF cluster, memory ON memberships FOR EACH ROW
EXECUTE FUNCTION stays_as_it_is('Isolated', 'a membership keeps its cluster and its memory.');

CREATE OR REPLACE TRIGGER vector_keeps_its_value BEFORE UPDATE ON vectors FOR EACH ROW
EXECUTE FUNCTION stays_as_it_is('Refused', 'a vector is never changed: another wording has another vector.');

-- A vector may outlive its memory, which an undo can bring back: the journal tells whether it was one of this space.
CREATE OR REPLACE FUNCTION vectors_come() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF writing_verb() IS DISTINCT FROM 'import' AND EXISTS (
    SELECT 1 FROM fresh f
    LEFT JOIN models o ON o.space_id = f.space_id AND o.key = f.model
    LEFT JOIN memories m ON m.space_id = f.space_id AND m.key = f.memory
    WHERE o.key IS NULL OR m.key IS NULL
      AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.space_id = f.space_id AND j.tbl = 'memories' AND j.key = f.memory))
  THEN PERFORM refuse('Isolated', 'a vector belongs to a memory and a model of its own space.');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER vectors_come AFTER INSERT ON vectors REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION vectors_come();

-- What follows from a vector goes with it.
CREATE OR REPLACE FUNCTION vectors_go() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  DELETE FROM meanings n USING gone g
  WHERE n.space_id = g.space_id AND n.model = g.model AND n.memory = g.memory AND n.wording = g.wording;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER vectors_go AFTER DELETE ON vectors REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION vectors_go();

CREATE OR REPLACE FUNCTION journal_grows() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM fresh f WHERE f.space_id IS DISTINCT FROM shown_space() OR writing_operation() IS NULL
      OR f.operation <> writing_operation() AND writing_verb() <> 'import')
  THEN PERFORM refuse('Refused', 'the journal is written by the operation that is under way.');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER journal_grows AFTER INSERT ON journal REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION journal_grows();

-- Only a purge takes texts out of the journal, and leaves its name where they were, or gives a session another name
-- and changes nothing else; and a fold lets an entry stand for others, and says for how many.
CREATE OR REPLACE FUNCTION journal_only_grows() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF coalesce(writing_verb(), '') NOT IN ('purge', 'fold') OR shown_space() IS DISTINCT FROM OLD.space_id
    OR OLD.id <> NEW.id OR OLD.space_id <> NEW.space_id OR OLD.operation <> NEW.operation
    OR OLD.tbl <> NEW.tbl OR OLD.key <> NEW.key OR OLD.action <> NEW.action
    OR NEW.image::jsonb ->> (CASE writing_verb() WHEN 'fold' THEN 'folded' ELSE 'purged' END) IS NULL
      AND (writing_verb() = 'fold' OR OLD.image::jsonb - 'session' <> NEW.image::jsonb - 'session'
        OR OLD.after::jsonb - 'session' <> NEW.after::jsonb - 'session')
  THEN PERFORM refuse('Refused', 'journal rows are never changed.');
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER journal_only_grows BEFORE UPDATE ON journal FOR EACH ROW EXECUTE FUNCTION journal_only_grows();

CREATE OR REPLACE FUNCTION kept_while_the_space_is() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF coalesce(writing_verb(), '') NOT IN ('fold', 'space_delete') OR shown_space() IS DISTINCT FROM OLD.space_id
  THEN PERFORM refuse('Refused', TG_ARGV[0]);
  END IF;
  RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER journal_is_kept BEFORE DELETE ON journal FOR EACH ROW
EXECUTE FUNCTION kept_while_the_space_is('journal rows are never deleted.');
CREATE OR REPLACE TRIGGER operations_are_kept BEFORE DELETE ON operations FOR EACH ROW
EXECUTE FUNCTION kept_while_the_space_is('operations are never deleted.');

CREATE OR REPLACE FUNCTION operations_grow() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF writing_operation() IS NULL OR NEW.space_id IS DISTINCT FROM shown_space()
  THEN PERFORM refuse('Refused', 'operations are opened by Glymph, once.');
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER operations_grow BEFORE INSERT ON operations FOR EACH ROW EXECUTE FUNCTION operations_grow();

-- A purge seals anew the operations whose journal rows it blanked, and gives sessions and actors other names; a fold
-- seals anew those whose rows it folded into others.
CREATE OR REPLACE FUNCTION operations_only_grow() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.id <> NEW.id
    OR writing_operation() IS DISTINCT FROM OLD.key AND (
      coalesce(writing_verb(), '') NOT IN ('purge', 'fold') OR shown_space() IS DISTINCT FROM OLD.space_id
      OR (OLD.hash = '') <> (NEW.hash = '') OR OLD.verb <> NEW.verb OR OLD.at <> NEW.at
      OR OLD.parent IS DISTINCT FROM NEW.parent OR OLD.undoes IS DISTINCT FROM NEW.undoes
      OR writing_verb() = 'purge' AND (OLD.changes <> NEW.changes OR OLD.edits <> NEW.edits)
      OR writing_verb() = 'fold' AND (OLD.hash = '' OR OLD.actor <> NEW.actor
        OR OLD.session IS DISTINCT FROM NEW.session OR OLD.reason IS DISTINCT FROM NEW.reason OR OLD.details <> NEW.details
        OR NEW.changes > OLD.changes OR NEW.edits > OLD.edits))
  THEN PERFORM refuse('Refused', 'a finished operation is never changed.');
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER operations_only_grow BEFORE UPDATE ON operations FOR EACH ROW
EXECUTE FUNCTION operations_only_grow();

-- Policies hide what is due in other spaces, so each space says itself when somebody has to look at it. One without
-- schedules has no moment: nobody has looked at it yet.
CREATE OR REPLACE FUNCTION due_moment_follows() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
DECLARE
  one BIGINT;
  earliest BIGINT;
BEGIN
  FOR one IN SELECT DISTINCT space_id FROM touched LOOP  -- mostly a single one: by the index, whatever the sizes
    SELECT min(due_at) INTO earliest FROM schedules WHERE space_id = one;
    IF earliest IS NOT NULL THEN
      SELECT least(earliest, min(coalesce(taken_until, 0))) INTO earliest FROM queue
      WHERE space_id = one AND done_at IS NULL AND failed_at IS NULL;
    END IF;
    UPDATE spaces SET due_at = earliest WHERE key = one AND due_at IS DISTINCT FROM earliest;
  END LOOP;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER schedules_insert_moves_due_moment AFTER INSERT ON schedules
REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();
CREATE OR REPLACE TRIGGER schedules_update_moves_due_moment AFTER UPDATE ON schedules
REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();
CREATE OR REPLACE TRIGGER schedules_delete_moves_due_moment AFTER DELETE ON schedules
REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();
CREATE OR REPLACE TRIGGER queue_insert_moves_due_moment AFTER INSERT ON queue
REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();
CREATE OR REPLACE TRIGGER queue_update_moves_due_moment AFTER UPDATE ON queue
REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();
CREATE OR REPLACE TRIGGER queue_delete_moves_due_moment AFTER DELETE ON queue
REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION due_moment_follows();

-- The text index follows the memories and nothing else.
CREATE OR REPLACE FUNCTION text_follows_only() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN PERFORM refuse('Refused', 'the text index follows the memories by itself.'); END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER text_follows_only BEFORE INSERT OR UPDATE OR DELETE ON memory_text
FOR EACH STATEMENT EXECUTE FUNCTION text_follows_only();
CREATE OR REPLACE TRIGGER sums_follow_only BEFORE INSERT OR UPDATE OR DELETE ON text_sums
FOR EACH STATEMENT EXECUTE FUNCTION text_follows_only();

-- A transcript only grows. A purge takes texts out of it, or the whole conversation.
CREATE OR REPLACE FUNCTION messages_come() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM fresh f WHERE NOT EXISTS (
    SELECT 1 FROM conversations c WHERE c.space_id = f.space_id AND c.key = f.conversation))
  THEN PERFORM refuse('Isolated', 'a message belongs to a conversation of its own space.');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER messages_come AFTER INSERT ON messages REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION messages_come();

CREATE OR REPLACE FUNCTION messages_only_grow() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF writing_verb() IS DISTINCT FROM 'purge' OR shown_space() IS DISTINCT FROM OLD.space_id
    OR OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.conversation <> NEW.conversation
    OR OLD.number <> NEW.number
  THEN PERFORM refuse('Refused', 'messages are never changed.');
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER messages_only_grow BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION messages_only_grow();

CREATE OR REPLACE FUNCTION messages_are_kept() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
BEGIN
  IF coalesce(writing_verb(), '') NOT IN ('purge', 'space_delete') OR shown_space() IS DISTINCT FROM OLD.space_id
  THEN PERFORM refuse('Refused', 'messages are never deleted.');
  END IF;
  RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER messages_are_kept BEFORE DELETE ON messages FOR EACH ROW EXECUTE FUNCTION messages_are_kept();

CREATE OR REPLACE TRIGGER conversation_keeps_its_name BEFORE UPDATE OF key, space_id, name ON conversations FOR EACH ROW
WHEN (OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id OR OLD.name <> NEW.name)
EXECUTE FUNCTION stays_as_it_is('Refused', 'a conversation keeps its name.');

CREATE OR REPLACE FUNCTION filled_conversation_stays() RETURNS TRIGGER LANGUAGE plpgsql
SET search_path = glymph, public AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM messages WHERE space_id = OLD.space_id AND conversation = OLD.key)
  THEN PERFORM refuse('Refused', 'a conversation is removed only after its messages.');
  END IF;
  RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER filled_conversation_stays BEFORE DELETE ON conversations FOR EACH ROW
EXECUTE FUNCTION filled_conversation_stays();

-- A space goes last, when nothing is left in it.
CREATE OR REPLACE FUNCTION spaces_go_empty() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = glymph, public AS $$
DECLARE shown TEXT := current_setting('glymph.space', true);
BEGIN
  PERFORM set_config('glymph.space', OLD.key::text, true);
  IF EXISTS (SELECT 1 FROM memories WHERE space_id = OLD.key) OR EXISTS (SELECT 1 FROM operations WHERE space_id = OLD.key)
  THEN PERFORM refuse('Refused', 'a space is removed only after everything in it.');
  END IF;
  PERFORM set_config('glymph.space', coalesce(shown, ''), true);
  RETURN OLD;
END $$;
CREATE OR REPLACE TRIGGER spaces_go_empty BEFORE DELETE ON spaces FOR EACH ROW EXECUTE FUNCTION spaces_go_empty();
