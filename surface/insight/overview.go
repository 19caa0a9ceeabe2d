package insight

import (
	"context"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
)

// Alive is how long ago something happened in a session that is called alive.
const Alive = 15 * time.Minute

const maxGlances = 2000

// Row is a session among others: what steers it now, and what was said last.
type Row struct {
	trimtab.Info
	Alive   bool             `json:"alive"` // something happened just now
	Known   bool             `json:"known"` // it could be read: what follows is so
	Step    int              `json:"step"`
	Context int              `json:"context"` // tokens of the newest request
	Status  []trimtab.Status `json:"status"`
	Totals  timeline.Totals  `json:"totals"`
	Last    *timeline.Note   `json:"last,omitempty"` // the newest message of ours
	LastAt  time.Time        `json:"lastAt,omitzero"`
	Said    []Said           `json:"said"`  // by kind, the first to speak first
	Loops   bool             `json:"loops"` // it is held for the person, and no prompt came since
	Cost    float64          `json:"dollars,omitempty"`
}

// Said is how often one kind of message was sent in a session.
type Said struct {
	By     string `json:"by"`
	Anchor string `json:"anchor"` // of the first, on the session's page
	Tally
}

// glance is what is kept of a session: its messages are read again only when it changed.
type glance struct {
	version int
	created time.Time
	totals  timeline.Totals
	last    *timeline.Note
	at      time.Time
	said    []Said
	loops   bool
}

// Overview is the newest sessions behind one, as many as are asked for; after "" come the
// first. What steers them is added by Detail.
func (t *Teller) Overview(ctx context.Context, from trimtab.Archive, after string, limit int) (rows []Row, next string, err error) {
	q, skip := trimtab.Query{}, after != ""
	if !skip {
		q.Limit = limit + 1
	}
	for info, err := range from.List(ctx, q) {
		switch {
		case err != nil:
			return nil, "", err
		case skip:
			skip = info.ID != after
			continue
		case len(rows) == limit:
			return rows, rows[limit-1].ID, nil
		}
		row := Row{Info: info, Alive: t.opt.Clock().Sub(info.Updated) < Alive, Status: []trimtab.Status{}, Said: []Said{}}
		rows = append(rows, row)
	}
	return rows, "", nil
}

// Detail adds what steers sessions, and waits so long for that. What is not read then is
// read beside whoever asks, and false says that they should ask again; a session that cannot
// be read is told without.
func (t *Teller) Detail(ctx context.Context, from trimtab.Archive, rows []Row, wait time.Duration) (whole bool) {
	type read struct {
		row     int
		session trimtab.Session
		glance  glance
		err     error
	}
	results := make(chan read, len(rows)) // nobody may be left to take them
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		for i, id := range ids {
			one := read{row: i}
			if one.session, one.err = from.Load(ctx, id); one.err == nil {
				one.glance, one.err = t.glance(ctx, from, one.session)
			}
			results <- one
		}
	}()
	late := time.NewTimer(wait)
	defer late.Stop()
	for range rows {
		select {
		case one := <-results:
			if one.err == nil {
				t.fill(&rows[one.row], one.session, one.glance)
			}
		case <-late.C:
			return false
		}
	}
	return true
}

func (t *Teller) fill(row *Row, s trimtab.Session, g glance) {
	row.Known, row.Step, row.Context = true, s.Step, s.Meter.Context
	row.Status = append(row.Status, t.opt.Engine.Status(s)...)
	row.Totals, row.Last, row.LastAt, row.Loops = g.totals, g.last, g.at, g.loops
	row.Said = append(row.Said, g.said...)
	if t.opt.Cost != nil {
		row.Cost, _ = t.opt.Cost(s.Model, g.totals.Usage)
	}
}

// glance reads a session, unless it is known as it is.
func (t *Teller) glance(ctx context.Context, from trimtab.Archive, s trimtab.Session) (glance, error) {
	t.mu.Lock()
	g, ok := t.glances[s.ID]
	t.mu.Unlock()
	if ok && g.version == s.Version && g.created.Equal(s.Created) {
		return g, nil
	}
	line, err := t.Timeline(ctx, from, s)
	if err != nil {
		return g, err
	}
	g = look(line)
	g.version, g.created = s.Version, s.Created
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.glances) >= maxGlances {
		clear(t.glances)
	}
	t.glances[s.ID] = g
	return g, nil
}

// look finds what was said last, and whether the session is held.
func look(line timeline.Timeline) (g glance) {
	g.totals = line.Totals
	for _, turn := range line.Turns {
		g.loops = false // a prompt came
		for _, part := range turn.Segments() {
			for _, i := range slices.Concat(part.Notes, part.Items) {
				switch i.Kind {
				case timeline.Ours:
					g.last, g.at = i.Note, i.At
					g.count(*i.Note, part.Anchor())
				case timeline.Paused:
					g.loops = true
				case timeline.Call:
					g.loops = g.loops && i.Failed
				}
			}
		}
	}
	return g
}

func (g *glance) count(n timeline.Note, anchor string) {
	at := slices.IndexFunc(g.said, func(s Said) bool { return s.By == n.By })
	if at < 0 {
		g.said = append(g.said, Said{By: n.By, Anchor: anchor})
		at = len(g.said) - 1
	}
	g.said[at].add(tallyOf(n))
}
