package improve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The ways in which a reflection is divided.
const (
	ByProject = "project"
	ByAgent   = "agent"
	ByPerson  = "person"
)

// Groupings are all of them.
var Groupings = []string{ByProject, ByAgent, ByPerson}

// Group is the part of a reflection that is of one project, one agent or one person.
type Group struct {
	By       string   `json:"by"`
	Name     string   `json:"name"`
	Sessions int      `json:"sessions"`
	Metrics  Metrics  `json:"metrics"`
	Merged   []Merged `json:"merged"`
}

// GroupBy divides the results and merges each part by itself, the one with the most sessions
// first. Sessions of which it is not known whose they are stand together as "unknown".
func (r Reflection) GroupBy(by string) ([]Group, error) {
	if !slices.Contains(Groupings, by) {
		return nil, fmt.Errorf("%q is not known; sessions are divided by %s", by, strings.Join(Groupings, ", "))
	}
	dismissed := Dismissals{}
	for _, m := range r.Dismissed {
		dismissed[m.Fingerprint] = Dismissal{}
	}
	parts := map[string][]Result{}
	for _, one := range r.Results {
		name := cmp.Or(one.belongsTo(by), "unknown")
		parts[name] = append(parts[name], one.Result)
	}
	groups := make([]Group, 0, len(parts))
	for name, results := range parts {
		g := Group{By: by, Name: name}
		g.Merged, _ = dismissed.Split(Merge(results))
		for _, one := range results {
			if one.Parent == "" {
				g.Sessions++
			}
			g.Metrics.Add(one.Metrics)
		}
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(b.Metrics.TotalMessages, a.Metrics.TotalMessages), strings.Compare(a.Name, b.Name))
	})
	return groups, nil
}

// belongsTo names the project, agent or person of a session; "" where that is not known.
func (s SessionResult) belongsTo(by string) string {
	switch by {
	case ByProject:
		return mainTree(s.Project)
	case ByAgent:
		return s.Host
	}
	return cmp.Or(homeOwner(s.Project), homeOwner(s.File))
}

// mainTree is the project that a working tree belongs to, by the places where people and
// agents keep them: ten trees of a project are one project.
func mainTree(folder string) string {
	for _, below := range []string{"/.worktrees/", "/.claude/worktrees/", "/.git/worktrees/"} {
		if project, _, ok := strings.Cut(folder, below); ok {
			return project
		}
	}
	return folder
}

// homeOwner is whose home a path lies in, by the places where systems keep homes. No
// transcript names its person; where they worked does.
func homeOwner(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	if len(path) > 2 && path[1] == ':' { // a drive of Windows
		path = path[2:]
	}
	if path == "/root" || strings.HasPrefix(path, "/root/") {
		return "root"
	}
	for _, homes := range []string{"/home/", "/Users/", "/var/home/"} {
		if rest, ok := strings.CutPrefix(path, homes); ok {
			name, _, _ := strings.Cut(rest, "/")
			return name
		}
	}
	return ""
}

// Add adds the figures of a session to those of many.
func (m *Metrics) Add(other Metrics) {
	m.TotalMessages += other.TotalMessages
	m.UserMessages += other.UserMessages
	m.AssistantMessages += other.AssistantMessages
	m.ToolUses += other.ToolUses
}
