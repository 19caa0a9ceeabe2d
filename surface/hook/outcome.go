package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/surface/hook/spool"
)

// Outcome is what looking back at a session that stopped has triggered. Whoever looked
// back leaves it, and the next hook of the session tells it: the person where the host
// shows something to them, and the model with the next prompt.
type Outcome struct {
	Session  string    `json:"session"`
	Project  string    `json:"project"` // the folder that the agent worked in
	Decision Decision  `json:"decision"`
	At       time.Time `json:"at"`
	Person   bool      `json:"person_told,omitempty"` // it is left for the model alone
}

// Limits of the folder of outcomes.
const (
	maxOutcome  = 16 << 10 // bytes
	maxOutcomes = 256      // that are looked at by one call
	oldOutcome  = 7 * 24 * time.Hour
)

func outcomeFolder(data string) string { return filepath.Join(spool.Folder(data), "outcome") }

// outcomeName is the file of a session, of which the newest outcome counts.
func outcomeName(session string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, session) // never fails
	return fmt.Sprintf("%016x.json", h.Sum64())
}

// Leave puts an outcome into the folder for data.
func (o Outcome) Leave(data string, pid int) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	dir := outcomeFolder(data)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	name := outcomeName(o.Session)
	temp := filepath.Join(dir, fmt.Sprintf(".%d-%s", pid, name))
	if err = os.WriteFile(temp, text, 0o600); err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// TakeOutcome takes the outcome of a session out of the folder.
func TakeOutcome(data, session string) (Outcome, bool) {
	o, ok := takeOutcome(filepath.Join(outcomeFolder(data), outcomeName(session)))
	return o, ok && o.Session == session
}

// takeOutcome reads a file and removes it. Of several processes that do so at once, one
// has it.
func takeOutcome(path string) (o Outcome, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return o, false
	}
	text, err := io.ReadAll(io.LimitReader(f, maxOutcome+1))
	_ = f.Close()
	if os.Remove(path) != nil || err != nil || len(text) > maxOutcome {
		return o, false
	}
	return o, json.Unmarshal(text, &o) == nil && o.Decision.Workflow != ""
}

// outcomes are those that a call of the session may tell: its own, and those of other
// sessions in the same folder, which may have ended since.
func (t *turn) outcomes() []Outcome {
	dir := outcomeFolder(t.opt.Data)
	d, err := os.Open(dir)
	if err != nil {
		return nil // mostly there is none
	}
	names, err := d.Readdirnames(maxOutcomes)
	_ = d.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	slices.Sort(names)
	var out []Outcome
	project, now := t.project(), t.opt.Clock()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if strings.HasPrefix(name, ".") {
			if old(path, now) {
				_ = os.Remove(path)
			}
			continue
		}
		o, ok := takeOutcome(path)
		switch {
		case !ok, now.Sub(o.At) > oldOutcome:
		case o.Session == t.id, o.Project == project && !o.Person && t.call.Event.Kind == spool.Start:
			out = append(out, o)
		default:
			t.keep(o) // another's
		}
	}
	return out
}

func (t *turn) keep(o Outcome) {
	if err := o.Leave(t.opt.Data, t.opt.PID); err != nil {
		t.opt.Log.Warn("what was triggered cannot be told again", "session", o.Session, "error", err)
	}
}

// tell adds to an answer what was triggered since the last one.
func (t *turn) tell(a Answer) Answer {
	for _, o := range t.outcomes() {
		if !o.Person {
			a.Notices = append(a.Notices, o.Decision.Instructions)
			o.Person = true
		}
		switch {
		case o.Session == t.id && t.call.Event.Kind != spool.Stop:
			a.Context = join(a.Context, "From trimtab, for your information: "+o.Decision.Instructions)
		default: // at a stop there is nobody left to tell but the person
			t.keep(o)
		}
	}
	return a
}

// triggered makes the answer of a stop whose reflection was in time.
func (t *turn) triggered(a Answer, d Decision) Answer {
	a.Decision = d
	a.Notices = append(a.Notices, d.Instructions)
	a.SendOn = t.opt.SendOn && (t.in.Active == nil || !*t.in.Active)
	if !a.SendOn {
		t.keep(Outcome{Session: t.id, Project: t.project(), Decision: d, At: t.opt.Clock().UTC(), Person: true})
	}
	return a
}
