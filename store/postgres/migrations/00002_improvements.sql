-- What waits to be improved, what was about to be made on a forge and when, and
-- the switches that stop it all. There is one improvement of a fingerprint for a
-- project, ever: filing is the sum of both, as an index takes no long text. The
-- columns of an improvement are right where its body differs.

-- +goose Up
CREATE TABLE improvements (
	id          TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
	project     TEXT   COLLATE "C" NOT NULL,
	fingerprint TEXT   COLLATE "C" NOT NULL,
	state       TEXT   COLLATE "C" NOT NULL,
	created     TEXT   COLLATE "C" NOT NULL,
	updated     TEXT   COLLATE "C" NOT NULL,
	worker      TEXT   COLLATE "C" NOT NULL,
	until       TEXT   COLLATE "C" NOT NULL,
	fence       BIGINT NOT NULL,
	version     BIGINT NOT NULL,
	body        TEXT   COLLATE "C" NOT NULL,
	filing      BYTEA  NOT NULL UNIQUE
);
CREATE INDEX improvements_state ON improvements (state, created, id);

CREATE TABLE intents (
	key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
	at  TEXT COLLATE "C" NOT NULL
);

CREATE TABLE switches (
	name  TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
	value BIGINT NOT NULL
);

-- +goose Down
DROP TABLE switches;
DROP TABLE intents;
DROP TABLE improvements;
