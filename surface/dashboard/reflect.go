package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/insight"
)

// The times that findings can be looked back at, in days.
var lookbacks = []int{1, 7, 30, 90}

// mostFindings is how many the page shows.
const mostFindings = 30

// finding is a pattern, and where it can be gone to.
type finding struct {
	insight.Finding
	Open map[string]bool
}

func (d *Dashboard) findings(w http.ResponseWriter, r *http.Request) {
	days := daysOf(r)
	all, running, err := d.opt.Insight.Findings(r.Context(), days, d.opt.Improvements.Queue)
	data := map[string]any{"Title": "Findings", "Lookbacks": lookbacks, "Days": days, "Running": running, "At": all.At, "Sessions": all.Sessions, "Hosts": all.Hosts, "Makes": d.opt.Insight.Makes(), "Dismisses": d.opt.Insight.Dismisses()}
	if err != nil && !running {
		data["Failed"] = err.Error()
	}
	var shown, dismissed []finding
	more := 0
	for _, f := range all.All {
		list := &shown
		if f.Dismissed != nil {
			list = &dismissed
		}
		if len(*list) == mostFindings {
			more++
			continue
		}
		one := finding{f, map[string]bool{}}
		for _, s := range f.Samples {
			if _, err := d.archive(r).Load(r.Context(), s.Session); err == nil {
				one.Open[s.Session] = true
			}
		}
		*list = append(*list, one)
	}
	data["Findings"], data["Dismissed"], data["More"] = shown, dismissed, more
	d.page(w, r, "reflect", data)
}

func daysOf(r *http.Request) int {
	if n, err := strconv.Atoi(r.FormValue("days")); err == nil && n > 0 && n <= insight.MaxDays {
		return n
	}
	return 7
}

// makeImprovement files a finding, which then waits for approval.
func (d *Dashboard) makeImprovement(w http.ResponseWriter, r *http.Request) {
	it, err := d.opt.Insight.Make(r.Context(), daysOf(r), r.FormValue("fingerprint"))
	switch {
	case errors.Is(err, insight.ErrNoMake):
		d.problem(w, r, http.StatusNotFound, "Improvements cannot be made here.")
	case errors.Is(err, insight.ErrNoFinding):
		d.problem(w, r, http.StatusConflict, "This finding is not among those of the newest reading any more. Load the page again.")
	case err != nil:
		d.problem(w, r, http.StatusUnprocessableEntity, "No improvement was made: "+err.Error()+".")
	default:
		d.did(r, "improve.make", it.ID, "")
		http.Redirect(w, r, "/improve/"+it.ID, http.StatusSeeOther)
	}
}

// dismiss keeps that a person found a finding not useful, or takes that back.
func (d *Dashboard) dismiss(w http.ResponseWriter, r *http.Request) {
	days, what := daysOf(r), "reflect.dismiss"
	not := improve.Dismissal{Fingerprint: r.FormValue("fingerprint"), By: d.person(r).User, At: d.opt.Clock(), Why: r.FormValue("why")}
	back := r.FormValue("back") != ""
	if back {
		what = "reflect.takeback"
	}
	switch err := d.opt.Insight.Dismiss(r.Context(), days, not, back); {
	case errors.Is(err, insight.ErrNoDismiss):
		d.problem(w, r, http.StatusNotFound, "What people find not useful is not kept here.")
	case errors.Is(err, insight.ErrNoFinding):
		d.problem(w, r, http.StatusConflict, "This finding is not among those of the newest reading any more. Load the page again.")
	case err != nil:
		d.problem(w, r, http.StatusUnprocessableEntity, "It was not kept: "+err.Error()+".")
	default:
		d.did(r, what, not.Fingerprint, not.Why)
		http.Redirect(w, r, fmt.Sprintf("/reflect?days=%d", days), http.StatusSeeOther)
	}
}

// routesOfFindings adds the paths.
func (d *Dashboard) routesOfFindings() {
	d.mux.HandleFunc("GET /reflect", d.needs(owned.View, d.findings))
	d.mux.HandleFunc("POST /reflect/make", d.needs(owned.Approve, d.makeImprovement))
	d.mux.HandleFunc("POST /reflect/dismiss", d.needs(owned.Approve, d.dismiss))
}
