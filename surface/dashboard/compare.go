package dashboard

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/replay/judge"
)

// changes are the lines of a field, one change each.
func changes(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// routesOfCompare adds the paths.
func (d *Dashboard) routesOfCompare() {
	d.mux.HandleFunc("GET /lab/compare", d.compared)
	d.mux.HandleFunc("POST /lab/compare", d.compare)
	d.mux.HandleFunc("POST /lab/compare/stop", d.stopComparing)
}

// compared shows the newest comparison, and the form for another.
func (d *Dashboard) compared(w http.ResponseWriter, r *http.Request) {
	if d.opt.Lab.Compares == nil {
		d.problem(w, r, http.StatusNotFound, "Policies are not compared here.")
		return
	}
	k, ok := d.opt.Lab.Compares.Of(d.person(r).User)
	data := map[string]any{"Title": "Compare two policies", "Settings": d.opt.Lab.Compares.Settings(), "Sizes": judge.ComparisonSizes, "Compares": true}
	if ok {
		data["K"], data["Most"] = k, k.Most
		data["First"], data["Second"] = strings.Join(k.First, "\n"), strings.Join(k.Second, "\n")
	}
	d.page(w, r, "compare", data)
}

// compare begins a comparison. It is done beside the pages, which show how far it is.
func (d *Dashboard) compare(w http.ResponseWriter, r *http.Request) {
	if d.opt.Lab.Compares == nil {
		d.problem(w, r, http.StatusNotFound, "Policies are not compared here.")
		return
	}
	most, _ := strconv.Atoi(r.FormValue("sessions")) // what is no number is the least
	err := d.opt.Lab.Compares.Begin(r.Context(), d.person(r).User, d.archive(r), changes(r.FormValue("first")), append(changes(r.FormValue("second")), r.Form["off"]...), most)
	switch {
	case errors.Is(err, judge.ErrBusy):
		d.problem(w, r, http.StatusTooManyRequests, "Nothing was compared: "+err.Error())
	case errors.Is(err, judge.ErrLabels):
		d.problem(w, r, http.StatusServiceUnavailable, "Nothing was compared: "+err.Error())
	case err != nil:
		d.problem(w, r, http.StatusUnprocessableEntity, "Nothing was compared: "+err.Error())
	default:
		http.Redirect(w, r, "/lab/compare", http.StatusSeeOther)
	}
}

func (d *Dashboard) stopComparing(w http.ResponseWriter, r *http.Request) {
	if d.opt.Lab.Compares != nil {
		d.opt.Lab.Compares.Stop(d.person(r).User)
	}
	http.Redirect(w, r, "/lab/compare", http.StatusSeeOther)
}
