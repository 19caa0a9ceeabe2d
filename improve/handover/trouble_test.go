package handover_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/worker"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/storetest"
)

// onServer is a team on a PostgreSQL server, at the local forge, with an item, and a way to
// tell the server something as its owner.
func onServer(t *testing.T) (g *team, it improve.Item, psql func(text string) (string, error)) {
	t.Helper()
	server, at := storetest.Server(t), storetest.EmptySchema(t)
	st, err := postgres.Open(t.Context(), at, postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	g = newTeam(t, st.Queue())
	g.engine = worker.Config{URL: at}
	g.onLocal(t)
	it = g.item(1)
	if err := g.queue.Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	return g, it, func(text string) (string, error) {
		out, err := exec.Command("psql", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, server).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
}

// trouble makes trouble while a machine works, so often, and has it go on until the item
// ends.
func trouble(t *testing.T, g *team, it improve.Item, times int, cause func(n int) error) {
	t.Helper()
	stop := make(chan struct{})
	var done sync.WaitGroup
	made := 0
	done.Go(func() {
		for made < times {
			select {
			case <-stop:
				return
			case <-time.After(150 * time.Millisecond):
			}
			if err := cause(made); err != nil {
				t.Error(err)
				return
			}
			made++
		}
	})
	m := g.machine(t, "ada")
	for tries := 0; ; tries++ {
		err := m.work(t.Context()) // it may end with the trouble, and is started again
		now, looked := g.queue.Item(t.Context(), it.ID)
		if looked == nil && now.State.Ended() {
			break
		}
		if tries > 100 {
			t.Fatalf("it is %s, %v, %v", now.State, err, looked)
		}
	}
	close(stop)
	done.Wait()
	if made == 0 {
		t.Error("no trouble was made")
	}
	t.Logf("%d times", made)
	g.whole(t, it.ID)
}

// TestX4_ADatabaseThatBreaksOff: every connection ends again and again, in the middle of
// commits too, as when the server restarts. Nothing is done twice and nothing is lost.
func TestX4_ADatabaseThatBreaksOff(t *testing.T) {
	g, it, psql := onServer(t)
	trouble(t, g, it, 12, func(int) error {
		_, err := psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()")
		return err
	})
}

// TestX4_ADatabaseThatTakesNothing: it is full, or read-only, for a while.
func TestX4_ADatabaseThatTakesNothing(t *testing.T) {
	g, it, psql := onServer(t)
	set := func(value string) error {
		name, err := psql("SELECT current_database()")
		if err == nil {
			_, err = psql("BEGIN READ WRITE; ALTER DATABASE \"" + name + "\" SET default_transaction_read_only = " + value + "; COMMIT")
		}
		if err == nil {
			_, err = psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()")
		}
		return err
	}
	t.Cleanup(func() { _ = set("off") })
	trouble(t, g, it, 8, func(n int) error { return set([]string{"on", "off"}[n%2]) })
}

// TestX4_ADatabaseThatIsSlow: the tables are locked for longer than a lease.
func TestX4_ADatabaseThatIsSlow(t *testing.T) {
	g, it, psql := onServer(t)
	name := ""
	for _, part := range strings.Split(g.engine.URL, "search_path=") {
		name, _, _ = strings.Cut(part, "&")
	}
	g.lease = 1
	trouble(t, g, it, 3, func(int) error {
		_, err := psql("BEGIN; LOCK TABLE " + name + ".improvements IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1.5); COMMIT")
		return err
	})
}

// TestX4_AnotherClockTakesNothingAway: a machine whose clock is ten minutes ahead leaves
// what another one is at, and one whose clock is behind is left what it is at.
func TestX4_AnotherClockTakesNothingAway(t *testing.T) {
	g, it, _ := onServer(t)
	ada, bob := g.machine(t, "ada"), g.machine(t, "bob")
	ada.ahead, bob.ahead = -10*time.Minute, 10*time.Minute
	there, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	ada.before = func(step improve.StepName) {
		if step == steps.Design {
			once.Do(func() { close(there); <-goOn })
		}
	}
	worked := make(chan error, 1)
	go func() { worked <- ada.work(t.Context()) }()
	<-there
	was, err := g.queue.Item(t.Context(), it.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := bob.work(t.Context()); err != nil {
		t.Fatal(err)
	}
	now, err := g.queue.Item(t.Context(), it.ID)
	if err != nil || now.Fence != was.Fence || now.Worker != "worker-ada" || len(bob.ran) > 0 {
		t.Errorf("it is %s's, and the other one did %q: %v", now.Worker, bob.ran, err)
	}
	close(goOn)
	if err := <-worked; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	g.whole(t, it.ID)
	if _, err := os.Stat(filepath.Join(bob.data, "work", it.ID)); err == nil {
		t.Error("the other one has papers of it")
	}
}
