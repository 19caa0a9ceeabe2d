package dashboard

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/frames"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/steer/mute"
)

// steering is what a person can do in a session.
type steering struct {
	May    bool // whoever may only look sees it without buttons
	Paused bool
	Kinds  []kindOf
	Frames []frameOf
}

// kindOf is a kind of message, and whether it is muted.
type kindOf struct {
	Name  string
	Muted bool
}

// frameOf is a frame that can be ended, folded or shown again.
type frameOf struct {
	frame.View
	Active, Foldable bool
}

// steering reads what can be done in a session. What cannot be read is not offered.
func (d *Dashboard) steering(r *http.Request, s trimtab.Session) steering {
	out := steering{May: d.steers(r, s.Info)}
	var muted mute.Memory
	if raw, err := s.Memory(mute.Name); err == nil && len(raw) > 0 {
		_ = json.Unmarshal(raw, &muted) // one that cannot be read starts afresh
	}
	out.Paused = muted.All
	for _, c := range d.opt.Service.Engine().Commands() {
		if c.Name != mute.Command {
			continue
		}
		for _, k := range c.Values {
			if k != mute.All {
				out.Kinds = append(out.Kinds, kindOf{k, slices.Contains(muted.Kinds, k)})
			}
		}
	}
	tree, err := frames.Reader{Engine: d.opt.Service.Engine(), Archive: d.opt.Archive, Now: d.opt.Clock}.Tree(s)
	if err != nil {
		return out
	}
	for _, f := range tree.Frames {
		ended := f.Status == frame.Completed || f.Status == frame.Failed || f.Status == frame.Blocked
		out.Frames = append(out.Frames, frameOf{f, f.ID == tree.Active, ended && f.Parent != "" && !f.Gone})
	}
	return out
}

// act is what a button of a session's page asks for, as a command of steering.
func act(name, about string) (trimtab.Asked, bool) {
	command := func(name string, args ...string) (trimtab.Asked, bool) {
		return trimtab.Asked{Command: name, Args: args, Away: true}, true
	}
	switch name {
	case "mute":
		return command(mute.Command, about)
	case "unmute":
		return command(mute.Undo, about)
	case "pause":
		return command(mute.Command, mute.All)
	case "resume":
		return command(mute.Undo, mute.All)
	case "fold", "unfold":
		return command("frame", name, about)
	case "push":
		return command("frame", "push", about)
	case "pop":
		return command("frame", "pop", string(frame.Completed))
	}
	return trimtab.Asked{}, false
}

// steer does what a button asks for: the person's own act, as the cookie and the page's
// token say. It reaches the session through the store, whichever process steers it.
func (d *Dashboard) steer(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !d.maySteer(w, r, id) {
		return
	}
	name, about, _ := strings.Cut(r.FormValue("act"), " ")
	if name == "push" {
		about = strings.TrimSpace(r.FormValue("about"))
	}
	ev, ok := act(name, about)
	if !ok {
		d.problem(w, r, http.StatusNotFound, "There is nothing of that name to do.")
		return
	}
	_, out, err := d.opt.Service.Handle(r.Context(), id, ev)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	if reply, err := out.Reply(); err != nil || reply.Failed {
		d.problem(w, r, http.StatusUnprocessableEntity, "Nothing was changed: "+reply.Text)
		return
	}
	d.did(r, "session.command", id, r.FormValue("act"))
	http.Redirect(w, r, "/s/"+id, http.StatusSeeOther)
}

// routesOfSteering adds the path.
func (d *Dashboard) routesOfSteering() { d.mux.HandleFunc("POST /s/{id}/steer", d.steer) }
