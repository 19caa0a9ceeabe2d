-- What has changed, in order, whoever changed it: a row for each session and each
-- improvement, with the transaction of its newest change. What is removed keeps its row.
-- Entries of the journal have the transaction that they came with. Transactions are
-- numbered when they begin and seen when they end: a reader goes on only to the oldest
-- one that is still under way, and misses none.

-- +goose Up
CREATE TABLE changes (
	kind    TEXT    COLLATE "C" NOT NULL,
	id      TEXT    COLLATE "C" NOT NULL,
	at      XID8    NOT NULL,
	version BIGINT  NOT NULL,
	removed BOOLEAN NOT NULL,
	PRIMARY KEY (kind, id)
);
CREATE INDEX changes_at ON changes (at);
INSERT INTO changes SELECT 'session', id, pg_current_xact_id(), version, false FROM sessions;
INSERT INTO changes SELECT 'improvement', id, pg_current_xact_id(), version, false FROM improvements;
ALTER TABLE journal ADD COLUMN change XID8;
ALTER TABLE journal ALTER COLUMN change SET DEFAULT pg_current_xact_id();

-- +goose StatementBegin
CREATE FUNCTION trimtab_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		UPDATE changes SET at = pg_current_xact_id(), removed = true WHERE kind = TG_ARGV[0] AND id = OLD.id;
	ELSIF TG_OP = 'INSERT' OR OLD.version <> NEW.version THEN -- a lease that is renewed is no change
		INSERT INTO changes (kind, id, at, version, removed) VALUES (TG_ARGV[0], NEW.id, pg_current_xact_id(), NEW.version, false)
		ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at, version = excluded.version, removed = false;
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER sessions_changed AFTER INSERT OR UPDATE OR DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION trimtab_changed('session');
CREATE TRIGGER improvements_changed AFTER INSERT OR UPDATE OR DELETE ON improvements FOR EACH ROW EXECUTE FUNCTION trimtab_changed('improvement');

-- +goose Down
DROP TRIGGER improvements_changed ON improvements;
DROP TRIGGER sessions_changed ON sessions;
DROP FUNCTION trimtab_changed();
ALTER TABLE journal DROP COLUMN change;
DROP TABLE changes;
