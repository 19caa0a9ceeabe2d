package row

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// SQL that every database of ours reads.
const (
	ItemColumns = `id, project, fingerprint, state, created, updated, worker, until, fence, version, body`

	SQLItem    = `SELECT ` + ItemColumns + ` FROM improvements WHERE id = $1`
	SQLAddItem = `INSERT INTO improvements (` + ItemColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`
	// Another worker that took the item meanwhile has raised its version.
	SQLSwapItem = `UPDATE improvements SET state = CAST($1 AS TEXT), updated = $2, body = $3, version = version + 1,
		worker = CASE WHEN CAST($1 AS TEXT) = 'running' THEN worker ELSE '' END, until = CASE WHEN CAST($1 AS TEXT) = 'running' THEN until ELSE '' END
		WHERE id = $4 AND version = $5 RETURNING ` + ItemColumns
	SQLRenew = `UPDATE improvements SET until = $1 WHERE id = $2 AND fence = $3 AND state = 'running' AND worker <> ''`

	SQLSetAside = `UPDATE improvements SET state = 'manual_review', worker = '', until = '', version = version + 1 WHERE id = $1 AND fence = $2`

	// Clocks differ: the later one is the safe one.
	SQLBegin = `INSERT INTO intents (key, at) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET at = excluded.at WHERE excluded.at > intents.at`
	SQLLast  = `SELECT at FROM intents WHERE key = $1`

	SQLSave     = `INSERT INTO files (folder, name, body) VALUES ($1, $2, $3) ON CONFLICT (folder, name) DO UPDATE SET body = excluded.body`
	SQLSaveOnce = `INSERT INTO files (folder, name, body) VALUES ($1, $2, $3) ON CONFLICT (folder, name) DO NOTHING`
	SQLFile     = `SELECT body FROM files WHERE folder = $1 AND name = $2`
	SQLFiles    = `SELECT name, body FROM files WHERE folder = $1 ORDER BY name`
	SQLForget   = `DELETE FROM files WHERE folder >= $1 AND folder < $2`

	SQLSwitch = `INSERT INTO switches (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	SQLIsOn   = `SELECT value FROM switches WHERE name = $1`
)

// Values are the row's columns in the order of ItemColumns.
func (r Item) Values() []any {
	return []any{r.ID, r.Project, r.Fingerprint, r.State, r.Created, r.Updated, r.Worker, r.Until, r.Fence, r.Version, r.Body}
}

// Fields are where to scan the columns of ItemColumns to.
func (r *Item) Fields() []any {
	return []any{&r.ID, &r.Project, &r.Fingerprint, &r.State, &r.Created, &r.Updated, &r.Worker, &r.Until, &r.Fence, &r.Version, &r.Body}
}

// SQLItems is the query for the items of some states, newest first.
func SQLItems(states []improve.State) (text string, args []any) {
	text = `SELECT ` + ItemColumns + ` FROM improvements`
	var marks []string
	for _, s := range states {
		args = append(args, string(s))
		marks = append(marks, fmt.Sprintf("$%d", len(args)))
	}
	if len(marks) > 0 {
		text += ` WHERE state IN (` + strings.Join(marks, ", ") + `)`
	}
	return text + ` ORDER BY created DESC, id DESC`, args
}
