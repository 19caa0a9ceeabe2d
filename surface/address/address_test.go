package address_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab/surface/address"
)

func TestH7_ASecretHas128BitsAndFitsIntoAPath(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		s := address.New()
		if len(s) < 26 || url.PathEscape(s) != s || seen[s] { // 26 characters of 32 are 130 bits
			t.Fatalf("%q", s)
		}
		seen[s] = true
	}
}

// behind counts what gets through and tells what it saw of the request.
type behind struct {
	requests int
	saw      string
}

func (b *behind) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b.requests++
	b.saw = fmt.Sprint(r.Method, " ", r.URL.EscapedPath(), " ", r.URL.Path, " ", r.RequestURI, " ", r.Header)
}

// unread fails a test that reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) { u.t.Error("the body was read"); return 0, io.EOF }

func TestH7_WithoutTheSecretNothingPasses(t *testing.T) {
	secret := address.New()
	wrong := []byte(secret)
	for i := range wrong {
		wrong[i] ^= 1
	}
	last := secret[:len(secret)-1] + string(rune(secret[len(secret)-1]^1))
	b := &behind{}
	h := address.Handler(address.Only(secret), b)
	var answer string
	for _, path := range []string{
		"/", "/v1/messages", "/s/known/v1/messages", "/k", "/k/", "/k//v1/messages",
		"/k/" + string(wrong) + "/v1/messages", "/k/" + last + "/v1/messages", "/k/" + secret[:25] + "/v1/messages", "/k/" + secret + "x/v1/messages",
		"/K/" + secret + "/v1/messages", "/x/k/" + secret + "/v1/messages", "/k/..%2f" + secret + "/v1/messages", "/" + secret, "/v1/messages?k=" + secret,
		"/k/" + strings.ToLower(secret) + "/v1/messages", "/v1/messages/k/" + secret,
	} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, unread{t})
		r.Header.Set("X-Trimtab-Session", "known")
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || b.requests > 0 {
			t.Errorf("%s: %d, %d passed", path, w.Code, b.requests)
		}
		got := fmt.Sprint(w.Code, w.Header(), w.Body)
		if answer == "" {
			answer = got
		}
		if got != answer {
			t.Errorf("%s has an answer of its own:\n%s\n%s", path, got, answer)
		}
	}
	if !strings.Contains(answer, "trimtab install HOST --gateway") || !strings.Contains(answer, "trimtab serve address") {
		t.Errorf("it does not say what to do: %s", answer)
	}
	for _, word := range []string{"anthropic", "openai", "gemini", "session", secret} {
		if strings.Contains(strings.ToLower(answer), strings.ToLower(word)) {
			t.Errorf("the answer tells %q: %s", word, answer)
		}
	}
	if empty := address.Handler(address.Only(""), b); true {
		empty.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/k//", nil))
		empty.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}
	if b.requests > 0 {
		t.Error("no secret is a secret")
	}
}

func TestH7_BehindTheSecretThereIsNoTraceOfIt(t *testing.T) {
	secret := address.New()
	for path, want := range map[string]string{
		"/k/" + secret + "/v1/messages?beta=true": "/v1/messages /v1/messages /v1/messages?beta=true",
		"/k/" + secret:                                    "/ / /",
		"/k/" + secret + "/":                              "/ / /",
		"/k/" + secret + "//v1/x":                         "//v1/x //v1/x //v1/x",
		"//k/" + secret + "/v1/x":                         "/v1/x /v1/x /v1/x",
		"/k/" + secret + "/s/a%2Fb/v1beta/models/m:go%41": "/s/a%2Fb/v1beta/models/m:go%41 /s/a/b/v1beta/models/m:goA /s/a%2Fb/v1beta/models/m:go%41",
		"/k/" + secret + "/k/" + "x/v1":                   "/k/x/v1 /k/x/v1 /k/x/v1",
	} {
		b := &behind{}
		r := httptest.NewRequest(http.MethodPost, "http://localhost"+path, nil)
		address.Handler(address.Only(secret), b).ServeHTTP(httptest.NewRecorder(), r)
		if b.requests != 1 || !strings.HasPrefix(b.saw, "POST "+want+" ") || strings.Contains(b.saw, secret) {
			t.Errorf("%s: %q, want %q", path, b.saw, want)
		}
	}
	b := &behind{}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/responses", nil)
	r.Header.Set(address.Header, secret)
	address.Handler(address.Only(secret), b).ServeHTTP(httptest.NewRecorder(), r)
	if b.requests != 1 || strings.Contains(b.saw, secret) {
		t.Errorf("by header: %q", b.saw)
	}
}

func TestH7_AddressesAreShownWithoutTheirSecrets(t *testing.T) {
	secret := address.New()
	full := address.URL("http://127.0.0.1:8787/", secret)
	if base, got := address.Split(full + "/v1"); base != "http://127.0.0.1:8787" || got != secret {
		t.Errorf("%q %q", base, got)
	}
	if base, got := address.Split("https://gateway.example/x"); base != "https://gateway.example/x" || got != "" {
		t.Errorf("%q %q", base, got)
	}
	text := address.Hide(`+ "A": "` + full + `", B=` + full + "/v1\n/k/short")
	if want := `+ "A": "http://127.0.0.1:8787/k/SECRET", B=http://127.0.0.1:8787/k/SECRET/v1` + "\n/k/short"; text != want {
		t.Errorf("%q", text)
	}
}

