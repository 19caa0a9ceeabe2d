package gateway

import (
	"fmt"
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
	provider string // "anthropic", "openai", "gemini" or "codeassist"; of a named upstream only where the format tells
	path     string // without our own prefix
	session  string // from the path prefix /s/{id}
	format   wire.Format
	counts   bool // it asks what a request of the Messages API would count

	named string   // the upstream that the path prefix /u/{name} names
	base  *url.URL // of it; what stands behind the prefix is appended as it is
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
	if rest, cut := strings.CutPrefix(t.path, "/u/"); cut {
		name, rest, _ := strings.Cut(rest, "/")
		if t.named, _ = url.PathUnescape(name); t.named == "" {
			return t, false
		}
		t.path = "/" + rest
		return t, true
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
	case strings.HasPrefix(p, codeAssist):
		t.provider = "codeassist"
		if post && (p == codeAssist+"generateContent" || p == codeAssist+"streamGenerateContent") {
			t.format = gemini.Wrapped{}
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

// codeAssist is what the paths of the API begin with that Gemini CLI asks for a person
// who has logged in with Google.
const codeAssist = "/v1internal:"

// find routes a request and finds the upstream that its path names.
func (g *Gateway) find(r *http.Request) (t route, ok bool) {
	if t, ok = find(r); !ok || t.named == "" {
		return t, ok
	}
	if t.base, ok = g.named[t.named]; !ok {
		return t, false
	}
	whole := *r
	whole.URL = g.address(t, r.URL)
	if known, ok := findFormat(&whole); ok {
		t.provider, t.format = known.provider, known.format
	} else if strings.HasSuffix(whole.URL.Path, "/v1/messages/count_tokens") {
		t.provider, t.counts = "anthropic", r.Method == http.MethodPost
	}
	return t, true
}

// upstream is where a request goes.
func (g *Gateway) upstream(t route) *url.URL {
	if t.base != nil {
		return t.base
	}
	return g.upstreams[t.provider]
}

// address is where a request goes, whole. A client that was given a named upstream
// asks there for what it would ask for at its own base URL, which may or may not name
// the version.
func (g *Gateway) address(t route, from *url.URL) *url.URL {
	if t.base != nil {
		return join(t.base, strings.TrimSuffix(t.base.EscapedPath(), "/"), t.path, from)
	}
	return target(g.upstreams[t.provider], t.path, from)
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
	case strings.HasSuffix(p, codeAssist+"generateContent"), strings.HasSuffix(p, codeAssist+"streamGenerateContent"):
		t.provider, t.format = "codeassist", gemini.Wrapped{}
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
	prefix := strings.TrimSuffix(base.EscapedPath(), "/")
	for _, version := range []string{"/v1", "/v1beta"} {
		if strings.HasSuffix(prefix, version) && strings.HasPrefix(path, version+"/") {
			prefix = strings.TrimSuffix(prefix, version)
		}
	}
	return join(base, prefix, path, from)
}

func join(base *url.URL, prefix, path string, from *url.URL) *url.URL {
	u := *base
	u.Path, u.RawPath = "", ""
	full := prefix + path
	if unescaped, err := url.PathUnescape(full); err == nil {
		u.Path, u.RawPath = unescaped, full
	}
	u.RawQuery, u.ForceQuery = from.RawQuery, from.ForceQuery
	return &u
}

// ParseUpstreams reads providers and where their requests go, each as in
// anthropic=https://….
func ParseUpstreams(list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, one := range list {
		name, address, ok := strings.Cut(one, "=")
		if !ok || name == "" || address == "" {
			return nil, fmt.Errorf("%q: give a provider and its URL, as in anthropic=https://…", one)
		}
		all[name] = address
	}
	return all, nil
}

// MergeUpstreams is all addresses; the later ones count, and an empty one is none.
func MergeUpstreams(all ...map[string]string) map[string]string {
	merged := map[string]string{}
	for _, from := range all {
		for provider, address := range from {
			if address != "" {
				merged[provider] = address
			}
		}
	}
	return merged
}
