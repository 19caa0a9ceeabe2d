package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Kind is what a command is for.
type Kind string

// The kinds. Setup brings what the others need into a fresh working tree.
const (
	Setup  Kind = "setup"
	Test   Kind = "test"
	Lint   Kind = "lint"
	Format Kind = "format"
)

// Command is one command of a project.
type Command struct {
	Kind   Kind
	Argv   []string
	From   string // what in the project says so: "go.mod"
	Silent bool   // that it says anything means that something is wrong
}

// String is the command for a person to read.
func (c Command) String() string { return strings.Join(c.Argv, " ") }

// The limits of what is read of a project.
const (
	maxFile    = 1 << 20
	maxEntries = 10_000 // of its top folder
)

// Find returns the commands that a project has, at most one of each kind. Where a
// Makefile or the like has a target, it goes first: it is what the people of the
// project type.
func Find(dir string) ([]Command, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("find the project's commands: %w", err)
	}
	defer root.Close()
	t := top{root: root, dir: dir}
	if t.names, err = t.list(); err != nil {
		return nil, fmt.Errorf("find the project's commands: %w", err)
	}
	var out []Command
	for _, look := range []func(top) []Command{makeTargets, justTargets, taskTargets, miseTargets, scripts, rules} {
		for _, c := range look(t) {
			if !slices.ContainsFunc(out, func(o Command) bool { return o.Kind == c.Kind }) {
				out = append(out, c)
			}
		}
	}
	order := []Kind{Setup, Test, Lint, Format}
	slices.SortStableFunc(out, func(a, b Command) int { return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)) })
	return out, nil
}

// top is the top folder of a project.
type top struct {
	root  *os.Root
	dir   string
	names []string
}

func (t top) list() ([]string, error) {
	dir, err := t.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, nil
}

// has returns the first name that matches a pattern, "" for none.
func (t top) has(pattern string) string {
	for _, name := range t.names {
		if ok, err := filepath.Match(pattern, name); ok && err == nil {
			return name
		}
	}
	return ""
}

// read returns a plain file, "" for none. One that is larger than the limit is cut.
func (t top) read(name string) string {
	if t.has(name) == "" {
		return ""
	}
	if info, err := t.root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "" // a pipe would be waited for
	}
	file, err := t.root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Mode()&fs.ModeType != 0 {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return ""
	}
	return string(raw)
}

// targetNames are how people call what they check with.
var targetNames = []struct {
	kind  Kind
	names []string
}{
	{Test, []string{"test", "tests"}},
	{Lint, []string{"lint", "check-lint", "vet"}},
	{Format, []string{"fmt-check", "format-check", "check-fmt", "check-format", "fmtcheck", "format:check", "fmt:check", "check:format", "prettier:check"}},
}

var makeRule = lazyregexp.Pattern(`(?m)^([A-Za-z0-9][\w.\- ]{0,200}?)\s*::?(?:[^=:\n]|\n|$)`)

func makeTargets(t top) []Command {
	for _, name := range []string{"GNUmakefile", "Makefile", "makefile"} {
		if text := t.read(name); text != "" {
			return targets(name, "make", makeRule(), text)
		}
	}
	return nil
}

var justRule = lazyregexp.Pattern(`(?m)^@?([A-Za-z][\w\-]{0,100})(?:\s[^:=\n]{0,200})?:(?:[^=]|$)`)

func justTargets(t top) []Command {
	for _, name := range []string{"justfile", "Justfile", ".justfile"} {
		if text := t.read(name); text != "" {
			return targets(name, "just", justRule(), text)
		}
	}
	return nil
}

// taskRule is a task of a Taskfile: two or four blanks in.
var taskRule = lazyregexp.Pattern(`(?m)^(?: {2}| {4}|\t)['"]?([A-Za-z][\w:.-]{0,100})['"]?:\s*(?:$|[^\s])`)

func taskTargets(t top) []Command {
	for _, name := range []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"} {
		if _, tasks, ok := strings.Cut("\n"+t.read(name), "\ntasks:"); ok {
			return targets(name, "task", taskRule(), tasks)
		}
	}
	return nil
}

// miseRule is a task of mise: a table of its own, or a line of the table of tasks.
var miseRule = lazyregexp.Pattern(`(?m)^\[tasks\.['"]?([A-Za-z][\w:.-]{0,100})['"]?\]|^([A-Za-z][\w:.-]{0,100})\s*=`)

