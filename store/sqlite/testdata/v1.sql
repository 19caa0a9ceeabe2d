-- A file as schema 1 left it, kept so that it always opens. Do not edit.
PRAGMA page_size = 16384;
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
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
INSERT INTO goose_db_version VALUES (1, 0, 1, '2026-11-15 09:00:00');
INSERT INTO goose_db_version VALUES (2, 1, 1, '2026-11-15 09:00:00');
INSERT INTO sessions VALUES ('ship', 2, 'claude', '/home/ada/ship', 'm-1', 'Fix the rudder', '', 1, '2026-11-15T09:00:00.000000000Z', '2026-11-15T09:00:00.000000000Z', '{"sessionId":"ship","host":"claude","project":"/home/ada/ship","modelId":"m-1","title":"Fix the rudder","createdAt":"2026-11-15T09:00:00Z","updatedAt":"2026-11-15T09:00:00Z","version":2,"seq":2,"step":1,"last":{"id":"m2","seq":2,"after":true,"offset":32},"prompt":{"id":"m1","seq":1},"meter":{"bytes":32,"sent":14,"sentSeq":1,"sentAt":"2026-11-15T09:00:00Z","context":12,"contextBytes":14}}');
INSERT INTO messages VALUES ('ship', 1, 'm1', 'user', '', '{"id":"m1","role":"user","content":[{"type":"text","text":"Fix the rudder","by":"person"}],"at":"2026-11-15T09:00:00Z"}');
INSERT INTO messages VALUES ('ship', 2, 'm2', 'assistant', '', '{"id":"m2","role":"assistant","content":[{"type":"text","text":"I will look at it.","by":"model"}],"at":"2026-11-15T09:00:00Z","model":"m-1","usage":{"input":12,"output":6}}');
INSERT INTO journal VALUES ('ship', 1, '2026-11-15T09:00:00.000000000Z', 'said', '{"at":"2026-11-15T09:00:00Z","event":{"type":"said","message":{"id":"m1","role":"user","content":[]}}}');
INSERT INTO journal VALUES ('ship', 2, '2026-11-15T09:00:00.000000000Z', 'calling', '{"at":"2026-11-15T09:00:00Z","event":{"type":"calling"}}');
INSERT INTO journal VALUES ('ship', 3, '2026-11-15T09:00:00.000000000Z', 'said', '{"at":"2026-11-15T09:00:00Z","event":{"type":"said","message":{"id":"m2","role":"assistant","content":[]}}}');
COMMIT;
