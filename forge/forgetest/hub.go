package forgetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
)

// Hub is a fake forge behind HTTP, with one repository.
type Hub struct {
	URL   string
	Repo  string // "acme/ship"
	Clock *Clock
	Page  int // most entries of a page; small, so that lists have several

	t       testing.TB
	speak   dialect
	tree    git.Tree // the bare repository
	backend http.Handler

	mu       sync.Mutex
	items    []*item
	labels   []string
	statuses map[string][]status
	faults   []Fault
	merges   map[[2]string]bool
	heard    map[string]bool // branches that were asked for
	given    int             // ids
}

// dialect is the API of one forge.
type dialect struct {
	name   string
	auth   string // word before the token
	shared bool   // issues and pull requests are numbered together
	api    func(*Hub) http.Handler
}

// item is an issue or pull request.
type item struct {
	kind     forge.Kind
	number   int
	title    string
	body     string
	author   string
	state    forge.State
	labels   []string
	head     string
	base     string
	draft    bool
	created  time.Time
	comments []said
}

type said struct {
	id     int
	author string
	body   string
	review bool
	at     time.Time
	path   string // of a comment at a line
	line   int
}

type status struct {
	id    int
	name  string
	state string
}

// The accounts of a Hub: ada and bob may write, eve may only open issues and
// comment.
var accounts = []string{"ada", "bob", "carol", "eve"}

func newHub(t testing.TB, speak dialect) *Hub {
	t.Helper()
	folder := t.TempDir()
	h := &Hub{Repo: "acme/ship", Clock: NewClock(), Page: 3, t: t, speak: speak, statuses: map[string][]status{}, merges: map[[2]string]bool{}, heard: map[string]bool{}}
	bare := filepath.Join(folder, "acme", "ship.git")
	h.tree = Program(t).In(bare)
	seed(t, h.tree)
	exec, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	h.backend = &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exec)), "git-http-backend"), Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + home(t)},
	}
	api := speak.api(h)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(api, w, r) }))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

// fill gives the Hub a copy of a repository.
func (h *Hub) fill(bare string) {
	h.t.Helper()
	if err := os.RemoveAll(h.tree.Folder); err != nil {
		h.t.Fatal(err)
	}
	if err := os.CopyFS(h.tree.Folder, os.DirFS(bare)); err != nil {
		h.t.Fatal(err)
	}
}

// Token is the token of an account.
func (h *Hub) Token(login string) forge.Token {
	return func(context.Context) (string, error) { return secretOf(login), nil }
}

func secretOf(login string) string { return "canary-" + login + "-5f0e1d2c3b4a" }

// SetStatus gives a commit a check with a result, in the words of the forge.
func (h *Hub) SetStatus(commit, name, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.given++
	h.statuses[commit] = append([]status{{h.given, name, state}}, h.statuses[commit]...)
}

// CloseIssue closes an issue on the forge's own page.
func (h *Hub) CloseIssue(t testing.TB, number int) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.items {
		if i.kind == forge.IssueKind && i.number == number {
			i.state = forge.Closed
			return
		}
	}
	t.Errorf("there is no issue %d to close", number)
}

// Says has an account write below a pull request on the forge's own page: at a line where a
// path is given.
func (h *Hub) Says(login string, number int, body, path string, line int) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.items {
		if i.kind == forge.PullKind && i.number == number {
			h.given++
			i.comments = append(i.comments, said{h.given, login, body, false, h.now(), path, line})
			return
		}
	}
	h.t.Errorf("there is no pull request %d to write below", number)
}

// mayPush reports whether an account may write.
func mayPush(login string) bool { return slices.Contains(accounts, login) && login != "eve" }

// Branches are those of the repository that begin with a prefix.
func (h *Hub) Branches(prefix string) []string {
	h.t.Helper()
	out, err := h.tree.Run(h.t.Context(), "for-each-ref", "--format=%(refname:short)", "refs/heads")
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(out), func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

// Count says how many issues, pull requests and comments there are.
func (h *Hub) Count() (issues, pulls, comments int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.items {
		if i.kind == forge.IssueKind {
			issues++
		} else {
			pulls++
		}
		comments += len(i.comments)
	}
	return issues, pulls, comments
}

// serve checks what holds for every request, and does what a fault says.
func (h *Hub) serve(api http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	work := func(w http.ResponseWriter) {
		copied := r.Clone(context.WithoutCancel(r.Context()))
		copied.Body = io.NopCloser(bytes.NewReader(body))
		h.work(api, w, copied)
	}
	if fault, ok := h.fault(r); ok {
		fault.Kind.play(h, w, r, work)
		return
	}
	work(w)
}

func (h *Hub) work(api http.Handler, w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/moved/") {
		w.Header().Set("Location", "https://elsewhere.example/new")
		h.fail(w, http.StatusMovedPermanently, "Moved Permanently")
		return
	}
	if strings.Contains(r.URL.Path, ".git/") {
		h.serveGit(w, r)
		return
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), h.speak.auth+" ")
	if !ok || h.login(token) == "" {
		h.fail(w, http.StatusUnauthorized, "Bad credentials for "+token) // a server that echoes what it got
		return
	}
	if r.Header.Get("User-Agent") == "" || r.Header.Get("Accept") == "" {
		h.t.Errorf("%s %s: no User-Agent or no Accept", r.Method, r.URL)
	}
	if r.Method != http.MethodGet && r.Header.Get("Content-Type") != "application/json" {
		h.t.Errorf("%s %s: the content is %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	api.ServeHTTP(w, r)
}

func (h *Hub) login(token string) string {
	for _, a := range accounts {
		if token == secretOf(a) {
			return a
		}
	}
	return ""
}

// who is the account of a request that work let in.
func (h *Hub) who(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return h.login(token)
}

func (h *Hub) mayWrite(r *http.Request) bool { return h.who(r) != "eve" }

// serveGit hands a request to git's own server, for accounts that may write.
func (h *Hub) serveGit(w http.ResponseWriter, r *http.Request) {
	code, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Basic ")
	raw, _ := base64.StdEncoding.DecodeString(code)
	_, token, _ := strings.Cut(string(raw), ":")
	switch h.login(token) {
	case "":
		w.Header().Set("WWW-Authenticate", `Basic realm="hub"`)
		http.Error(w, "no", http.StatusUnauthorized)
	case "eve":
		http.Error(w, "no", http.StatusForbidden)
	default:
		backend := *h.backend.(*cgi.Handler)
		backend.Env = append(slices.Clone(backend.Env), "REMOTE_USER=x")
		r.Header.Del("Authorization")
		backend.ServeHTTP(w, r)
	}
}

// fail answers with an error.
func (h *Hub) fail(w http.ResponseWriter, code int, message string) {
	h.answer(w, code, h.trouble(message))
}

// trouble is an error in the forge's words.
func (h *Hub) trouble(message string, parts ...any) map[string]any {
	v := map[string]any{"message": message}
	if len(parts) > 0 {
		v["errors"] = parts
	}
	if h.speak.name == "github" {
		v["documentation_url"] = "https://docs.example/rest"
	}
	return v
}

func (h *Hub) answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		h.t.Error(err)
	}
}

