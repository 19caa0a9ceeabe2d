package dashboard

import (
	"net/http"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

// team reports whether the pages are for several people, who show who they are.
func (d *Dashboard) team() bool { return d.opt.Who != nil || d.opt.Key != nil }

// enters says who asks: of a team, whoever signed in or gave a key; else the owner of this
// machine, who came by a link and may do everything.
func (d *Dashboard) enters(r *http.Request) (person.Person, bool) {
	if !d.team() {
		return person.Person{User: d.opt.Owner, Role: owned.Approve, By: "link"}, d.visitors.known(r)
	}
	if d.opt.Who != nil {
		if p, ok := d.opt.Who(r); ok {
			return p, true
		}
	}
	return d.withKey(r)
}

// person is who asks. Nobody reaches a page unknown: see ServeHTTP.
func (d *Dashboard) person(r *http.Request) person.Person {
	p, _ := person.Of(r.Context())
	return p
}

// token is what the forms of the person's pages carry.
func (d *Dashboard) token(r *http.Request) string {
	if !d.team() {
		v, _ := d.visitors.visit(r)
		return v.token
	}
	p := d.person(r)
	return d.visitors.tokenOf(p.User + " " + p.By)
}

// archive is the part of the store that the person may see.
func (d *Dashboard) archive(r *http.Request) trimtab.Archive {
	if !d.team() {
		return d.opt.Archive
	}
	return d.part(r)
}

// feed is what changes in that part.
func (d *Dashboard) feed(r *http.Request) feed.Source {
	if !d.team() {
		return d.opt.Feed
	}
	mine := d.part(r)
	if id := r.FormValue("session"); id != "" {
		_, _ = mine.Load(r.Context(), id) // so that it is told when a session that the person sees is removed
	}
	return mine.Feed(d.opt.Feed)
}

func (d *Dashboard) part(r *http.Request) *owned.Store {
	mine, err := d.person(r).Part(d.opt.Archive)
	if err != nil { // only where somebody asks for another's by name; they get nothing but their own
		mine, _ = person.Person{User: d.person(r).User, Role: owned.Use}.Part(d.opt.Archive)
	}
	return mine
}

// needs wraps an act that takes a role.
func (d *Dashboard) needs(role owned.Role, act http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p := d.person(r); !p.Role.AtLeast(role) {
			d.problem(w, r, http.StatusForbidden, "Your role is “"+string(p.Role)+"”, and this takes “"+string(role)+"”. Ask whoever looks after the server.")
			return
		}
		act(w, r)
	}
}

// maySteer reports whether the person may change a session, and says why not.
func (d *Dashboard) maySteer(w http.ResponseWriter, r *http.Request, id string) bool {
	s, err := d.archive(r).Load(r.Context(), id)
	if err != nil {
		d.failed(w, r, err)
		return false
	}
	if p := d.person(r); s.User != p.User && !p.Role.AtLeast(owned.Steer) {
		d.problem(w, r, http.StatusForbidden, "This session is of "+s.User+", and your role “"+string(p.Role)+"” steers only your own.")
		return false
	}
	return true
}

// steers reports whether the person's page of a session has what changes it.
func (d *Dashboard) steers(r *http.Request, s trimtab.Info) bool {
	p := d.person(r)
	return !d.team() || s.User == p.User || p.Role.AtLeast(owned.Steer)
}

// did tells whoever keeps it what a person did.
func (d *Dashboard) did(r *http.Request, what, about, more string) {
	if d.opt.Did != nil {
		d.opt.Did(r.Context(), d.person(r), what, about, more)
	}
}
