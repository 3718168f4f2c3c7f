-- name: conversation
SELECT key, name, state FROM scoped_conversations WHERE name = :name;

-- name: conversations
SELECT key, name, state FROM scoped_conversations WHERE name > :after ORDER BY name LIMIT :limit;

-- name: begin_conversation
INSERT INTO conversations(space_id, name) VALUES (:space_id, :name) ON CONFLICT (space_id, name) DO NOTHING;

-- name: newest_message
SELECT number, body FROM scoped_messages WHERE conversation = :conversation ORDER BY number DESC LIMIT 1;

-- name: messages_after
SELECT number, body FROM scoped_messages WHERE conversation = :conversation AND number > :number
ORDER BY number LIMIT :limit;

-- name: keep_conversation_state
UPDATE conversations SET state = :state WHERE space_id = :space_id AND key = :conversation;

-- name: claim_conversation
-- A claim that ends far later than anybody could ask for now is of a clock that was set back meanwhile.
UPDATE conversations SET claimed_until = :until
WHERE space_id = :space_id AND key = :conversation
  AND (claimed_until <= :now OR claimed_until - :until > :until - :now)
RETURNING key;

-- name: claimed_until
SELECT claimed_until FROM scoped_conversations WHERE key = :conversation;

-- name: revoke_claims
UPDATE conversations SET claimed_until = 0 WHERE space_id = :space_id AND claimed_until > 0;

-- name: give_back_conversation
UPDATE conversations SET claimed_until = 0
WHERE space_id = :space_id AND key = :conversation AND claimed_until = :until;

-- name: reword_message
UPDATE messages SET body = :body
WHERE space_id = :space_id AND conversation = :conversation AND number = :number AND body = :before;

-- name: remove_messages
DELETE FROM messages WHERE space_id = :space_id AND conversation = :conversation;

-- name: remove_conversation
DELETE FROM conversations WHERE space_id = :space_id AND key = :conversation;

-- name: folders
SELECT path, owner FROM scoped_folders ORDER BY key;

-- name: note_folder
INSERT INTO folders(space_id, path, owner) VALUES (:space_id, :path, :owner)
ON CONFLICT (space_id, path, owner) DO NOTHING;
