package dashboard

import (
	"net/http"

	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/insight"
)

// bar is a week on the chart, in its units.
type bar struct {
	X, Width                 int
	Heeded, Unheeded, Rest   int // heights
	HeededY, UnheededY, Rise int // where they begin
	Week                     string
	insight.Tally
}

// The size of the chart.
const (
	chartWidth, chartHeight = 600, 140
)

func bars(weeks []insight.Counted) (all []bar) {
	most := 1
	for _, w := range weeks {
		most = max(most, w.Notes)
	}
	each := chartWidth / max(insight.Weeks, len(weeks))
	for i, w := range weeks {
		b := bar{X: i*each + 4, Width: each - 8, Week: w.Name, Tally: w.Tally}
		b.Heeded, b.Unheeded = chartHeight*w.Heeded/most, chartHeight*w.Unheeded/most
		b.Rest = chartHeight*w.Notes/most - b.Heeded - b.Unheeded
		b.HeededY = chartHeight - b.Heeded
		b.UnheededY = b.HeededY - b.Unheeded
		b.Rise = b.UnheededY - b.Rest
		all = append(all, b)
	}
	return all
}

// mostRows is how many repositories and people the page shows.
const mostRows = 20

// effect tells of the person's own sessions, or of everybody's where their role shows those.
func (d *Dashboard) effect(w http.ResponseWriter, r *http.Request) {
	p, whose, everybody := d.person(r), "", true
	if d.team() && !p.Role.AtLeast(owned.View) {
		whose, everybody = p.User, false
	}
	e, running, err := d.opt.Insight.Effect(d.archive(r), whose)
	e.Projects, e.People = e.Projects[:min(len(e.Projects), mostRows)], e.People[:min(len(e.People), mostRows)]
	data := map[string]any{"Title": "Effect", "Effect": e, "Running": running, "Bars": bars(e.Weeks), "Weeks": insight.Weeks, "ByPerson": everybody && (len(e.People) > 1 || d.team()), "Everybody": everybody}
	if err != nil && !running {
		data["Failed"] = err.Error()
	}
	d.page(w, r, "effect", data)
}

func (d *Dashboard) routesOfEffect() { d.mux.HandleFunc("GET /effect", d.effect) }
