-- What a session is, what was said in it, and what came of it. Messages and
-- journal are only ever added to. Times are UTC text of one width, so that they
-- sort as they run; bodies are JSON. Text that the database could not hold as it
-- is has its odd bytes written out behind the character 1A.

-- +goose Up
CREATE TABLE sessions (
	id      TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL,
	host    TEXT   COLLATE "C" NOT NULL,
	project TEXT   COLLATE "C" NOT NULL,
	model   TEXT   COLLATE "C" NOT NULL,
	title   TEXT   COLLATE "C" NOT NULL,
	parent  TEXT   COLLATE "C" NOT NULL,
	step    BIGINT NOT NULL,
	created TEXT   COLLATE "C" NOT NULL,
	updated TEXT   COLLATE "C" NOT NULL,
	state   TEXT   COLLATE "C" NOT NULL
);

CREATE TABLE messages (
	session TEXT   COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq     BIGINT NOT NULL,
	id      TEXT   COLLATE "C" NOT NULL,
	role    TEXT   COLLATE "C" NOT NULL,
	origin  TEXT   COLLATE "C" NOT NULL,
	body    TEXT   COLLATE "C" NOT NULL,
	PRIMARY KEY (session, seq)
);

CREATE TABLE journal (
	session TEXT   COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq     BIGINT NOT NULL,
	at      TEXT   COLLATE "C" NOT NULL,
	kind    TEXT   COLLATE "C" NOT NULL,
	body    TEXT   COLLATE "C" NOT NULL,
	PRIMARY KEY (session, seq)
);

-- Lists come newest first, of everything, of a project or of a host. An index
-- takes no text of more than some 2,700 bytes, hence the sums.
CREATE INDEX sessions_updated ON sessions (updated DESC, id);
CREATE INDEX sessions_project ON sessions (md5(project), updated DESC, id);
CREATE INDEX sessions_host ON sessions (md5(host), updated DESC, id);

-- +goose Down
DROP TABLE journal;
DROP TABLE messages;
DROP TABLE sessions;