func miseTargets(t top) []Command {
	for _, name := range []string{"mise.toml", ".mise.toml", "mise.local.toml"} {
		text := t.read(name)
		var tasks strings.Builder
		within := false
		for line := range strings.Lines(text) {
			head := strings.TrimSpace(line)
			if strings.HasPrefix(head, "[") {
				within = head == "[tasks]"
			}
			if m := miseRule().FindStringSubmatch(head); m != nil && (m[1] != "" || within) {
				tasks.WriteString(cmp.Or(m[1], m[2]) + ":\n")
			}
		}
		if tasks.Len() > 0 {
			out := targets(name, "mise", makeRule(), tasks.String())
			for i, c := range out {
				out[i].Argv = []string{"mise", "run", c.Argv[1]}
			}
			return out
		}
	}
	return nil
}

// targets are the targets of a file whose names are known.
func targets(file, program string, rule *regexp.Regexp, text string) []Command {
	have := map[string]bool{}
	for _, m := range rule.FindAllStringSubmatch(text, 5000) {
		for _, name := range strings.Fields(m[1]) {
			have[name] = true
		}
	}
	var out []Command
	for _, t := range targetNames {
		if i := slices.IndexFunc(t.names, func(n string) bool { return have[n] }); i >= 0 {
			out = append(out, Command{Kind: t.kind, Argv: []string{program, t.names[i]}, From: file})
		}
	}
	return out
}

// scripts are those of package.json, run by the project's package manager.
func scripts(t top) []Command {
	var p struct {
		Manager string            `json:"packageManager"`
		Scripts map[string]string `json:"scripts"`
		// Workspaces are a list, or an object with one.
		Workspaces json.RawMessage `json:"workspaces"`
	}
	text := t.read("package.json")
	if text == "" || json.Unmarshal([]byte(text), &p) != nil {
		return nil
	}
	manager, setup := nodeManager(t, p.Manager)
	var out []Command
	if setup != nil {
		out = append(out, Command{Kind: Setup, Argv: setup, From: "package.json"})
	}
	for _, k := range targetNames {
		for _, name := range k.names {
			if line, ok := p.Scripts[name]; ok && !strings.Contains(line, "no test specified") {
				out = append(out, Command{Kind: k.kind, Argv: []string{manager, "run", name}, From: "package.json"})
				break
			}
		}
	}
	if !slices.ContainsFunc(out, func(c Command) bool { return c.Kind == Test }) {
		out = append(out, workspaceTests(t, manager, len(p.Workspaces) > 0)...)
	}
	return out
}

// workspaceTests runs the tests of all packages of a project whose top has none.
func workspaceTests(t top, manager string, declared bool) []Command {
	run := map[string][]string{
		"npm": {"npm", "run", "test", "--workspaces", "--if-present"}, "pnpm": {"pnpm", "--recursive", "--if-present", "run", "test"}, "yarn": {"yarn", "workspaces", "run", "test"},
	}[manager]
	if run == nil || !declared && t.has("pnpm-workspace.yaml") == "" {
		return nil
	}
	for _, at := range packages(t.dir)[1:] {
		raw, err := t.root.ReadFile(filepath.Join(at, "package.json"))
		var p struct {
			Scripts map[string]string `json:"scripts"`
		}
		if err == nil && len(raw) <= maxFile && json.Unmarshal(raw, &p) == nil && p.Scripts["test"] != "" {
			return []Command{{Kind: Test, Argv: run, From: "package.json"}}
		}
	}
	return nil
}

// nodeManager is the package manager that a project is kept with, and how it brings
// the packages exactly as they are locked.
func nodeManager(t top, said string) (name string, setup []string) {
	name, _, _ = strings.Cut(said, "@")
	for _, m := range []struct {
		name, lock string
		setup      []string
	}{
		{"pnpm", "pnpm-lock.yaml", []string{"pnpm", "install", "--frozen-lockfile"}},
		{"yarn", "yarn.lock", []string{"yarn", "install", "--frozen-lockfile"}},
		{"bun", "bun.lock*", []string{"bun", "install", "--frozen-lockfile"}},
		{"npm", "package-lock.json", []string{"npm", "ci", "--no-audit", "--no-fund"}},
	} {
		if locked := t.has(m.lock) != ""; locked && (name == "" || name == m.name) {
			return m.name, m.setup
		}
	}
	if !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		name = "npm"
	}
	return name, nil
}

// wrapper is the program that a project brings along to build itself, else the
// system's.
func wrapper(t top, own, system string) string {
	if runtime.GOOS == "windows" {
		own += map[string]string{"gradlew": ".bat", "mvnw": ".cmd"}[own]
	}
	if t.has(own) == "" {
		return system
	}
	if info, err := t.root.Lstat(own); err != nil || !info.Mode().IsRegular() {
		return system
	}
	full, err := filepath.Abs(filepath.Join(t.dir, own))
	if err != nil {
		return system
	}
	return full
}
