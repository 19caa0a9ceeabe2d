package hook

import (
	"context"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/store/memory"
)

// fakeChecker answers with the exit codes it was given.
type fakeChecker struct {
	wrote []trimtab.Written
	exits []int
	ran   []string
}

func (f *fakeChecker) Look(context.Context, string) []trimtab.Written { return f.wrote }

func (f *fakeChecker) Check(_ context.Context, dir, command string) trimtab.Receipt {
	f.ran = append(f.ran, dir+" "+command)
	r := trimtab.Receipt{Command: command, Exit: f.exits[0], Output: "--- FAIL: TestA", Tree: "t"}
	f.exits = f.exits[1:]
	return r
}

// J9, J11: at a stop the working tree is asked and the check is run: the real failure holds
// the agent back on every host, also behind the host's own flag, and success says nothing.
func TestJ9_ACheckIsRunAtAStop(t *testing.T) {
	for _, host := range everyHost {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			engine, err := steer.New(steer.Config{Verify: stop.Verify{Mode: "run", Command: "make check"}})
			if err != nil {
				t.Fatal(err)
			}
			r.store = memory.New()
			r.opt.Service = session.New(engine, r.store, session.Options{Clock: r.opt.Clock})
			f := &fakeChecker{exits: []int{2, 0}}
			r.opt.Checker = f
			r.start("startup")
			r.prompt("regenerate the parser")
			r.used("Bash", `{"command":"./gen"}`, "ok")
			f.wrote = []trimtab.Written{{File: "parse.go", At: r.now.Add(time.Hour)}}
			holds(t, "the stop", r.stop("Done.", "false"), "make check", "--- FAIL: TestA", stop.Opening)
			r.used("Bash", `{"command":"./gen --again"}`, "ok")
			none(t, "the stop after it", r.stop("Done.", "true"))
			if len(f.ran) != 2 || f.ran[0] != "/p make check" {
				t.Errorf("ran %q", f.ran)
			}
		})
	}
}
