package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

const secret = "s3kr%t/w?rd:@ x"

// signed is a URL with a password in it.
func signed(at string, change func(*url.URL)) string {
	u, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	name := u.User.Username()
	if name == "" {
		name = "ada"
	}
	u.User = url.UserPassword(name, secret)
	if change != nil {
		change(u)
	}
	return u.String()
}

// quiet checks that nothing of the password is in an error, in no form.
func quiet(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), "s3kr", "w%3Frd"} {
			if strings.Contains(fmt.Sprintf("%v %+v %q", e, e, e), form) {
				t.Fatalf("the password is in the error: %v", e)
			}
		}
	}
}

func TestP15_NoPasswordInAnyError(t *testing.T) {
	for name, at := range map[string]string{
		"nobody there":      signed("postgres://ada@127.0.0.1:1/db", nil),
		"not a port":        "postgres://ada:" + url.QueryEscape(secret) + "@127.0.0.1:port/db",
		"not a URL":         "postgres://ada:" + secret + "@127.0.0.1:1/db",
		"broken":            "postgres://ada:s3kr%zz@[::1/db",
		"no such host":      signed("postgres://ada@host.invalid/db", nil),
		"an odd sslmode":    signed("postgres://ada@127.0.0.1:1/db?sslmode=perhaps", nil),
		"no such file":      signed("postgres://ada@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/no/such/file", nil),
		"in the query":      "postgres://ada@127.0.0.1:1/db?password=" + url.QueryEscape(secret),
		"not PostgreSQL's":  signed("mysql://ada@127.0.0.1:1/db", nil),
		"an odd parameter":  signed("postgres://ada@127.0.0.1:1/db?pool_max_conns=many", nil),
		"a key in a string": "host=127.0.0.1 port=1 password='" + secret + "'",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), at, Config{})
			quiet(t, err)
			t.Log(err)
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	at := server(t)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, url string
		want      error
		words     []string
	}{
		{"the server is not there", signed("postgres://ada@127.0.0.1:1/db", nil), ErrAway, []string{"127.0.0.1:1", "check that it runs"}},
		{"the database is missing", path(at, "nowhere"), ErrNoDatabase, []string{"nowhere", "createdb"}},
		{"the password is wrong", signed(at, nil), ErrDenied, []string{"password"}},
		{"the user is unknown", signed(at, func(u *url.URL) { u.User = url.UserPassword("mallory", secret) }), ErrDenied, []string{"mallory"}},
		{"the certificate is not known", with(at, "sslmode", "verify-full"), ErrAway, []string{"sslmode"}},
		{"it is read-only", with(fresh(t), "default_transaction_read_only", "on"), ErrReadOnly, []string{"standby"}},
		{"the text is not UTF-8", other(t, at, "latin", "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"), nil, []string{"LATIN1", "UTF8"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(t.Context(), test.url, Config{})
			quiet(t, err)
			if test.want != nil {
				is(t, err, test.want)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
			if pw, _ := u.User.Password(); strings.Contains(err.Error(), pw) {
				t.Error("the password is in the error")
			}
		})
	}
}

// other makes another database and returns its URL.
func other(t *testing.T, at, name, how string) string {
	t.Helper()
	run(t, at, "DROP DATABASE IF EXISTS "+name)
	run(t, at, "CREATE DATABASE "+name+" "+how)
	t.Cleanup(func() { run(t, at, "DROP DATABASE "+name) })
	return path(at, name)
}

// path is the URL of another database of the server.
func path(at, name string) string {
	u, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + name
	return u.String()
}

func TestP6_AReadOnlyServerIsNoSuccess(t *testing.T) {
	at := fresh(t)
	storetest.MustSay(t, opened(t, at), "ship", "before")
	store := opened(t, with(at, "default_transaction_read_only", "on")) // the tables are there, so it opens
	is(t, storetest.Say(t.Context(), store, "ship", "no"), ErrReadOnly)
	is(t, store.Remove(t.Context(), "ship"), ErrReadOnly)
	is(t, store.Queue().Add(t.Context(), storetest.Item(1)), ErrReadOnly)
	is(t, store.Queue().Halt(t.Context(), true), ErrReadOnly)
	_, _, err := store.Queue().Take(t.Context(), "w", start(), start(), improve.Limits{All: 1})
	is(t, err, ErrReadOnly)
	once(t, store, []string{"before"}, "ship")
}

func TestTLSByTheURL(t *testing.T) {
	at := fresh(t)
	var able bool
	if ask(t, at, "SELECT current_setting('ssl')::bool", &able); !able {
		t.Skip("did not run: the server has no certificate")
	}
	for mode, want := range map[string]bool{"require": true, "disable": false} {
		store := opened(t, with(at, "sslmode", mode))
		var got bool
		if err := store.pool.QueryRow(t.Context(), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&got); err != nil || got != want {
			t.Errorf("%s: encrypted %v, %v", mode, got, err)
		}
	}
}

func TestALockedSessionEndsInAnErrorInTime(t *testing.T) {
	at := fresh(t)
	store := openedWith(t, at, Config{Timeout: 200})
	storetest.MustSay(t, store, "ship", "before")
	other, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	if _, err := other.Exec(t.Context(), "BEGIN; LOCK TABLE sessions"); err != nil {
		t.Fatal(err)
	}
	s := trimtab.NewSession("boat", start())
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s}); !errors.Is(err, ErrBusy) && !errors.Is(err, ErrAway) {
		t.Errorf("error %v", err)
	}
	patient := openedWith(t, with(at, "lock_timeout", "0"), Config{Timeout: 600_000})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = patient.Commit(ctx, trimtab.Commit{Session: s}) // would wait for ten minutes
	is(t, err, context.DeadlineExceeded)
	_, err = patient.Load(ctx, "ship")
	is(t, err, context.DeadlineExceeded)
	if _, err := other.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	storetest.MustSay(t, store, "ship", "after")
	once(t, store, []string{"before", "after"}, "ship")
}

func TestAServerThatSaysNothingIsLeft(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Open(t.Context(), signed("postgres://ada@"+l.Addr().String()+"/db?sslmode=disable", nil), Config{ConnectTimeout: 100})
	quiet(t, err)
	is(t, err, ErrAway)
}

// TestAnAnswerThatIsLostIsFoundAgain cuts the line after the server has done what
// it was asked for and before it can say so.
func TestAnAnswerThatIsLostIsFoundAgain(t *testing.T) {
	at := fresh(t)
	line := newWire(t, at)
	store := opened(t, line.url)
	q := store.Queue()
	storetest.MustSay(t, store, "ship", "one")
	for i, do := range []func() error{
		func() error { return storetest.Say(t.Context(), store, "boat", "new") },
		func() error { return storetest.SayOnce(t.Context(), store, "ship", "two") },
		func() error { return q.Add(t.Context(), storetest.Item(1)) },
		func() error {
			_, err := q.Change(t.Context(), storetest.Item(1).ID, 0, func(it *improve.Item) error { it.Attempt++; return nil })
			return err
		},
		func() error { return q.Halt(t.Context(), true) },
		func() error { return store.Remove(t.Context(), "boat") },
	} {
		line.cut.Store(true)
		if err := do(); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if line.cut.Load() {
			t.Errorf("%d: the line was not cut", i)
		}
	}
	once(t, store, []string{"one", "two"}, "ship")
	if it, err := q.Item(t.Context(), storetest.Item(1).ID); err != nil || it.Attempt != 2 {
		t.Errorf("attempt %d, %v", it.Attempt, err)
	}
	_, err := store.Load(t.Context(), "boat")
	is(t, err, trimtab.ErrNotFound)
}
