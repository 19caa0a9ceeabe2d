package forgetest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
)

// GitLab is a fake of GitLab's API.
func GitLab(t testing.TB) *Hub {
	return newHub(t, dialect{name: "gitlab", auth: "Bearer", api: func(h *Hub) http.Handler { return gitlabAPI{h}.mux() }})
}

type gitlabAPI struct{ *Hub }

func (h gitlabAPI) mux() http.Handler {
	m := http.NewServeMux()
	const repo = " /api/v4/projects/{project}"
	routes := map[string]http.HandlerFunc{
		"GET /api/v4/user":                                  h.user,
		"GET" + repo:                                        h.repo,
		"GET" + repo + "/labels":                            h.repoLabels,
		"POST" + repo + "/labels":                           h.makeLabel,
		"GET" + repo + "/issues":                            h.issues,
		"POST" + repo + "/issues":                           h.open,
		"GET" + repo + "/merge_requests":                    h.merges,
		"POST" + repo + "/merge_requests":                   h.openMerge,
		"GET" + repo + "/repository/commits/{sha}/statuses": h.commitStatuses,
		"GET" + repo + "/members/all":                       h.members,
		"/":                                                 h.unknown,
	}
	for list, kind := range map[string]forge.Kind{"issues": forge.IssueKind, "merge_requests": forge.PullKind} {
		one := repo + "/" + list + "/{number}"
		on := func(handle func(http.ResponseWriter, *http.Request, *item)) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if i := h.find(r, kind); i != nil {
					handle(w, r, i)
					return
				}
				h.fail(w, 404, "404 Not found")
			}
		}
		routes["GET"+one], routes["PUT"+one] = on(h.get), on(h.edit)
		routes["GET"+one+"/notes"], routes["POST"+one+"/notes"] = on(h.notes), on(h.note)
	}
	for pattern, handle := range routes {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if p := r.PathValue("project"); p != "" && p != h.Repo {
				h.fail(w, 404, "404 Project Not Found")
				return
			}
			handle(w, r)
		})
	}
	return m
}

func (h gitlabAPI) user(w http.ResponseWriter, r *http.Request) {
	h.answer(w, 200, map[string]any{"username": h.who(r), "id": 1})
}

func (h gitlabAPI) repo(w http.ResponseWriter, _ *http.Request) {
	h.answer(w, 200, map[string]any{"path_with_namespace": h.Repo, "web_url": h.URL + "/" + h.Repo, "default_branch": "main", "http_url_to_repo": "https://elsewhere.example/steal.git"})
}

func (h gitlabAPI) of(i *item) map[string]any {
	state := "opened"
	if i.state != forge.Open {
		state = string(i.state)
	}
	v := map[string]any{
		"id": 9000 + i.number, "iid": i.number, "title": i.title, "description": i.body, "author": map[string]any{"username": i.author}, "state": state,
		"web_url": h.URL + "/" + h.Repo + "/-/issues/1", "labels": append([]string{}, i.labels...), "created_at": i.created,
	}
	if i.kind == forge.PullKind {
		clean := h.clean(i)
		v["source_branch"], v["target_branch"], v["sha"] = i.head, i.base, h.commit(i.head)
		v["source_project_id"], v["target_project_id"] = 7, 7
		v["draft"], v["has_conflicts"], v["merge_status"] = strings.HasPrefix(i.title, "Draft: "), !clean, map[bool]string{true: "can_be_merged", false: "cannot_be_merged"}[clean]
	}
	return v
}

func (h gitlabAPI) issues(w http.ResponseWriter, r *http.Request) {
	h.query(r, "scope", "state", "author_username", "order_by", "sort", "per_page", "page")
	q := r.URL.Query()
	out := []map[string]any{}
	for _, i := range h.items {
		if i.kind == forge.IssueKind && (q.Get("author_username") == "" || q.Get("author_username") == i.author) {
			out = append(out, h.of(i))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h gitlabAPI) open(w http.ResponseWriter, r *http.Request) {
	var in struct{ Title, Description, Labels string }
	if !h.take(r, &in) {
		return
	}
	if in.Title == "" || len(in.Title) > 1020 || len(in.Description) > 1<<20 {
		h.answer(w, 400, map[string]any{"message": map[string]any{"title": []string{"can't be blank"}}})
		return
	}
	i := h.add(item{kind: forge.IssueKind, title: in.Title, body: in.Description, author: h.who(r)})
	h.act(i, in.Description)
	h.answer(w, 201, h.of(i))
}

// act does what GitLab does with lines that begin with a command.
func (h gitlabAPI) act(i *item, text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "/close") {
			i.state = forge.Closed
		}
	}
}

func (h gitlabAPI) get(w http.ResponseWriter, _ *http.Request, i *item) { h.answer(w, 200, h.of(i)) }

