#!/bin/sh
# Run once by the image of PostgreSQL, on an empty volume: a user without special rights, its database, and the
# extensions, which only an administrator may create.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set password="$GLYMPH_DATABASE_PASSWORD" <<'SQL'
CREATE ROLE glymph LOGIN PASSWORD :'password';
CREATE DATABASE glymph OWNER glymph;
REVOKE ALL ON DATABASE glymph FROM PUBLIC;
\connect glymph
CREATE EXTENSION vector;
CREATE EXTENSION btree_gin;
SQL
