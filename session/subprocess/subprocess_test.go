//go:build unix

package subprocess

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/external"
	"github.com/trimtab/trimtab/store/memory"
)

// guard is the program of docs/howto/intervention.md, and more.
const guard = `while IFS= read -r line; do
  case $line in
  *'"type":"using"'*'git push'*) echo '{"actions":[{"type":"deny","why":"run the tests first"}]}' ;;
  *'"type":"stopping"'*) echo '{"actions":[{"type":"continue","text":"the tests have not run","why":"no test"},{"type":"notify","text":"sent on"}]}' ;;
  *'"type":"calling"'*) echo '{"actions":[{"type":"inject","slot":"tests","text":"Run the tests.","life":"standing","why":"a rule"}]}' ;;
  *) echo ;;
  esac
done`

// rig is a session service with one program, written in shell.
type rig struct {
	t        *testing.T
	programs *Programs
	engine   *trimtab.Engine
	store    *memory.Store
	service  *session.Service
	info     trimtab.Info
}

func newRig(t *testing.T, p external.Program) *rig {
	t.Helper()
	cfg := steer.Config{Interventions: map[string]external.Program{"watcher": p}}
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, programs: New(cfg.Interventions), engine: engine, store: memory.New()}
	t.Cleanup(r.programs.Close)
	r.service = session.New(engine, r.store, session.Options{Advisor: r.programs})
	s, err := r.service.Begin(t.Context(), trimtab.Info{ID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	r.info = s.Info
	return r
}

func shell(script string, events ...string) external.Program {
	return external.Program{Command: "/bin/sh", Args: []string{"-c", script}, Events: events, Timeout: 60000}
}

func (r *rig) handle(events ...trimtab.Event) (trimtab.Session, trimtab.Outcome) {
	r.t.Helper()
	s, out, err := r.service.Handle(r.t.Context(), "s", events...)
	if err != nil {
		r.t.Fatal(err)
	}
	return s, out
}

func push() trimtab.Event {
	return trimtab.Using{Call: trimtab.ToolCall{ID: "c", Name: "bash", Input: json.RawMessage(`{"command":"git push"}`)}}
}

// actions are what was asked for, and by whom.
func actions(out trimtab.Outcome) (all []string) {
	for _, a := range out.Actions {
		all = append(all, fmt.Sprintf("%s %T %v", a.By, a.Action, a.Action))
	}
	return all
}

func faults(out trimtab.Outcome) (all []string) {
	for _, f := range out.Faults {
		all = append(all, f.Error())
	}
	return all
}

func TestAProgramSteers(t *testing.T) {
	r := newRig(t, shell(guard, "using", "stopping", "calling"))
	prompt := trimtab.Prompt("ship it")
	prompt.ID = "p"
	s, out := r.handle(trimtab.Said{Message: prompt}, trimtab.Calling{})
	if len(out.Changes) != 1 || out.Changes[0].By != "watcher" || out.Changes[0].Why != "a rule" {
		t.Errorf("changes: %+v, %v", out.Changes, faults(out))
	}
	if view := s.View([]trimtab.Message{prompt}); len(view) != 2 || view[1].Text() != "Run the tests." {
		t.Errorf("the model sees %v", view)
	}
	if _, out = r.handle(push()); !slices.Equal(actions(out), []string{"watcher trimtab.Deny {run the tests first}"}) {
		t.Errorf("%q %v", actions(out), faults(out))
	}
	if _, out = r.handle(trimtab.Stopping{}); !slices.Contains(actions(out), "watcher trimtab.Continue {the tests have not run no test 0}") || !slices.Contains(actions(out), "watcher trimtab.Notify {sent on false}") {
		t.Errorf("%q %v", actions(out), faults(out))
	}
	if _, out = r.handle(trimtab.Resumed{}); len(out.Actions) > 0 { // not asked for
		t.Errorf("%q", actions(out))
	}
	_, out, err := r.service.Steer(t.Context(), "s", func(trimtab.Session) []trimtab.Event { return []trimtab.Event{push()} })
	if err != nil || len(actions(out)) != 1 {
		t.Errorf("behind the gateway: %q, %v", actions(out), err)
	}
}

// TestAReplayNeedsNoProgram: the journal has what it wanted.
func TestAReplayNeedsNoProgram(t *testing.T) {
	r := newRig(t, shell(guard, "using", "stopping", "calling"))
	r.handle(trimtab.Said{Message: trimtab.Prompt("ship it")}, trimtab.Calling{}, push())
	s, _ := r.handle(trimtab.Stopping{})
	r.programs.Close()
	again, outs, err := session.Replay(r.engine, r.info, r.store.Messages(t.Context(), "s", 0), r.store.Journal(t.Context(), "s", 0))
	if err != nil {
		t.Fatal(err)
	}
	again.Version = s.Version
	want, err1 := json.Marshal(s)
	got, err2 := json.Marshal(again)
	if err1 != nil || err2 != nil || string(got) != string(want) {
		t.Errorf("%v %v\n%s\nis not\n%s", err1, err2, got, want)
	}
	denied := 0
	for _, out := range outs {
		denied += strings.Count(strings.Join(actions(out), "\n"), "trimtab.Deny")
	}
	if denied != 1 {
		t.Errorf("%d refusals in the replay", denied)
	}
}

// TestTheSessionGoesOn whatever a program does; the fault says what that was.
func TestTheSessionGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		program external.Program
		want    string
	}{
		"it ends":             {shell("echo no such rule >&2; exit 3", "using"), "it ended; it said: no such rule"},
		"nonsense":            {shell("read -r l; echo nonsense; cat", "using"), "its answer cannot be read"},
		"a long line":         {shell("read -r l; yes x | tr -d '\\n'", "using"), "more than 65536 bytes"},
		"many lines":          {shell("read -r l; printf '{}\\n{}\\n'; cat", "using"), "one line answers one event"},
		"many actions":        {shell(`read -r l; printf '{"actions":[{}'; printf ',{}%.0s' 1 2 3 4 5 6 7 8; echo ']}'; cat`, "using"), "it wants 9 actions"},
		"an unknown action":   {shell(`read -r l; echo '{"actions":[{"type":"run"}]}'; cat`, "using"), `unknown type "run"`},
		"a fold":              {shell(`read -r l; echo '{"actions":[{"type":"fold","key":"k"}]}'; cat`, "using"), "a program may inject"},
		"continue with using": {shell(`read -r l; echo '{"actions":[{"type":"continue","text":"x"}]}'; cat`, "using"), "continue answers stopping, not using"},
		"a place of its own":  {shell(`read -r l; echo '{"actions":[{"type":"inject","text":"x","place":"system"}]}'; cat`, "using"), `place "system"`},
		"no such program":     {external.Program{Command: "/no/such/program", Events: []string{"using"}}, "start: "},
		"it hangs":            {external.Program{Command: "/bin/sh", Args: []string{"-c", "read -r l; sleep 600 & sleep 600"}, Events: []string{"using"}, Timeout: 20}, "did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.program)
			s, out := r.handle(trimtab.Said{Message: trimtab.Prompt("ship it")}, push())
			if s.Seq != 1 || len(out.Actions) > 0 {
				t.Errorf("%d messages, %q", s.Seq, actions(out))
			}
			if all := strings.Join(faults(out), "\n"); !strings.HasPrefix(all, "watcher: ") || !strings.Contains(all, c.want) {
				t.Errorf("faults: %q, where it should say %q", all, c.want)
			}
		})
	}
}

