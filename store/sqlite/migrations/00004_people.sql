-- Whose a session is, and the repository it works in: the same for every clone of
-- it, wherever that lies. Sessions from before have neither, and are found by their
-- folder. The files of improvements, so that another machine can go on with the
-- work, and the key by which every worker knows what was filed.

-- +goose Up
ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN repo TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_repo ON sessions (repo, updated DESC, id);
CREATE INDEX sessions_owner ON sessions (owner, updated DESC, id);

CREATE TABLE files (
	folder  TEXT NOT NULL,
	name    TEXT NOT NULL,
	body    BLOB NOT NULL,
	PRIMARY KEY (folder, name)
);

-- +goose Down
DROP TABLE files;
DROP INDEX sessions_owner;
DROP INDEX sessions_repo;
ALTER TABLE sessions DROP COLUMN repo;
ALTER TABLE sessions DROP COLUMN owner;
