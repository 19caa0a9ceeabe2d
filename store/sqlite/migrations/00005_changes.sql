-- What has changed, in order, whoever changed it: a row for each session and each
-- improvement, with the number of its newest change. What is removed keeps its row. A
-- lease that is renewed is no change: the version stays.
-- Entries of the journal have the number of the change that they came with.

-- +goose Up
CREATE TABLE changes (
	kind    TEXT   NOT NULL,
	id      TEXT   NOT NULL,
	seq     BIGINT NOT NULL,
	version BIGINT NOT NULL,
	removed BIGINT NOT NULL,
	PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX changes_seq ON changes (seq);
INSERT INTO changes SELECT 'session', id, row_number() OVER (ORDER BY updated, id), version, 0 FROM sessions;
INSERT INTO changes SELECT 'improvement', id, (SELECT coalesce(max(seq), 0) FROM changes) + row_number() OVER (ORDER BY updated, id), version, 0 FROM improvements;
ALTER TABLE journal ADD COLUMN change BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE TRIGGER sessions_added AFTER INSERT ON sessions BEGIN
	INSERT INTO changes (kind, id, seq, version, removed) VALUES ('session', NEW.id, (SELECT coalesce(max(seq), 0) + 1 FROM changes), NEW.version, 0)
	ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, version = excluded.version, removed = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_changed AFTER UPDATE OF version ON sessions BEGIN
	UPDATE changes SET seq = (SELECT max(seq) + 1 FROM changes), version = NEW.version WHERE kind = 'session' AND id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_removed AFTER DELETE ON sessions BEGIN
	UPDATE changes SET seq = (SELECT max(seq) + 1 FROM changes), removed = 1 WHERE kind = 'session' AND id = OLD.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER improvements_added AFTER INSERT ON improvements BEGIN
	INSERT INTO changes (kind, id, seq, version, removed) VALUES ('improvement', NEW.id, (SELECT coalesce(max(seq), 0) + 1 FROM changes), NEW.version, 0)
	ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, version = excluded.version, removed = 0;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER improvements_changed AFTER UPDATE OF version ON improvements BEGIN
	UPDATE changes SET seq = (SELECT max(seq) + 1 FROM changes), version = NEW.version WHERE kind = 'improvement' AND id = NEW.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER improvements_changed;
DROP TRIGGER improvements_added;
DROP TRIGGER sessions_removed;
DROP TRIGGER sessions_changed;
DROP TRIGGER sessions_added;
ALTER TABLE journal DROP COLUMN change;
DROP TABLE changes;