// unknown is a request that the real API does not have.
func (h *Hub) unknown(w http.ResponseWriter, r *http.Request) {
	h.t.Errorf("%s has no %s %s", h.speak.name, r.Method, r.URL)
	h.fail(w, http.StatusNotFound, "Not Found")
}

// take reads a body and refuses fields that the API does not have.
func (h *Hub) take(r *http.Request, into any) bool {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // the strict reading follows
	for name := range fields {
		if name != strings.ToLower(name) { // Go's reader would let it pass
			h.t.Errorf("%s %s: there is no field %s", r.Method, r.URL, name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		h.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return false
	}
	return true
}

// query refuses parameters that the API does not have.
func (h *Hub) query(r *http.Request, known ...string) {
	for k := range r.URL.Query() {
		if !slices.Contains(known, k) {
			h.t.Errorf("%s %s: there is no parameter %s", r.Method, r.URL, k)
		}
	}
}

// find returns an item by the number in the path.
func (h *Hub) find(r *http.Request, kinds ...forge.Kind) *item {
	n, _ := strconv.Atoi(r.PathValue("number"))
	for _, i := range h.items {
		if i.number == n && slices.Contains(kinds, i.kind) {
			return i
		}
	}
	return nil
}

// add makes an item.
func (h *Hub) add(i item) *item {
	i.number = 1
	for _, other := range h.items {
		if h.speak.shared || other.kind == i.kind {
			i.number = max(i.number, other.number+1)
		}
	}
	i.state, i.created = forge.Open, h.now()
	h.items = append([]*item{&i}, h.items...)
	return &i
}

// now tells things that happen at one time of the clock apart.
func (h *Hub) now() time.Time {
	h.given++
	return h.Clock.Now().Add(time.Duration(h.given) * time.Millisecond)
}

func (h *Hub) say(i *item, author, body string, review bool) said {
	h.given++
	s := said{id: h.given, author: author, body: body, review: review, at: h.now()}
	i.comments = append(i.comments, s)
	return s
}

// commit is the commit of a branch, "" for none. Nothing packs this repository,
// so a file holds it, and reading that is faster than asking git.
func (h *Hub) commit(branch string) string {
	raw, err := os.ReadFile(filepath.Join(h.tree.Folder, "refs", "heads", filepath.FromSlash(branch)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// clean reports whether a pull request could be merged.
func (h *Hub) clean(i *item) bool {
	pair := [2]string{h.commit(i.base), h.commit(i.head)}
	ok, known := h.merges[pair]
	if !known {
		var err error
		ok, err = h.tree.Merges(context.Background(), pair[0], pair[1])
		ok = ok && err == nil
		h.merges[pair] = ok
	}
	return ok
}

// cutPage returns the asked page of a list and sets the links to the next one.
func cutPage[T any](h *Hub, w http.ResponseWriter, r *http.Request, all []T, sizeName string) []T {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get(sizeName))
	page = max(page, 1)
	if size < 1 || size > h.Page {
		size = h.Page
	}
	from := min((page-1)*size, len(all))
	to := min(from+size, len(all))
	if to < len(all) {
		q.Set("page", strconv.Itoa(page+1))
		next := "https://elsewhere.example" + r.URL.EscapedPath() + "?" + q.Encode() // a server behind a proxy
		w.Header().Add("Link", fmt.Sprintf(`<%s>; rel="next", <https://elsewhere.example/?page=1>; rel="first"`, next))
	}
	return append([]T{}, all[from:to]...)
}

// Program is git with an environment in which nothing of the user's is set, and
// which does not wait for the disk.
func Program(t testing.TB) git.Program {
	t.Helper()
	return git.New([]string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + home(t), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"GIT_AUTHOR_DATE=2026-11-15T10:00:00Z", "GIT_COMMITTER_DATE=2026-11-15T10:00:00Z",
	})
}

// home is a home with settings of git for tests.
func home(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, ".gitconfig"), []byte("[core]\n\tfsync = none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
