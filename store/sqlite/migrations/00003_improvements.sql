-- What waits to be improved, what was about to be made on a forge and when, and
-- the switches that stop it all. There is one improvement of a fingerprint for a
-- project, ever. The columns of an improvement are right where its body differs.

-- +goose Up
CREATE TABLE improvements (
	id          TEXT   NOT NULL PRIMARY KEY,
	project     TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	state       TEXT   NOT NULL,
	created     TEXT   NOT NULL,
	updated     TEXT   NOT NULL,
	worker      TEXT   NOT NULL,
	until       TEXT   NOT NULL,
	fence       BIGINT NOT NULL,
	version     BIGINT NOT NULL,
	body        TEXT   NOT NULL,
	UNIQUE (project, fingerprint)
);
CREATE INDEX improvements_state ON improvements (state, created, id);

CREATE TABLE intents (
	key TEXT NOT NULL PRIMARY KEY,
	at  TEXT NOT NULL
);

CREATE TABLE switches (
	name  TEXT   NOT NULL PRIMARY KEY,
	value BIGINT NOT NULL
);

-- +goose Down
DROP TABLE switches;
DROP TABLE intents;
DROP TABLE improvements;
