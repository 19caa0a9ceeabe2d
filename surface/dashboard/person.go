package dashboard

import (
	"net/http"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/owned"
)

// Person is who looks at the pages, and what they may do.
type Person struct {
	User string
	Role owned.Role
}

// person is who asks. Whoever came by a link of their own machine is its owner, and may do
// everything.
func (d *Dashboard) person(r *http.Request) Person {
	if d.opt.Who == nil {
		return Person{d.opt.Owner, owned.Approve}
	}
	return d.opt.Who(r)
}

// known reports whether somebody may come in at all.
func (d *Dashboard) known(r *http.Request) bool {
	if d.opt.Who == nil {
		return d.visitors.known(r)
	}
	return d.opt.Who(r).User != ""
}

// token is what the forms of the person's pages carry.
func (d *Dashboard) token(r *http.Request) string {
	if d.opt.Who == nil {
		v, _ := d.visitors.visit(r)
		return v.token
	}
	return d.visitors.tokenOf(d.opt.Who(r).User)
}

// archive is the part of the store that the person may see.
func (d *Dashboard) archive(r *http.Request) trimtab.Archive {
	if d.opt.Who == nil {
		return d.opt.Archive
	}
	p, show := d.opt.Who(r), ""
	if p.Role.AtLeast(owned.View) {
		show = owned.Everyone
	}
	mine, err := owned.New(d.opt.Archive, owned.Options{User: p.User, Role: p.Role, Show: show, Shared: true})
	if err != nil { // only where somebody asks for another's by name
		return d.opt.Archive
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
