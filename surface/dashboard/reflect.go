package dashboard

import (
	"context"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
)

// Findings are what the page of findings is made of. Reflect is needed.
type Findings struct {
	Reflect func(ctx context.Context, q improve.Query) (improve.Reflection, error)
	Make    func(ctx context.Context, project, fingerprint string) (improve.Item, error) // makes an improvement of one; nil cannot
}

// The times that findings can be looked back at, in days.
var lookbacks = []int{1, 7, 30, 90}

// mostFindings is how many the page shows.
const mostFindings = 30

// freshFindings is how long a reflection is shown before sessions are read again.
const freshFindings = 5 * time.Minute

// finding is a pattern, and where it can be gone to.
type finding struct {
	improve.Merged
	Project string // of the newest session with it, where one is known
	Open    map[string]bool
	Filed   string // the improvement that there is of it
}

// reflections are those that were made, by days.
type reflections struct {
	mu   sync.Mutex
	jobs map[int]*job[improve.Reflection]
}

func (f *reflections) of(days int) *job[improve.Reflection] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.jobs == nil {
		f.jobs = map[int]*job[improve.Reflection]{}
	}
	if f.jobs[days] == nil {
		f.jobs[days] = &job[improve.Reflection]{}
	}
	return f.jobs[days]
}

// reflection is that of so many days, and whether one is being made.
func (d *Dashboard) reflection(days int) (improve.Reflection, bool, error) {
	now := d.opt.Clock()
	return d.reflected.of(days).get(d.opt.Done, now, freshFindings, func(ctx context.Context) (improve.Reflection, error) {
		return d.opt.Findings.Reflect(ctx, improve.Query{Since: now.AddDate(0, 0, -days)})
	})
}

func (d *Dashboard) findings(w http.ResponseWriter, r *http.Request) {
	data := map[string]any{"Title": "Findings", "Lookbacks": lookbacks, "Days": daysOf(r), "More": 0, "Makes": d.opt.Findings.Make != nil}
	if d.opt.Findings.Reflect == nil {
		d.page(w, r, "reflect", data)
		return
	}
	days := daysOf(r)
	all, running, err := d.reflection(days)
	data["Days"], data["Running"], data["At"], data["Sessions"], data["Hosts"] = days, running, all.At, len(all.Results), all.Hosts
	if err != nil && !running {
		data["Failed"] = err.Error()
	}
	var shown []finding
	for _, m := range all.Merged[:min(len(all.Merged), mostFindings)] {
		f := finding{Merged: m, Open: map[string]bool{}, Project: projectOf(all, m)}
		for _, s := range m.Samples {
			if _, err := d.archive(r).Load(r.Context(), s.Session); err == nil {
				f.Open[s.Session] = true
			}
		}
		shown = append(shown, f)
	}
	d.filed(r, shown)
	data["Findings"], data["More"] = shown, len(all.Merged)-len(shown)
	d.page(w, r, "reflect", data)
}

// filed marks those that there is an improvement of.
func (d *Dashboard) filed(r *http.Request, all []finding) {
	if d.opt.Improvements.Queue == nil {
		return
	}
	items, err := d.opt.Improvements.Queue.Items(r.Context())
	if err != nil { // they are shown as not filed, and filing them says that they are
		return
	}
	for i := range all {
		for _, it := range items {
			if it.Fingerprint == all[i].Fingerprint || it.Request.Pattern.Fingerprint == all[i].Fingerprint {
				all[i].Filed = it.ID
			}
		}
	}
}

// projectOf is the folder of a session in which a pattern was seen.
func projectOf(all improve.Reflection, m improve.Merged) string {
	for _, one := range all.Results {
		for _, id := range m.In {
			if one.SessionID == id && filepath.IsAbs(one.Project) {
				return one.Project
			}
		}
	}
	return ""
}

func daysOf(r *http.Request) int {
	if n, err := strconv.Atoi(r.FormValue("days")); err == nil && n > 0 && n <= 365 {
		return n
	}
	return 7
}

// makeImprovement files a finding, which then waits for approval.
func (d *Dashboard) makeImprovement(w http.ResponseWriter, r *http.Request) {
	if d.opt.Findings.Make == nil {
		d.problem(w, r, http.StatusNotFound, "Improvements cannot be made here.")
		return
	}
	all, _, err := d.reflection(daysOf(r))
	if err != nil {
		d.failed(w, r, err)
		return
	}
	for _, m := range all.Merged {
		if project := projectOf(all, m); m.Fingerprint == r.FormValue("fingerprint") && project != "" { // a form names no folder
			it, err := d.opt.Findings.Make(r.Context(), project, m.Fingerprint)
			if err != nil {
				d.problem(w, r, http.StatusUnprocessableEntity, "No improvement was made: "+err.Error()+".")
				return
			}
			http.Redirect(w, r, "/improve/"+it.ID, http.StatusSeeOther)
			return
		}
	}
	d.problem(w, r, http.StatusConflict, "This finding is not among those of the newest reading any more. Load the page again.")
}

// routesOfFindings adds the paths.
func (d *Dashboard) routesOfFindings() {
	d.mux.HandleFunc("GET /reflect", d.needs(owned.View, d.findings))
	d.mux.HandleFunc("POST /reflect/make", d.needs(owned.Approve, d.makeImprovement))
}
