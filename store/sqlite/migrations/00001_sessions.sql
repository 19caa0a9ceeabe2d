-- What a session is, what was said in it, and what came of it. Messages and
-- journal are only ever added to. Times are UTC text of one width, so that they
-- sort as they run; bodies are JSON.

-- +goose Up
CREATE TABLE sessions (
	id      TEXT   NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	host    TEXT   NOT NULL,
	project TEXT   NOT NULL,
	model   TEXT   NOT NULL,
	title   TEXT   NOT NULL,
	parent  TEXT   NOT NULL,
	step    BIGINT NOT NULL,
	created TEXT   NOT NULL,
	updated TEXT   NOT NULL,
	state   TEXT   NOT NULL
);

CREATE TABLE messages (
	session TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq     BIGINT NOT NULL,
	id      TEXT   NOT NULL,
	role    TEXT   NOT NULL,
	origin  TEXT   NOT NULL,
	body    TEXT   NOT NULL,
	PRIMARY KEY (session, seq)
);

CREATE TABLE journal (
	session TEXT   NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq     BIGINT NOT NULL,
	at      TEXT   NOT NULL,
	kind    TEXT   NOT NULL,
	body    TEXT   NOT NULL,
	PRIMARY KEY (session, seq)
);

-- +goose Down
DROP TABLE journal;
DROP TABLE messages;
DROP TABLE sessions;