// TestAProgramThatFailedIsStartedAgain later, and more seldom each time.
func TestAProgramThatFailedIsStartedAgain(t *testing.T) {
	log := filepath.Join(t.TempDir(), "starts")
	r := newRig(t, shell("echo start >>"+log+"; exit 1", "using"))
	var now time.Time
	r.programs.now = func() time.Time { return now }
	starts := func() int {
		raw, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(raw), "start")
	}
	for i, c := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {999 * time.Millisecond, 1}, {time.Millisecond, 2}, {time.Second, 2}, {time.Second, 3}, {3 * time.Second, 3}, {time.Second, 4}} {
		now = now.Add(c.after)
		had := 0
		if i > 0 {
			had = starts()
		}
		_, out := r.handle(push())
		if got := starts(); got != c.want || len(out.Faults) != got-had {
			t.Fatalf("%d: started %d times, not %d; %q", i, got, c.want, faults(out))
		}
	}
}

// TestOneProcessServesAllSessions at once, and nothing of it is left.
func TestOneProcessServesAllSessions(t *testing.T) {
	before := runtime.NumGoroutine()
	r := newRig(t, shell(`n=0; while read -r l; do n=$((n+1)); echo "{\"actions\":[{\"type\":\"notify\",\"text\":\"$$ $n\"}]}"; done`, "resumed"))
	var mu sync.Mutex
	seen, pids := map[string]bool{}, map[string]bool{}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			id := fmt.Sprint("s", n)
			if _, err := r.service.Begin(context.Background(), trimtab.Info{ID: id}); err != nil {
				t.Error(err)
			}
			for range 20 {
				_, out, err := r.service.Handle(context.Background(), id, trimtab.Resumed{})
				if err != nil || len(out.Actions) != 1 {
					t.Errorf("%v, %q, %q", err, actions(out), faults(out))
					return
				}
				text := out.Actions[0].Action.(trimtab.Notify).Text
				pid, _, _ := strings.Cut(text, " ")
				mu.Lock()
				seen[text], pids[pid] = true, true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 160 || len(pids) != 1 {
		t.Errorf("%d answers of %d processes", len(seen), len(pids))
	}
	r.programs.Close()
	for pid := range pids {
		gone(t, pid)
	}
	for runtime.NumGoroutine() > before { // the test's own limit ends this
		time.Sleep(time.Millisecond)
	}
	if _, out := r.handle(trimtab.Resumed{}); !slices.Equal(faults(out), []string{"watcher: closed"}) {
		t.Errorf("%q", faults(out))
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for syscall.Kill(n, 0) == nil {
		if stat, _ := os.ReadFile("/proc/" + pid + "/stat"); strings.Contains(string(stat), ") Z ") {
			return // nobody has asked for its end yet
		}
		time.Sleep(time.Millisecond)
	}
}

// TestItGetsNoKeys: a program has the variables that it needs to run.
func TestItGetsNoKeys(t *testing.T) {
	t.Setenv("SOME_API_KEY", "sk-secret")
	r := newRig(t, shell(`read -r l; echo "{\"actions\":[{\"type\":\"notify\",\"text\":\"key=$SOME_API_KEY path=${PATH:+yes}\"}]}"`, "resumed"))
	if _, out := r.handle(trimtab.Resumed{}); !slices.Equal(actions(out), []string{"watcher trimtab.Notify {key= path=yes false}"}) {
		t.Errorf("%q %q", actions(out), faults(out))
	}
}

// TestItEndsWithUs runs this test as a program of its own and kills that.
func TestItEndsWithUs(t *testing.T) {
	if os.Getenv("SUBPROCESS_TEST_CHILD") != "" {
		script := `echo $$ >"$0"; while read -r l; do echo; done`
		if runtime.GOOS == "linux" {
			script += "; exec sleep 600" // even one that does not end with its input
		}
		p := shell(script, "resumed")
		p.Args = append(p.Args, os.Getenv("SUBPROCESS_TEST_CHILD"))
		r := newRig(t, p)
		r.handle(trimtab.Resumed{})
		fmt.Println("ready")
		select {}
	}
	file := filepath.Join(t.TempDir(), "pid")
	us := exec.Command(os.Args[0], "-test.run=^TestItEndsWithUs$")
	us.Env = append(os.Environ(), "SUBPROCESS_TEST_CHILD="+file)
	out, err := us.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := us.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = us.Wait()
	gone(t, strings.TrimSpace(string(pid)))
}