func (h gitlabAPI) edit(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct {
		Event string  `json:"state_event"`
		Add   string  `json:"add_labels"`
		Text  *string `json:"description"`
	}
	switch {
	case !h.take(r, &in) || in.Event != "" && in.Event != "close" || in.Event+in.Add == "" && in.Text == nil:
		h.fail(w, 400, "400 Bad request")
		return
	case !h.mayWrite(r):
		h.fail(w, 403, "403 Forbidden")
		return
	}
	if in.Event == "close" {
		i.state = forge.Closed
	}
	if in.Text != nil {
		i.body = *in.Text
		h.act(i, i.body)
	}
	for _, l := range strings.Split(in.Add, ",") {
		if l != "" && !slices.Contains(i.labels, l) {
			if !slices.Contains(h.labels, l) {
				h.t.Errorf("label %q was set before it was made", l)
			}
			i.labels = append(i.labels, l)
		}
	}
	h.answer(w, 200, h.of(i))
}

func (h gitlabAPI) members(w http.ResponseWriter, r *http.Request) {
	h.query(r, "query", "per_page", "page")
	out := []map[string]any{}
	for i, login := range accounts { // a query finds parts of names, too
		if strings.Contains(login, r.URL.Query().Get("query")) {
			out = append(out, map[string]any{"id": i + 1, "username": login, "access_level": map[bool]int{true: 40, false: 10}[mayPush(login)]})
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h gitlabAPI) repoLabels(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	out := []map[string]any{}
	for _, l := range h.labels {
		out = append(out, map[string]any{"name": l})
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h gitlabAPI) makeLabel(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name, Color string }
	switch {
	case !h.mayWrite(r):
		h.fail(w, 403, "403 Forbidden")
	case !h.take(r, &in) || in.Name == "" || len(in.Color) != 7:
		h.t.Errorf("a label of %+v", in)
		h.fail(w, 400, "400 Bad request")
	case slices.Contains(h.labels, in.Name):
		h.fail(w, 409, "Label already exists")
	default:
		h.labels = append(h.labels, in.Name)
		h.answer(w, 201, map[string]any{"name": in.Name})
	}
}

func (h gitlabAPI) merges(w http.ResponseWriter, r *http.Request) {
	h.query(r, "scope", "state", "source_branch", "order_by", "sort", "per_page", "page")
	q := r.URL.Query()
	out := []map[string]any{}
	for _, i := range h.items {
		if i.kind == forge.PullKind && i.head == q.Get("source_branch") && (q.Get("state") == "all" || i.state == forge.Open) {
			out = append(out, h.of(i))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h gitlabAPI) openMerge(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Title, Description string
		Head               string `json:"source_branch"`
		Base               string `json:"target_branch"`
	}
	switch {
	case !h.take(r, &in):
	case !h.mayWrite(r):
		h.fail(w, 403, "403 Forbidden")
	case in.Title == "" || h.commit(in.Head) == "" || h.commit(in.Base) == "":
		h.answer(w, 400, map[string]any{"message": map[string]any{"base": []string{"the branches are invalid"}}})
	case h.proposed(in.Head, in.Base):
		h.answer(w, 409, map[string]any{"message": []string{"Another open merge request already exists for this source branch: !1"}})
	default:
		i := h.add(item{kind: forge.PullKind, title: in.Title, body: in.Description, author: h.who(r), head: in.Head, base: in.Base})
		h.act(i, in.Description)
		h.answer(w, 201, h.of(i))
	}
}

func (h gitlabAPI) noteOf(s said) map[string]any {
	return map[string]any{"id": s.id, "body": s.body, "author": map[string]any{"username": s.author}, "system": s.author == "", "created_at": s.at}
}

func (h gitlabAPI) notes(w http.ResponseWriter, r *http.Request, i *item) {
	h.query(r, "order_by", "sort", "per_page", "page")
	out := []map[string]any{h.noteOf(said{body: "added 1 commit", at: i.created})}
	for _, s := range i.comments {
		out = append(out, h.noteOf(s))
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h gitlabAPI) note(w http.ResponseWriter, r *http.Request, i *item) {
	var in struct{ Body string }
	if !h.take(r, &in) || in.Body == "" {
		h.fail(w, 400, "400 Bad request")
		return
	}
	h.act(i, in.Body)
	h.answer(w, 201, h.noteOf(h.say(i, h.who(r), in.Body, false)))
}

func (h gitlabAPI) commitStatuses(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	all := []map[string]any{}
	seen := map[string]bool{}
	for _, s := range h.statuses[r.PathValue("sha")] {
		if !seen[s.name] {
			seen[s.name] = true
			all = append(all, map[string]any{"name": s.name, "status": s.state, "allow_failure": strings.HasPrefix(s.name, "may-fail")})
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, all, "per_page"))
}
