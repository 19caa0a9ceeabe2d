package handover_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

// machines are three workers that run at the same time, each a process with a data folder.
type machines struct {
	folder string
	env    []string
	procs  [3]*process
}

type process struct {
	cmd *exec.Cmd
	out bytes.Buffer
	end chan error
}

func (c *machines) start(t *testing.T, n int) {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), end: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), append(c.env, teamFolder+"="+c.folder, fmt.Sprint(whichMachine, "=", n), deathAt+"=")...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.end <- p.cmd.Wait() }()
	c.procs[n] = p
}

// kill ends a machine as the loss of its power would, and waits until it is gone.
func (c *machines) kill(n int) {
	_ = c.procs[n].cmd.Process.Kill()
	<-c.procs[n].end
}

// TestX4_ThreeWorkersKilledAtRandomMoments: three workers on three data folders work at the
// same time and are killed at any moment, whoever has the item more often than the others,
// now and then with the loss of the data folder. Another one goes on at the step where the
// item was: none begins an earlier one again. TRIMTAB_KILLS is how many runs; on PostgreSQL
// where there is a server, else on one SQLite file.
func TestX4_ThreeWorkersKilledAtRandomMoments(t *testing.T) {
	runs, kills, lost, taken, slowest := runs(t, 1), 0, 0, 0, time.Duration(0)
	for run := range runs {
		c := &machines{folder: t.TempDir(), env: []string{leaseOf + "=2"}}
		at := os.Getenv("TRIMTAB_TEST_POSTGRES")
		if at != "" {
			at = storetest.EmptySchema(t)
			c.env = append(c.env, storeAt+"="+at)
		}
		g, done, err := openTeam(t.Context(), c.folder, at)
		if err != nil {
			t.Fatal(err)
		}
		it := g.filed(t)
		chance := rand.New(rand.NewPCG(4, uint64(run)))
		for n := range c.procs {
			c.start(t, n)
		}
		var killed []time.Time
		for range 6 + chance.IntN(8) {
			time.Sleep(time.Duration(100+chance.IntN(600)) * time.Millisecond) // a moment of chance: nothing is waited for
			now, err := g.queue.Item(t.Context(), it.ID)
			if err != nil {
				t.Fatal(err)
			}
			if now.State.Ended() {
				break
			}
			n := chance.IntN(3)
			for i, login := range logins {
				if now.Worker == "worker-"+login && chance.IntN(4) > 0 {
					n = i
				}
			}
			c.kill(n)
			kills++
			if now.Worker == "worker-"+logins[n] {
				killed = append(killed, time.Now())
			}
			if chance.IntN(4) == 0 {
				lost++
				data := filepath.Join(c.folder, fmt.Sprint("data-", n))
				for os.RemoveAll(data) != nil && t.Context().Err() == nil {
					time.Sleep(10 * time.Millisecond) // a git that the killed one had started still writes
				}
			}
			c.start(t, n)
		}
		for n, p := range c.procs {
			if err := <-p.end; err != nil {
				t.Errorf("run %d: machine %d: %v\n%s", run, n, err, p.out.String())
			}
		}
		end, err := g.queue.Item(t.Context(), it.ID)
		if err != nil || end.State != improve.Done || len(end.Evidence) != 13 {
			t.Errorf("run %d: %s after %d steps: %s, %v", run, end.State, len(end.Evidence), end.Why, err)
		}
		if issues, pulls := counted(t, g); issues != 1 || pulls != 1 {
			t.Errorf("run %d: %d issues and %d pull requests of one trouble", run, issues, pulls)
		}
		begun := begun(t, c.folder)
		for i, b := range begun[1:] {
			if b.step < begun[i].step {
				t.Errorf("run %d: step %d was begun after step %d: %v", run, b.step, begun[i].step, begun)
			}
		}
		for _, k := range killed {
			for _, b := range begun {
				if b.at.After(k) {
					taken, slowest = taken+1, max(slowest, b.at.Sub(k))
					break
				}
			}
		}
		done()
	}
	t.Logf("%d runs, %d kills, %d of them of the one at work, %d lost data folders; the slowest went on after %s", runs, kills, taken, lost, slowest.Round(time.Millisecond))
}

// beginning is that a machine began a step.
type beginning struct {
	at            time.Time
	machine, step int
}

func begun(t *testing.T, folder string) (out []beginning) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "begun"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var b beginning
		var ms int64
		if _, err := fmt.Sscan(line, &ms, &b.machine, &b.step); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		b.at = time.UnixMilli(ms)
		out = append(out, b)
	}
	return out
}
