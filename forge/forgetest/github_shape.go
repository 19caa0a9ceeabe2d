package forgetest

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
)

// What an answer of GitHub holds beside what anyone here reads. A description of
// its API is published, and forge/github/openapi holds these answers to it: a
// fake that leaves out half of them would prove little.

// links are fields name_url, for names with a blank between them.
func links(base, names string) map[string]any {
	out := map[string]any{}
	for name := range strings.FieldsSeq(names) {
		out[name+"_url"] = base + "/" + name
	}
	return out
}

// both is one map with the fields of several; the later ones count.
func both(all ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// node is an id in the words of GitHub's other API.
func node(kind string, id int) string { return fmt.Sprintf("%s_%08d", kind, id) }

func (h githubAPI) at(parts ...string) string {
	return h.URL + "/api/v3/repos/" + h.Repo + strings.Join(append([]string{""}, parts...), "/")
}

// account is a user as others see it.
func (h githubAPI) account(login string) map[string]any {
	id := 1 + strings.Index("ada bob eve", login)
	api := h.URL + "/api/v3/users/" + login
	return both(links(api, "avatar events followers following gists organizations received_events repos starred subscriptions"), map[string]any{
		"login": login, "id": id, "node_id": node("U", id), "gravatar_id": "", "type": "User", "site_admin": false, "url": api, "html_url": h.URL + "/" + login,
	})
}

// self is a user as it sees itself.
func (h githubAPI) self(login string) map[string]any {
	out := both(h.account(login), map[string]any{"user_view_type": "public", "created_at": h.Clock.Now(), "updated_at": h.Clock.Now()})
	for name := range strings.FieldsSeq("bio blog company email hireable location name") {
		out[name] = nil
	}
	for name := range strings.FieldsSeq("followers following public_gists public_repos") {
		out[name] = 0
	}
	return out
}

// ship is the repository. Its address for git is a trap.
func (h githubAPI) ship(whole bool) map[string]any {
	owner, name, _ := strings.Cut(h.Repo, "/")
	out := links(h.at(), `archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks
		git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases
		stargazers statuses subscribers subscription tags teams trees git ssh svn`)
	for name := range strings.FieldsSeq("forks forks_count open_issues open_issues_count size stargazers_count watchers watchers_count") {
		out[name] = 0
	}
	for name := range strings.FieldsSeq("fork private archived disabled has_projects has_wiki has_pages has_discussions") {
		out[name] = false
	}
	for name := range strings.FieldsSeq("description homepage language license mirror_url") {
		out[name] = nil
	}
	out = both(out, map[string]any{
		"id": 7, "node_id": node("R", 7), "name": name, "full_name": h.Repo, "owner": h.account(owner), "url": h.at(), "html_url": h.URL + "/" + h.Repo,
		"default_branch": "main", "clone_url": "https://elsewhere.example/steal.git", "has_issues": true, "has_downloads": true,
		"created_at": h.Clock.Now(), "updated_at": h.Clock.Now(), "pushed_at": h.Clock.Now(),
	})
	if whole { // only asked for by itself
		out["network_count"], out["subscribers_count"] = 0, 0
	}
	return out
}

func (h githubAPI) label(name string) map[string]any {
	id := 1
	for i, l := range h.labels {
		if l == name {
			id += i
		}
	}
	return map[string]any{"id": id, "node_id": node("LA", id), "url": h.at("labels", "1"), "name": name, "description": "", "color": "ededed", "default": false}
}

// thread is what issues and pull requests have in common.
func (h githubAPI) thread(i *item) map[string]any {
	v := map[string]any{
		"id": 1000 + i.number, "node_id": node("I", i.number), "number": i.number, "title": i.title, "body": i.body, "user": h.account(i.author),
		"state": "open", "labels": h.labelsOf(i), "created_at": i.created, "updated_at": i.created, "closed_at": nil,
		"assignee": nil, "assignees": []any{}, "milestone": nil, "locked": false, "author_association": "MEMBER",
	}
	if i.state != forge.Open {
		v["state"], v["closed_at"] = "closed", h.Clock.Now()
	}
	if i.body == "" {
		v["body"] = nil
	}
	return v
}

// tip is an end of a pull request.
func (h githubAPI) tip(branch string) map[string]any {
	owner, _, _ := strings.Cut(h.Repo, "/")
	return map[string]any{"label": owner + ":" + branch, "ref": branch, "sha": h.commit(branch), "user": h.account(owner), "repo": h.ship(false)}
}

// run is a check run.
func (h githubAPI) run(s status, commit string) map[string]any {
	name, at := strings.TrimPrefix(s.name, "run:"), h.Clock.Now()
	v := map[string]any{
		"id": s.id, "node_id": node("CR", s.id), "head_sha": commit, "external_id": "", "name": name, "url": h.at("check-runs", "1"),
		"html_url": h.URL + "/" + h.Repo + "/runs/1", "details_url": h.URL, "status": "completed", "conclusion": s.state, "started_at": at, "completed_at": at,
		"check_suite": map[string]any{"id": 1}, "app": nil, "pull_requests": []any{},
		"output": map[string]any{"title": nil, "summary": nil, "text": nil, "annotations_count": 0, "annotations_url": h.at("check-runs", "1", "annotations")},
	}
	if s.state == "pending" {
		v["status"], v["conclusion"], v["completed_at"] = "in_progress", nil, nil
	}
	return v
}

// status is the older form of the same.
func (h githubAPI) status(s status) map[string]any {
	at := h.Clock.Now().Format(time.RFC3339)
	return map[string]any{
		"id": s.id, "node_id": node("SC", s.id), "url": h.at("statuses", "1"), "avatar_url": nil, "state": s.state, "description": nil, "target_url": nil,
		"context": s.name, "created_at": at, "updated_at": at, "creator": h.account("ada"),
	}
}
