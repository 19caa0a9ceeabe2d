package address

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// prefix is what stands before the secret in a path.
const prefix = "/k/"

// Header carries the secret where a host takes its base URL only on its command
// line, which every user of the machine can read.
const Header = "X-Trimtab-Key"

// minSecret is the length below which a text is no secret: 128 bits in the alphabet
// of New are 26 characters.
const minSecret = 26

// New returns a secret of at least 128 random bits, of letters and digits.
func New() string { return rand.Text() }

// URL is the base URL for whoever has the secret. The base has no path.
func URL(base, secret string) string { return strings.TrimSuffix(base, "/") + prefix + secret }

// Split parts a base URL that URL made; the secret is empty where there is none.
func Split(address string) (base, secret string) {
	base, rest, _ := strings.Cut(address, prefix)
	secret, _, _ = strings.Cut(rest, "/")
	return base, secret
}

// shown finds secrets in text. They may be followed by anything that is not of them.
var shown = lazyregexp.Pattern(`/k/[A-Za-z0-9_-]{26,}`)

// Hide replaces the secrets of addresses in a text that is shown.
func Hide(text string) string {
	return shown().ReplaceAllLiteralString(text, prefix+"SECRET")
}

// Only knows one secret.
func Only(secret string) func(string) bool {
	return func(given string) bool { return same(given, secret) }
}

// same takes as long for every text of the secret's length.
func same(given, secret string) bool {
	return len(secret) >= minSecret && subtle.ConstantTimeCompare([]byte(given), []byte(secret)) == 1
}

// Handler passes on requests with a secret that is known, without the secret. All
// others get the same answer, whatever they ask for, before their body is read.
func Handler(known func(secret string) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, path := take(r)
		if !known(secret) {
			refuse(w)
			return
		}
		next.ServeHTTP(w, without(r, path))
	})
}

// take finds the secret of a request and the escaped path without it.
func take(r *http.Request) (secret, path string) {
	path = r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix("/"+strings.TrimLeft(path, "/"), prefix); ok {
		secret, rest, _ = strings.Cut(rest, "/")
		return secret, "/" + rest
	}
	return r.Header.Get(Header), path
}

// Take finds a secret of this kind in the path or the header of a request, and returns the
// request without it. Where there is none, the request stays as it is.
func Take(r *http.Request, kind func(secret string) bool) (secret string, next *http.Request, ok bool) {
	secret, path := take(r)
	if !kind(secret) {
		return "", r, false
	}
	return secret, without(r, path), true
}

// without is the request as if there were no secrets: neither what is passed on nor
// what is logged of it may hold one.
func without(r *http.Request, path string) *http.Request {
	r.Header.Del(Header)
	u := *r.URL
	u.RawPath = path
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path = plain
	}
	next := *r // as http.StripPrefix does
	next.URL, next.RequestURI = &u, u.RequestURI()
	return &next
}

// refused is in a form that the agents of all providers show to their person. With a
// 404 Claude Code would say that the model does not exist, and with a 401 it tries again
// without a word.
const refused = `{"type":"error","error":{"type":"permission_error","code":403,"message":"trimtab answers only at an address of its own. Run: trimtab install HOST --gateway URL, or: trimtab serve address, and give the agent the address that it prints as its base URL."}}` + "\n"

// drainTimeout limits how long a client that was refused may take to send what the
// server reads and drops so that the connection can be used again.
const drainTimeout = 5 * time.Second

// Deadline limits how long a client that is refused may go on sending.
func Deadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTimeout)) // a recorder has none
}

func refuse(w http.ResponseWriter) {
	Deadline(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(refused)) // the client is gone, and nobody is left to tell
}