func TestH7_EachClientHasASecretOfItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "clients")
	serving, other := address.Open(dir), address.Open(dir) // two processes
	if serving.Known("") || serving.Known(address.New()) {
		t.Error("somebody is known, and nobody was made")
	}
	claude, err := other.Secret("claude")
	if err != nil {
		t.Fatal(err)
	}
	codex, err := other.Secret("codex")
	if err != nil || codex == claude {
		t.Fatal(err, codex, claude)
	}
	if again, err := address.Open(dir).Secret("claude"); err != nil || again != claude {
		t.Errorf("%q, %v; want %q again", again, err, claude)
	}
	for range 2 {
		if !serving.Known(claude) || !serving.Known(codex) {
			t.Error("what another process made is not known")
		}
	}
	if was, err := other.Revoke("claude"); err != nil || !was {
		t.Error(was, err)
	}
	if was, err := other.Revoke("claude"); err != nil || was {
		t.Error(was, err)
	}
	if serving.Known(claude) || !serving.Known(codex) {
		t.Error("claude is still known, or codex is not")
	}
	if again, err := other.Secret("claude"); err != nil || again == claude || !serving.Known(again) || serving.Known(claude) {
		t.Errorf("%q after %q was revoked, %v", again, claude, err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, "codex"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", path, info.Mode(), err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestH7_AnotherUserHasOtherSecrets(t *testing.T) {
	mine, theirs := address.Open(t.TempDir()), address.Open(t.TempDir())
	secret, err := mine.Secret("claude")
	if err != nil {
		t.Fatal(err)
	}
	if other, err := theirs.Secret("claude"); err != nil || other == secret || theirs.Known(secret) || mine.Known(other) {
		t.Errorf("%q and %q, %v", secret, other, err)
	}
}

func TestH7_ManyProcessesMakeOneSecret(t *testing.T) {
	dir := t.TempDir()
	got := make([]string, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = address.Open(dir).Secret("claude"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range got {
		if s != got[0] {
			t.Fatalf("%q", got)
		}
	}
}

// What a person put there by hand breaks nothing and opens nothing.
func TestH7_BadFilesAreNoClients(t *testing.T) {
	dir := t.TempDir()
	c := address.Open(dir)
	good, err := c.Secret("good")
	if err != nil {
		t.Fatal(err)
	}
	upper := address.New()
	for name, text := range map[string]string{"short": "abc\n", "empty": "", "Upper": upper, ".new-1": upper} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if c.Known("abc") || c.Known("") || c.Known(upper) || !c.Known(good) {
		t.Error("a bad file is a client, or the good one is none")
	}
	if s, err := c.Secret("short"); err == nil || !strings.Contains(err.Error(), "holds no secret; remove it") {
		t.Errorf("%q %v", s, err)
	}
	for _, name := range []string{"", "../x", "a/b", `a\b`, ".x", "A", strings.Repeat("a", 65), "a b"} {
		_, err1 := c.Secret(name)
		_, err2 := c.Revoke(name)
		if err := c.Keep(name, good); !errors.Is(err, address.ErrName) || !errors.Is(err1, address.ErrName) || !errors.Is(err2, address.ErrName) {
			t.Errorf("%q: %v, %v, %v", name, err, err1, err2)
		}
	}
}

func TestH7_AnAddressIsPlannedBeforeItIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clients")
	c := address.Open(dir)
	full, keep, err := c.Plan("claude", "http://127.0.0.1:8787")
	if err != nil {
		t.Fatal(err)
	}
	base, secret := address.Split(full)
	if _, err := os.Stat(dir); base != "http://127.0.0.1:8787" || c.Known(secret) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: something was stored before the person agreed: %v", full, err)
	}
	if err := keep(); err != nil || !c.Known(secret) {
		t.Error(err)
	}
	again, keep, err := c.Plan("claude", "http://localhost:1")
	if err2 := keep(); err != nil || err2 != nil || again != address.URL("http://localhost:1", secret) {
		t.Errorf("%s %v %v", again, err, err2)
	}
	for _, base := range []string{"", "https://gateway.example", "http://127.0.0.1:8787/k/GIVEN", "https://gateway.example/k/x"} {
		if got, keep, err := c.Plan("codex", base); got != base || err != nil || keep() != nil {
			t.Errorf("%q became %q, %v", base, got, err)
		}
	}
	if _, err := c.Find("codex"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a secret was made for nobody", err)
	}
	if risk := address.Risk("claude", full); !strings.Contains(risk, "another user of this machine") || strings.Contains(risk, secret) {
		t.Error(risk)
	}
	if risk := address.Risk("claude", "https://gateway.example") + address.Risk("claude", ""); risk != "" {
		t.Error(risk)
	}
}

func BenchmarkHandler(b *testing.B) {
	c := address.Open(b.TempDir())
	var path string
	for i := range 5 {
		secret, err := c.Secret(fmt.Sprint("client", i))
		if err != nil {
			b.Fatal(err)
		}
		path = "/k/" + secret + "/v1/messages"
	}
	h := address.Handler(c.Known, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r := httptest.NewRequest(http.MethodPost, path, nil)
	for b.Loop() {
		h.ServeHTTP(nil, r)
	}
}

// An address that was handed out stays: whoever keeps another secret for the client is
// told that there is one.
func TestH7_AnAddressThatWasHandedOutIsNotReplaced(t *testing.T) {
	c := address.Open(t.TempDir())
	first, second := address.New(), address.New()
	if err := c.Keep("claude", first); err != nil {
		t.Fatal(err)
	}
	if err := c.Keep("claude", second); !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v", err)
	}
	if got, err := c.Find("claude"); got != first || err != nil {
		t.Errorf("the secret is another one now: %v", err)
	}
}
