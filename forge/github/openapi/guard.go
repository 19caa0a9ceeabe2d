package openapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// maxBody is the largest body that is checked.
const maxBody = 32 << 20

// Guard is a handler that hands requests on to a server and tells of mistakes. It
// may be used by several goroutines.
type Guard struct {
	words *Words
	tell  func(mistake string)
	proxy *httputil.ReverseProxy

	mu   sync.Mutex
	seen map[string]int
}

// NewGuard returns a guard of the server at an address.
func NewGuard(words *Words, server string, tell func(mistake string)) (*Guard, error) {
	to, err := url.Parse(server)
	if err != nil || to.Host == "" {
		return nil, fmt.Errorf("guard: %q is no address", server)
	}
	g := &Guard{words: words, tell: tell, seen: map[string]int{}}
	g.proxy = &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = "" },
		ModifyResponse: g.answer,
		// An answer that the server broke off is broken off here, too.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	return g, nil
}

// Seen returns how often each request of the description was made and answered.
func (g *Guard) Seen() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.seen)
}

// Names are the requests that were made, in order.
func (g *Guard) Names() []string { return slices.Sorted(maps.Keys(g.Seen())) }

type callKey struct{}

// ServeHTTP checks a request and hands it on, whatever it found.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, g.words.under+"/") {
		g.proxy.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		g.tell(fmt.Sprintf("%s %s: the body cannot be read, or is too long: %v", r.Method, r.URL.Path, err))
		panic(http.ErrAbortHandler)
	}
	checked := r.Clone(r.Context())
	checked.Body = io.NopCloser(bytes.NewReader(body))
	said, mistakes := g.words.request(checked, body)
	for _, m := range mistakes {
		g.tell(fmt.Sprintf("%s %s: request: %s", r.Method, r.URL.Path, m))
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, said)))
}

// answer checks what the server answered.
func (g *Guard) answer(resp *http.Response) error {
	said, _ := resp.Request.Context().Value(callKey{}).(*call)
	if said == nil {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil { // it was cut: what there is goes on, and then it is cut here
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), broken{err}), resp.Body}
		return nil
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	route := said.in.Route
	for _, m := range said.answer(resp.Request.Context(), resp.StatusCode, resp.Header, body) {
		g.tell(fmt.Sprintf("%s %s: answer %d: %s", route.Method, route.Path, resp.StatusCode, m))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen[fmt.Sprintf("%s %s %d", route.Method, route.Path, resp.StatusCode)]++
	return nil
}

// broken is a reader that ends too early.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
