package forgetest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
)

// Gitea is a fake of Gitea's API, for machines that cannot run a real one.
func Gitea(t testing.TB) *Hub {
	return newHub(t, dialect{name: "gitea", auth: "token", shared: true, api: func(h *Hub) http.Handler { return giteaAPI{h}.mux() }})
}

type giteaAPI struct{ *Hub }

func (h giteaAPI) mux() http.Handler {
	m := http.NewServeMux()
	const repo = " /api/v1/repos/acme/ship"
	routes := map[string]http.HandlerFunc{
		"GET /api/v1/user":                                 h.user,
		"GET" + repo:                                       h.repo,
		"GET" + repo + "/issues":                           h.list,
		"POST" + repo + "/issues":                          h.open,
		"GET" + repo + "/labels":                           h.repoLabels,
		"POST" + repo + "/labels":                          h.makeLabel,
		"GET" + repo + "/pulls":                            h.pulls,
		"POST" + repo + "/pulls":                           h.openPull,
		"GET" + repo + "/commits/{sha}/statuses":           h.commitStatuses,
		"GET" + repo + "/collaborators/{login}/permission": h.permission,
		"/": h.unknown,
	}
	for path, way := range map[string]struct {
		handle func(http.ResponseWriter, *http.Request, *item)
		kinds  []forge.Kind
	}{
		"GET" + repo + "/issues/{number}":           {h.get, []forge.Kind{forge.IssueKind, forge.PullKind}},
		"GET" + repo + "/issues/{number}/labels":    {h.itemLabels, []forge.Kind{forge.IssueKind, forge.PullKind}},
		"POST" + repo + "/issues/{number}/labels":   {h.setLabels, []forge.Kind{forge.IssueKind, forge.PullKind}},
		"GET" + repo + "/issues/{number}/comments":  {h.comments, []forge.Kind{forge.IssueKind, forge.PullKind}},
		"POST" + repo + "/issues/{number}/comments": {h.comment, []forge.Kind{forge.IssueKind, forge.PullKind}},
		"GET" + repo + "/pulls/{number}":            {h.pull, []forge.Kind{forge.PullKind}},
		"PATCH" + repo + "/pulls/{number}":          {h.edit, []forge.Kind{forge.PullKind}},
		"GET" + repo + "/pulls/{number}/reviews":    {h.reviews, []forge.Kind{forge.PullKind}},
		"POST" + repo + "/pulls/{number}/reviews":   {h.review, []forge.Kind{forge.PullKind}},
	} {
		routes[path] = func(w http.ResponseWriter, r *http.Request) {
			if i := h.find(r, way.kinds...); i != nil {
				way.handle(w, r, i)
				return
			}
			code := 404
			if strings.HasSuffix(r.URL.Path, "/comments") { // as the real one does
				code = 500
			}
			h.fail(w, code, "The target couldn't be found.")
		}
	}
	for pattern, handle := range routes {
		m.HandleFunc(pattern, handle)
	}
	return m
}

func (h giteaAPI) user(w http.ResponseWriter, r *http.Request) {
	h.answer(w, 200, map[string]any{"login": h.who(r), "id": 1})
}

func (h giteaAPI) repo(w http.ResponseWriter, _ *http.Request) {
	h.answer(w, 200, map[string]any{"full_name": h.Repo, "html_url": h.URL + "/" + h.Repo, "default_branch": "main", "clone_url": "https://elsewhere.example/steal.git"})
}

func (h giteaAPI) labelsOf(names []string) []map[string]any {
	out := []map[string]any{}
	for _, l := range names {
		out = append(out, map[string]any{"id": slices.Index(h.labels, l) + 1, "name": l})
	}
	return out
}

