package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/gemini"
	"github.com/trimtab/trimtab/wire/openaichat"
	"github.com/trimtab/trimtab/wire/responses"
)

// route says where a request goes and how its body is written. A request
// without a format passes untouched.
type route struct {
	provider string // "anthropic", "openai" or "gemini"
	path     string // without our own prefix
	session  string // from the path prefix /s/{id}
	format   wire.Format
	counts   bool // it asks what a request of the Messages API would count
}

// find routes a request; ok is false for a path that belongs to no provider.
func find(r *http.Request) (t route, ok bool) {
	t.path = "/" + strings.TrimLeft(r.URL.EscapedPath(), "/") // a base URL may end in a slash
	if rest, cut := strings.CutPrefix(t.path, "/s/"); cut {
		id, rest, _ := strings.Cut(rest, "/")
		if id, err := url.PathUnescape(id); err == nil {
			t.session = id
		}
		t.path = "/" + strings.TrimLeft(rest, "/")
	}
	post := r.Method == http.MethodPost
	switch p := t.path; {
	case p == "/v1/messages":
		t.provider = "anthropic"
		if post {
			t.format = anthropic.Format{}
		}
	case p == "/v1/chat/completions" && post:
		t.provider, t.format = "openai", openaichat.Format{}
	case p == "/v1/responses" && post:
		t.provider, t.format = "openai", responses.Format{}
	case strings.HasPrefix(p, "/v1beta/"), strings.HasPrefix(p, "/v1alpha/"), strings.HasPrefix(p, "/v1/") && forGemini(r.Method, p, r.Header):
		t.provider = "gemini"
		if post && (strings.HasSuffix(p, ":generateContent") || strings.HasSuffix(p, ":streamGenerateContent")) {
			t.format = gemini.Format{}
		}
	case p == "/v1/messages/count_tokens":
		t.provider, t.counts = "anthropic", post
	case strings.HasPrefix(p, "/v1/messages/"), strings.HasPrefix(p, "/api/"), p == "/":
		t.provider = "anthropic"
	case strings.HasPrefix(p, "/v1/") && forAnthropic(r.Header):
		t.provider = "anthropic"
	case strings.HasPrefix(p, "/v1/"):
		t.provider = "openai"
	default:
		return t, false
	}
	return t, true
}

// findFormat routes a request that has its address already: only how its body is
// written is asked for. Whatever stands before the end of the path is the base URL
// that the client was given.
func findFormat(r *http.Request) (t route, ok bool) {
	t.path = r.URL.EscapedPath()
	switch p := t.path; {
	case r.Method != http.MethodPost:
		return t, false
	case strings.HasSuffix(p, "/v1/messages"):
		t.provider, t.format = "anthropic", anthropic.Format{}
	case strings.HasSuffix(p, "/chat/completions"):
		t.provider, t.format = "openai", openaichat.Format{}
	case strings.HasSuffix(p, "/responses"):
		t.provider, t.format = "openai", responses.Format{}
	case strings.HasSuffix(p, ":generateContent"), strings.HasSuffix(p, ":streamGenerateContent"):
		t.provider, t.format = "gemini", gemini.Format{}
	default:
		return t, false
	}
	return t, true
}

// Several providers have paths like /v1/models. Then the key tells whose it is:
// no provider may see another's.
func forAnthropic(h http.Header) bool {
	return h.Get("Anthropic-Version") != "" || h.Get("X-Api-Key") != "" && h.Get("Authorization") == ""
}

func forGemini(method, path string, h http.Header) bool {
	return h.Get("X-Goog-Api-Key") != "" || method == http.MethodPost && strings.HasPrefix(path, "/v1/models/") && strings.Contains(path, ":")
}

// target is the address of a request at the provider. A base that names the
// version already is not made to name it twice.
func target(base *url.URL, path string, from *url.URL) *url.URL {
	u := *base
	prefix := strings.TrimSuffix(base.EscapedPath(), "/")
	for _, version := range []string{"/v1", "/v1beta"} {
		if strings.HasSuffix(prefix, version) && strings.HasPrefix(path, version+"/") {
			prefix = strings.TrimSuffix(prefix, version)
		}
	}
	u.Path, u.RawPath = "", ""
	full := prefix + path
	if unescaped, err := url.PathUnescape(full); err == nil {
		u.Path, u.RawPath = unescaped, full
	}
	u.RawQuery, u.ForceQuery = from.RawQuery, from.ForceQuery
	return &u
}
