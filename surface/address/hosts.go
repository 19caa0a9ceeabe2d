package address

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// secure stands before a host whose pages come by TLS; pages of the others do not.
const secure = "https://"

// Secure lists hosts as those that are called by TLS.
func Secure(hosts ...string) []string {
	all := make([]string, len(hosts))
	for i, h := range hosts {
		all[i] = secure + strings.TrimSpace(h)
	}
	return all
}

// AllowedHost reports whether a request names one of the hosts: else a page in a browser
// could reach a server by a name of its own that resolves to this machine.
func AllowedHost(hosts []string, r *http.Request) bool {
	return slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(strings.TrimPrefix(h, secure), r.Host) })
}

// AllowedOrigin reports whether a request comes from no page, or from one of the hosts.
func AllowedOrigin(hosts []string, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin == "" || slices.ContainsFunc(hosts, func(h string) bool {
		if !strings.HasPrefix(h, secure) {
			h = "http://" + h
		}
		return strings.EqualFold(h, origin)
	})
}

// Bearer knows requests that carry the token.
func Bearer(token string) func(*http.Request) bool {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) bool {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(given))
		return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], want[:]) == 1
	}
}