func (h giteaAPI) of(i *item) map[string]any {
	state := "open"
	if i.state != forge.Open {
		state = "closed"
	}
	v := map[string]any{
		"number": i.number, "title": i.title, "body": i.body, "user": map[string]any{"login": i.author}, "state": state,
		"html_url": h.URL + "/" + h.Repo + "/issues/1", "labels": h.labelsOf(i.labels), "created_at": i.created, "pull_request": nil,
	}
	if i.kind == forge.PullKind {
		v["pull_request"] = map[string]any{"merged": false}
	}
	return v
}

func (h giteaAPI) list(w http.ResponseWriter, r *http.Request) {
	h.query(r, "state", "type", "created_by", "page", "limit")
	q := r.URL.Query()
	out := []map[string]any{}
	for _, i := range h.items {
		if (q.Get("type") != "issues" || i.kind == forge.IssueKind) && (q.Get("state") == "all" || i.state == forge.Open) && (q.Get("created_by") == "" || q.Get("created_by") == i.author) {
			out = append(out, h.of(i))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "limit"))
}

func (h giteaAPI) open(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Body string }
	if !h.take(r, &in) {
		return
	}
	if in.Title == "" {
		h.fail(w, 422, "[Title]: Required")
		return
	}
	h.answer(w, 201, h.of(h.add(item{kind: forge.IssueKind, title: in.Title, body: in.Body, author: h.who(r)})))
}

func (h giteaAPI) get(w http.ResponseWriter, _ *http.Request, i *item) { h.answer(w, 200, h.of(i)) }

func (h giteaAPI) edit(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct {
		State string
		Body  *string
	}
	switch {
	case !h.take(r, &in) || in.State != "closed" && in.Body == nil:
		h.fail(w, 422, "unknown state")
	case !h.mayWrite(r) && i.author != h.who(r):
		h.fail(w, 403, "no permission")
	default:
		if in.State != "" {
			i.state = forge.Closed
		}
		if in.Body != nil {
			i.body = *in.Body
		}
		h.answer(w, 201, h.of(i))
	}
}

func (h giteaAPI) permission(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	switch {
	case !slices.Contains(accounts, login):
		h.fail(w, 404, "user does not exist")
	case mayPush(login):
		h.answer(w, 200, map[string]any{"permission": "write", "role_name": "write"})
	default:
		h.answer(w, 200, map[string]any{"permission": "read", "role_name": "read"})
	}
}

func (h giteaAPI) repoLabels(w http.ResponseWriter, r *http.Request) {
	h.query(r, "page", "limit")
	h.answer(w, 200, cutPage(h.Hub, w, r, h.labelsOf(h.labels), "limit"))
}

func (h giteaAPI) makeLabel(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name, Color string }
	switch {
	case !h.mayWrite(r):
		h.fail(w, 403, "user should have a permission to write to this repository")
	case !h.take(r, &in) || in.Name == "" || len(in.Color) != 7:
		h.t.Errorf("a label of %+v", in)
		h.fail(w, 422, "invalid")
	default:
		h.labels = append(h.labels, in.Name)
		h.answer(w, 201, h.labelsOf([]string{in.Name})[0])
	}
}

func (h giteaAPI) itemLabels(w http.ResponseWriter, _ *http.Request, i *item) {
	h.answer(w, 200, h.labelsOf(i.labels))
}

func (h giteaAPI) setLabels(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct{ Labels []int }
	if !h.mayWrite(r) {
		h.fail(w, 403, "write permission is required")
		return
	}
	if !h.take(r, &in) {
		return
	}
	for _, id := range in.Labels {
		if id < 1 || id > len(h.labels) {
			h.t.Errorf("there is no label %d", id)
			continue
		}
		if l := h.labels[id-1]; !slices.Contains(i.labels, l) {
			i.labels = append(i.labels, l)
		}
	}
	h.answer(w, 200, h.labelsOf(i.labels))
}

