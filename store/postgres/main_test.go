package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// What a test needs another process for runs as this binary again, with the
// name of the part it plays in the environment.
const role, place, rest, given = "TRIMTAB_TEST_ROLE", "TRIMTAB_TEST_PLACE", "TRIMTAB_TEST_REST", "TRIMTAB_TEST_POSTGRES"

func TestMain(m *testing.M) {
	play, ok := map[string]func(context.Context, *Store, []string) error{
		"append": playAppend,
		"file": func(ctx context.Context, s *Store, args []string) error {
			return storetest.File(ctx, s.Queue(), args[0], os.Stdout)
		},
		"work": func(ctx context.Context, s *Store, args []string) error {
			return storetest.Work(ctx, s.Queue(), args[0], rand.New(rand.NewPCG(3, uint64(args[0][1]))), os.Stdout)
		},
		"migrate": nil,
	}[os.Getenv(role)]
	if !ok {
		os.Exit(withServer(m))
	}
	if err := act(context.Background(), play); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func act(ctx context.Context, play func(context.Context, *Store, []string) error) error {
	if play == nil {
		return playMigrate(ctx, os.Getenv(place))
	}
	store, err := Open(ctx, os.Getenv(place), Config{Connections: 2, Timeout: 60_000})
	if err != nil {
		return err
	}
	return errors.Join(play(ctx, store, strings.Fields(os.Getenv(rest))), store.Close())
}

// another starts this binary in a role.
func another(t *testing.T, part, url string, args ...string) *storetest.Player {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+part, place+"="+url, rest+"="+strings.Join(args, " "))
	return storetest.Cast(t, cmd)
}

// server is the URL of the server to test on.
func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv(given)
	if url == "" {
		t.Skip("did not run: there is no PostgreSQL server; run: sh script/postgres.sh run go test ./store/postgres, or make e2e")
	}
	return url
}

var count atomic.Int64

// fresh is the URL of a place without tables, which goes with the test.
func fresh(t testing.TB) string {
	t.Helper()
	at := server(t)
	schema := fmt.Sprintf("test_%d_%d", os.Getpid(), count.Add(1))
	run(t, at, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, at, "DROP SCHEMA "+schema+" CASCADE") })
	return with(at, "search_path", schema)
}

// with sets a parameter of a URL.
func with(at, key, value string) string {
	u, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// run runs SQL beside the store.
func run(t testing.TB, at, sql string, args ...any) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// ask runs SQL beside the store and scans what it gives.
func ask(t testing.TB, at, sql string, to ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql).Scan(to...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func opened(t testing.TB, url string) *Store {
	t.Helper()
	return openedWith(t, url, Config{})
}

func openedWith(t testing.TB, url string, cfg Config) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start is a fixed time.
func start() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

// playAppend says things in a session and prints each once it is acknowledged.
func playAppend(ctx context.Context, store *Store, args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	for i := range n {
		text := fmt.Sprintf("%s-%d", args[1], i)
		if err := storetest.Say(ctx, store, args[0], text); err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}

// once checks that what was acknowledged is there once, that nothing is there
// twice, and that all numbers follow each other.
func once(t *testing.T, store *Store, acked []string, sessions ...string) {
	t.Helper()
	seen := map[string]int{}
	for _, id := range sessions {
		said, done := 0, 0
		for m, err := range store.Messages(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			seen[m.Text()]++
			said++
		}
		for e, err := range store.Journal(t.Context(), id, 0) {
			done++
			if err != nil || e.Seq != done || e.Event.(trimtab.Said).Message.ID != trimtab.MessageID(done) {
				t.Fatalf("%s: entry %d: %+v, %v", id, done, e, err)
			}
		}
		s, err := store.Load(t.Context(), id)
		if err != nil || said != s.Seq || done != s.Seq || s.Version != s.Seq {
			t.Errorf("%s: seq %d, version %d, %d messages, %d entries, %v", id, s.Seq, s.Version, said, done, err)
		}
	}
	lost, twice := 0, 0
	for _, text := range acked {
		if seen[text] == 0 {
			lost++
		}
	}
	for _, n := range seen {
		if n > 1 {
			twice++
		}
	}
	if lost > 0 || twice > 0 {
		t.Errorf("of %d acknowledged rows %d are lost, and %d are there twice", len(acked), lost, twice)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}
