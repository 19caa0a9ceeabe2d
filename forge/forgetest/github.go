package forgetest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
)

// GitHub is a fake of GitHub's API, as an Enterprise server has it.
func GitHub(t testing.TB) *Hub {
	return newHub(t, dialect{name: "github", auth: "Bearer", shared: true, api: func(h *Hub) http.Handler { return githubAPI{h}.mux() }})
}

type githubAPI struct{ *Hub }

func (h githubAPI) mux() http.Handler {
	m := http.NewServeMux()
	const repo = " /api/v3/repos/acme/ship"
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /api/v3/user":                                 h.user,
		"GET" + repo:                                       h.repo,
		"GET" + repo + "/issues":                           h.list,
		"POST" + repo + "/issues":                          h.open,
		"GET" + repo + "/issues/{number}":                  h.get,
		"GET" + repo + "/labels":                           h.repoLabels,
		"POST" + repo + "/labels":                          h.makeLabel,
		"GET" + repo + "/issues/{number}/labels":           h.itemLabels,
		"POST" + repo + "/issues/{number}/labels":          h.setLabels,
		"GET" + repo + "/issues/{number}/comments":         h.comments,
		"POST" + repo + "/issues/{number}/comments":        h.comment,
		"GET" + repo + "/pulls":                            h.pulls,
		"POST" + repo + "/pulls":                           h.openPull,
		"GET" + repo + "/pulls/{number}":                   h.pull,
		"PATCH" + repo + "/pulls/{number}":                 h.editPull,
		"GET" + repo + "/pulls/{number}/reviews":           h.reviews,
		"POST" + repo + "/pulls/{number}/reviews":          h.review,
		"GET" + repo + "/pulls/{number}/comments":          h.remarks,
		"GET" + repo + "/collaborators/{login}/permission": h.permission,
		"GET" + repo + "/commits/{sha}/check-runs":         h.runs,
		"GET" + repo + "/commits/{sha}/statuses":           h.commitStatuses,
		"/":                                                h.unknown,
	} {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("X-GitHub-Api-Version"); got != "2022-11-28" {
				h.t.Errorf("the version asked for is %q", got)
			}
			handle(w, r)
		})
	}
	return m
}

func (h githubAPI) user(w http.ResponseWriter, r *http.Request) {
	h.answer(w, 200, h.self(h.who(r)))
}

func (h githubAPI) repo(w http.ResponseWriter, _ *http.Request) {
	h.answer(w, 200, h.ship(true))
}

func (h githubAPI) labelsOf(i *item) []map[string]any {
	out := []map[string]any{}
	for _, l := range i.labels {
		out = append(out, h.label(l))
	}
	return out
}

func (h githubAPI) issue(i *item) map[string]any {
	number := strconv.Itoa(i.number)
	v := both(h.thread(i), links(h.at("issues", number), "comments events labels"), map[string]any{
		"url": h.at("issues", number), "repository_url": h.at(), "html_url": h.URL + "/" + h.Repo + "/issues/" + number, "comments": len(i.comments),
	})
	if i.kind == forge.PullKind {
		pull := h.at("pulls", number)
		v["pull_request"] = map[string]any{"url": pull, "html_url": pull, "diff_url": pull, "patch_url": pull}
	}
	return v
}

func (h githubAPI) list(w http.ResponseWriter, r *http.Request) {
	h.query(r, "state", "creator", "sort", "direction", "per_page", "page")
	q := r.URL.Query()
	out := []map[string]any{}
	for _, i := range h.items {
		if (q.Get("state") == "all" || i.state == forge.Open) && (q.Get("creator") == "" || strings.EqualFold(q.Get("creator"), i.author)) {
			out = append(out, h.issue(i))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h githubAPI) open(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Title, Body string
		Labels      []string
	}
	if !h.take(r, &in) {
		return
	}
	if in.Title == "" || len(in.Body) > 65536 {
		h.fail(w, 422, "Validation Failed")
		return
	}
	h.answer(w, 201, h.issue(h.add(item{kind: forge.IssueKind, title: in.Title, body: in.Body, author: h.who(r)})))
}

func (h githubAPI) get(w http.ResponseWriter, r *http.Request) {
	if i := h.find(r, forge.IssueKind, forge.PullKind); i != nil {
		h.answer(w, 200, h.issue(i))
		return
	}
	h.fail(w, 404, "Not Found")
}

func (h githubAPI) repoLabels(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	h.answer(w, 200, cutPage(h.Hub, w, r, h.labelsOf(&item{labels: h.labels}), "per_page"))
}

func (h githubAPI) makeLabel(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name, Color string }
	switch {
	case !h.mayWrite(r):
		h.fail(w, 403, "Resource not accessible by personal access token")
	case !h.take(r, &in) || in.Name == "" || len(in.Color) != 6:
		h.t.Errorf("a label of %+v", in)
		h.fail(w, 422, "Validation Failed")
	case slices.Contains(h.labels, in.Name):
		h.answer(w, 422, h.trouble("Validation Failed", map[string]any{"resource": "Label", "code": "already_exists", "field": "name"}))
	default:
		h.labels = append(h.labels, in.Name)
		h.answer(w, 201, h.label(in.Name))
	}
}

func (h githubAPI) itemLabels(w http.ResponseWriter, r *http.Request) {
	if i := h.find(r, forge.IssueKind, forge.PullKind); i != nil {
		h.answer(w, 200, h.labelsOf(i))
		return
	}
	h.fail(w, 404, "Not Found")
}

func (h githubAPI) setLabels(w http.ResponseWriter, r *http.Request) {
	var in struct{ Labels []string }
	i := h.find(r, forge.IssueKind, forge.PullKind)
	switch {
	case i == nil:
		h.fail(w, 404, "Not Found")
	case !h.mayWrite(r):
		h.fail(w, 403, "Resource not accessible by personal access token")
	case !h.take(r, &in) || len(in.Labels) == 0:
		h.fail(w, 422, "Validation Failed")
	default:
		for _, l := range in.Labels {
			if !slices.Contains(h.labels, l) {
				h.t.Errorf("label %q was set before it was made", l)
			}
			if !slices.Contains(i.labels, l) {
				i.labels = append(i.labels, l)
			}
		}
		h.answer(w, 200, h.labelsOf(i))
	}
}
