package forgetest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge"
)

func (h githubAPI) pullOf(i *item, whole bool) map[string]any {
	at := h.at("pulls", strconv.Itoa(i.number))
	v := both(h.thread(i), links(at, "comments commits diff html issue patch review_comment review_comments statuses"), map[string]any{
		"url": at, "head": h.tip(i.head), "base": h.tip(i.base), "draft": i.draft, "merged_at": nil, "merge_commit_sha": nil, "auto_merge": nil,
	})
	way := map[string]any{}
	for name := range strings.FieldsSeq("comments commits html issue review_comment review_comments self statuses") {
		way[name] = map[string]any{"href": at}
	}
	v["_links"] = way
	if whole { // only asked for one by one
		for name := range strings.FieldsSeq("additions changed_files comments commits deletions review_comments") {
			v[name] = 1
		}
		v["mergeable"], v["mergeable_state"], v["merged"], v["merged_by"], v["maintainer_can_modify"] = h.clean(i), "unknown", false, nil, false
	}
	return v
}

func (h githubAPI) pulls(w http.ResponseWriter, r *http.Request) {
	h.query(r, "state", "head", "sort", "direction", "per_page", "page")
	q := r.URL.Query()
	owner, branch, ok := strings.Cut(q.Get("head"), ":")
	if q.Has("head") && (!ok || owner != "acme") {
		h.t.Errorf("head is %q; GitHub wants owner:branch and passes over anything else", q.Get("head"))
	}
	out := []map[string]any{}
	for _, i := range h.items {
		if i.kind == forge.PullKind && i.head == branch && (q.Get("state") == "all" || i.state == forge.Open) {
			out = append(out, h.pullOf(i, false))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h githubAPI) openPull(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Title, Body, Head, Base string
		Draft                   bool
	}
	if !h.take(r, &in) {
		return
	}
	invalid := func(message string) {
		h.answer(w, 422, h.trouble("Validation Failed", map[string]any{"resource": "PullRequest", "code": "custom", "message": message}))
	}
	head, base := h.commit(in.Head), h.commit(in.Base)
	switch {
	case !h.mayWrite(r):
		h.fail(w, 403, "Resource not accessible by personal access token")
	case in.Title == "" || head == "" || base == "":
		invalid("head or base is invalid")
	case head == base:
		invalid("No commits between " + in.Base + " and " + in.Head)
	case h.proposed(in.Head, in.Base):
		invalid("A pull request already exists for acme:" + in.Head + ".")
	default:
		i := h.add(item{kind: forge.PullKind, title: in.Title, body: in.Body, author: h.who(r), head: in.Head, base: in.Base, draft: in.Draft})
		h.answer(w, 201, h.pullOf(i, true))
	}
}

// proposed reports whether there is an open pull request for two branches.
func (h *Hub) proposed(head, base string) bool {
	for _, i := range h.items {
		if i.kind == forge.PullKind && i.state == forge.Open && i.head == head && i.base == base {
			return true
		}
	}
	return false
}

func (h githubAPI) pull(w http.ResponseWriter, r *http.Request) {
	if i := h.find(r, forge.PullKind); i != nil {
		h.answer(w, 200, h.pullOf(i, true))
		return
	}
	h.fail(w, 404, "Not Found")
}

func (h githubAPI) editPull(w http.ResponseWriter, r *http.Request) {
	var in struct {
		State string
		Body  *string
	}
	i := h.find(r, forge.PullKind)
	switch {
	case i == nil:
		h.fail(w, 404, "Not Found")
	case !h.take(r, &in) || in.State != "closed" && in.Body == nil || in.Body != nil && len(*in.Body) > 65536:
		h.fail(w, 422, "Validation Failed")
	default:
		if in.State != "" {
			i.state = forge.Closed
		}
		if in.Body != nil {
			i.body = *in.Body
		}
		h.answer(w, 200, h.pullOf(i, true))
	}
}

func (h githubAPI) permission(w http.ResponseWriter, r *http.Request) {
	login := r.PathValue("login")
	if !h.mayWrite(r) {
		h.fail(w, 403, "Must have push access to view collaborator permission.")
		return
	}
	role := "read" // of anybody, in a public repository
	if mayPush(login) {
		role = "write"
	}
	h.answer(w, 200, map[string]any{"permission": role, "role_name": role, "user": both(h.account(login), map[string]any{"role_name": role})})
}

// remarks are the comments at lines.
func (h githubAPI) remarks(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	i := h.find(r, forge.PullKind)
	if i == nil {
		h.fail(w, 404, "Not Found")
		return
	}
	out := []map[string]any{}
	at := h.at("pulls", strconv.Itoa(i.number))
	way := map[string]any{"href": at}
	for _, s := range i.comments {
		if s.path == "" {
			continue
		}
		out = append(out, map[string]any{
			"id": s.id, "node_id": node("RC", s.id), "url": at, "diff_hunk": "@@ -1 +1 @@", "path": s.path, "line": s.line, "commit_id": h.commit(i.head), "original_commit_id": h.commit(i.head),
			"user": h.account(s.author), "body": s.body, "created_at": s.at, "updated_at": s.at, "html_url": at, "pull_request_url": at, "author_association": "MEMBER",
			"pull_request_review_id": nil, "_links": map[string]any{"self": way, "html": way, "pull_request": way},
		})
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h githubAPI) saidOf(i *item, s said) map[string]any {
	at := h.at(string(i.kind)+"s", strconv.Itoa(i.number))
	v := map[string]any{
		"id": s.id, "node_id": node("C", s.id), "body": s.body, "user": h.account(s.author), "html_url": at + "#" + strconv.Itoa(s.id), "author_association": "MEMBER",
	}
	if !s.review {
		return both(v, map[string]any{"url": at, "issue_url": at, "created_at": s.at, "updated_at": s.at})
	}
	way := map[string]any{"href": at}
	return both(v, map[string]any{
		"state": "COMMENTED", "commit_id": h.commit(i.head), "pull_request_url": at, "submitted_at": s.at, "_links": map[string]any{"html": way, "pull_request": way},
	})
}

func (h githubAPI) talk(w http.ResponseWriter, r *http.Request, review bool, kinds ...forge.Kind) {
	h.query(r, "per_page", "page")
	i := h.find(r, kinds...)
	if i == nil {
		h.fail(w, 404, "Not Found")
		return
	}
	out := []map[string]any{}
	for _, s := range i.comments {
		if s.review == review && s.path == "" {
			out = append(out, h.saidOf(i, s))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, out, "per_page"))
}

func (h githubAPI) comments(w http.ResponseWriter, r *http.Request) {
	h.talk(w, r, false, forge.IssueKind, forge.PullKind)
}

func (h githubAPI) reviews(w http.ResponseWriter, r *http.Request) {
	h.talk(w, r, true, forge.PullKind)
}

func (h githubAPI) comment(w http.ResponseWriter, r *http.Request) {
	var in struct{ Body string }
	i := h.find(r, forge.IssueKind, forge.PullKind)
	if i == nil {
		h.fail(w, 404, "Not Found")
		return
	}
	if !h.take(r, &in) || in.Body == "" {
		h.fail(w, 422, "Validation Failed")
		return
	}
	h.answer(w, 201, h.saidOf(i, h.say(i, h.who(r), in.Body, false)))
}

func (h githubAPI) review(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Body, Event string
		Comments    []struct {
			Path, Side, Body string
			Line             int
		}
	}
	i := h.find(r, forge.PullKind)
	if i == nil {
		h.fail(w, 404, "Not Found")
		return
	}
	if !h.take(r, &in) || in.Body == "" || in.Event != "COMMENT" {
		h.fail(w, 422, "Validation Failed")
		return
	}
	text := in.Body
	for _, c := range in.Comments {
		if c.Line > 100 || c.Side != "RIGHT" || c.Body == "" { // no file of ours is that long
			h.answer(w, 422, h.trouble("Unprocessable Entity", "Line could not be resolved"))
			return
		}
	}
	h.answer(w, 200, h.saidOf(i, h.say(i, h.who(r), text, true)))
}

func (h githubAPI) runs(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	all := []map[string]any{}
	for _, s := range h.statuses[r.PathValue("sha")] {
		if strings.HasPrefix(s.name, "run:") {
			all = append(all, h.run(s, r.PathValue("sha")))
		}
	}
	h.answer(w, 200, map[string]any{"total_count": len(all), "check_runs": cutPage(h.Hub, w, r, all, "per_page")})
}

func (h githubAPI) commitStatuses(w http.ResponseWriter, r *http.Request) {
	h.query(r, "per_page", "page")
	all := []map[string]any{}
	for _, s := range h.statuses[r.PathValue("sha")] {
		if !strings.HasPrefix(s.name, "run:") {
			all = append(all, h.status(s))
		}
	}
	h.answer(w, 200, cutPage(h.Hub, w, r, all, "per_page"))
}
