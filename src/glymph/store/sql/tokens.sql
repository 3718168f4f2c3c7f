-- name: token_by_hash
SELECT id, name, actor, role, spaces, created_at, expires_at, revoked_at FROM tokens WHERE hash = :hash;

-- name: tokens
SELECT id, name, actor, role, spaces, created_at, expires_at, revoked_at FROM tokens ORDER BY created_at, id;

-- name: insert_token
INSERT INTO tokens(id, name, hash, actor, role, spaces, created_at, expires_at)
VALUES (:id, :name, :hash, :actor, :role, :spaces, :created_at, :expires_at);

-- name: revoke_token
UPDATE tokens SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL;

-- name: rename_token
UPDATE tokens SET name = :name, actor = :actor WHERE id = :id;
