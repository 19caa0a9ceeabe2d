-- Lists come newest first, of everything, of a project or of a host.

-- +goose Up
CREATE INDEX sessions_updated ON sessions (updated DESC, id);
CREATE INDEX sessions_project ON sessions (project, updated DESC, id);
CREATE INDEX sessions_host ON sessions (host, updated DESC, id);

-- +goose Down
DROP INDEX sessions_host;
DROP INDEX sessions_project;
DROP INDEX sessions_updated;
