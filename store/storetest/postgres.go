package storetest

import (
	"crypto/rand"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Server is the URL of the PostgreSQL server that tests may use. Where there is none the test
// is skipped.
func Server(t *testing.T) string {
	t.Helper()
	at := os.Getenv("TRIMTAB_TEST_POSTGRES")
	if at == "" {
		t.Skip("did not run: there is no PostgreSQL server; run: make postgres")
	}
	return at
}

// EmptySchema is the URL of a place without tables on Server, which goes with the test, and
// with it what a worker of improvements records beside it.
func EmptySchema(t *testing.T) string {
	t.Helper()
	at, name := Server(t), "test_"+strings.ToLower(rand.Text())
	psql := func(text string) {
		if out, err := exec.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", text, at).CombinedOutput(); err != nil { // #nosec G204 -- a test's own words
			t.Fatalf("psql: %v: %s", err, out)
		}
	}
	psql("CREATE SCHEMA " + name)
	t.Cleanup(func() { psql("DROP SCHEMA " + name + " CASCADE; DROP SCHEMA IF EXISTS " + name + "_flow CASCADE") })
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}