func (h giteaAPI) pullOf(i *item) map[string]any {
	v := h.of(i)
	delete(v, "pull_request")
	v["head"] = map[string]any{"ref": i.head, "sha": h.commit(i.head), "repo_id": 7}
	v["base"] = map[string]any{"ref": i.base, "sha": h.commit(i.base), "repo_id": 7}
	draft := strings.HasPrefix(i.title, "WIP:")
	v["draft"], v["merged"], v["mergeable"] = draft, false, !draft && h.clean(i)
	return v
}

func (h giteaAPI) pulls(w http.ResponseWriter, r *http.Request) {
	h.query(r, "state", "page", "limit")
	out := []map[string]any{}
	for _, i := range h.items {
		if i.kind == forge.PullKind && (r.URL.Query().Get("state") == "all" || i.state == forge.Open) {
			out = append(out, h.pullOf(i))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "limit"))
}

func (h giteaAPI) openPull(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Body, Head, Base string }
	switch {
	case !h.take(r, &in):
	case !h.mayWrite(r):
		h.fail(w, 403, "user should have a permission to write to this repository")
	case h.commit(in.Head) == "" || h.commit(in.Base) == "" || h.slow(in.Head):
		h.fail(w, 404, "The target couldn't be found.")
	case in.Title == "" || in.Head == in.Base:
		h.fail(w, 422, "Invalid PullRequest: There are no changes between the head and the base")
	case h.proposed(in.Head, in.Base):
		h.fail(w, 409, "pull request already exists for these targets")
	default:
		h.answer(w, 201, h.pullOf(h.add(item{kind: forge.PullKind, title: in.Title, body: in.Body, author: h.who(r), head: in.Head, base: in.Base})))
	}
}

// slow reports whether the Hub has not heard of a branch yet: as with the real
// one, the first question after a push comes too early.
func (h giteaAPI) slow(branch string) bool {
	heard := h.heard[branch]
	h.heard[branch] = true
	return !heard
}

func (h giteaAPI) pull(w http.ResponseWriter, _ *http.Request, i *item) {
	h.answer(w, 200, h.pullOf(i))
}

func (h giteaAPI) saidOf(s said) map[string]any {
	v := map[string]any{"id": s.id, "body": s.body, "user": map[string]any{"login": s.author}, "html_url": h.URL}
	v[map[bool]string{true: "submitted_at", false: "created_at"}[s.review]] = s.at
	return v
}

// comments are listed whole; Gitea has no pages there.
func (h giteaAPI) comments(w http.ResponseWriter, r *http.Request, i *item) {
	h.query(r, "since", "before")
	h.answer(w, 200, h.talk(i, false))
}

func (h giteaAPI) reviews(w http.ResponseWriter, r *http.Request, i *item) {
	h.query(r, "page", "limit")
	h.answer(w, 200, cutPage(h.Hub, w, r, h.talk(i, true), "limit"))
}

func (h giteaAPI) talk(i *item, review bool) []map[string]any {
	out := []map[string]any{}
	for _, s := range i.comments {
		if s.review == review {
			out = append(out, h.saidOf(s))
		}
	}
	return out
}

func (h giteaAPI) comment(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct{ Body string }
	if !h.take(r, &in) || in.Body == "" {
		h.fail(w, 422, "[Body]: Required")
		return
	}
	h.answer(w, 201, h.saidOf(h.say(i, h.who(r), in.Body, false)))
}

func (h giteaAPI) review(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct{ Body, Event string }
	if !h.take(r, &in) || in.Body == "" || in.Event != "COMMENT" {
		h.fail(w, 422, "invalid review")
		return
	}
	h.answer(w, 200, h.saidOf(h.say(i, h.who(r), in.Body, true)))
}

func (h giteaAPI) commitStatuses(w http.ResponseWriter, r *http.Request) {
	h.query(r, "page", "limit")
	all := []map[string]any{}
	for _, s := range h.statuses[r.PathValue("sha")] {
		all = append(all, map[string]any{"id": s.id, "context": s.name, "status": s.state})
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, all, "limit"))
}
