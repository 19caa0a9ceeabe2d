package install

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writer makes settings as people might have them.
type writer struct {
	r      *rand.Rand
	eol    string
	jsonc  bool // comments and trailing commas
	indent string
}

func (w writer) blank(depth int) string {
	s := w.eol + strings.Repeat(w.indent, depth)
	if w.jsonc && w.r.IntN(6) == 0 {
		s += "// a comment with \"quotes\", {brackets} and a , comma" + w.eol + strings.Repeat(w.indent, depth)
	}
	if w.jsonc && w.r.IntN(9) == 0 {
		s += "/* [two" + w.eol + " lines] */ "
	}
	return s
}

func (w writer) word() string {
	return []string{`"a"`, `"b\"c"`, `"größe"`, `"\u007b"`, `"x // y"`, `""`, `"hooks"`, `"env"`}[w.r.IntN(8)]
}

func (w writer) list(open, shut string, depth, n int, one func(i int) string) string {
	if n == 0 {
		return open + []string{"", " ", w.blank(depth)}[w.r.IntN(3)] + shut
	}
	if w.indent == "" && !w.jsonc {
		var all []string
		for i := range n {
			all = append(all, one(i))
		}
		return open + strings.Join(all, ",") + shut
	}
	s := open
	for i := range n {
		s += w.blank(depth+1) + one(i)
		if i < n-1 || w.jsonc && w.r.IntN(3) == 0 {
			s += ","
		}
	}
	return s + w.blank(depth) + shut
}

func (w writer) value(depth int) string {
	switch k := w.r.IntN(8); {
	case depth > 3 || k < 4:
		return []string{"1", "-2.50e3", "true", "null", w.word(), "12345678901234567890"}[w.r.IntN(6)]
	case k < 6:
		return w.list("[", "]", depth, w.r.IntN(3), func(int) string { return w.value(depth + 1) })
	}
	return w.list("{", "}", depth, w.r.IntN(3), func(i int) string { return fmt.Sprintf("%q: ", fmt.Sprint("k", i)) + w.value(depth+1) })
}

// hooks are those of other people.
func (w writer) hooks(events []string) string {
	n := w.r.IntN(len(events) + 1)
	return w.list("{", "}", 1, n, func(i int) string {
		return fmt.Sprintf("%q: ", events[i]) + w.list("[", "]", 2, w.r.IntN(3), func(int) string {
			return w.list("{", "}", 3, 1, func(int) string {
				return `"hooks": ` + w.list("[", "]", 4, 1+w.r.IntN(2), func(int) string {
					return `{"type": "command", "command": "say done"}`
				})
			})
		})
	})
}

func (w writer) settings(events []string, servers bool) string {
	var members []string
	for i := range w.r.IntN(4) {
		members = append(members, fmt.Sprintf("%q: ", fmt.Sprint("key", i))+w.value(1))
	}
	if w.r.IntN(2) == 0 {
		members = append(members, `"hooks": `+w.hooks(events))
	}
	if servers && w.r.IntN(3) == 0 {
		members = append(members, `"mcpServers": `+w.list("{", "}", 1, w.r.IntN(2), func(int) string { return `"mine": {"command": "x", "args": []}` }))
	}
	if w.r.IntN(4) == 0 {
		members = append(members, `"env": {"A": "1"}`)
	}
	w.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	text := w.list("{", "}", 0, len(members), func(i int) string { return members[i] })
	return strings.TrimPrefix(text, w.eol) + []string{"", w.eol}[w.r.IntN(2)]
}

// TestH11_AParserReadsOursAndNothingElse: random settings of every host that has some,
// with comments, trailing commas, a byte-order mark, any line ends. What is read after
// install differs in ours only; uninstall gives every byte back, and where the person has
// changed something else in between, ours alone leaves.
func TestH11_AParserReadsOursAndNothingElse(t *testing.T) {
	rounds := 80
	if testing.Short() {
		rounds = 15
	}
	for _, h := range withSettings() {
		t.Run(h.Name, func(t *testing.T) {
			var events []string
			for _, e := range h.Hooks.Events {
				events = append(events, e.Name)
			}
			events = append(events, "Other")
			e := env(t)
			for seed := range rounds {
				r := rand.New(rand.NewPCG(uint64(seed), 11))
				w := writer{r: r, eol: []string{"\n", "\r\n"}[r.IntN(2)], jsonc: r.IntN(2) == 0, indent: []string{"  ", "\t", "    ", ""}[r.IntN(4)]}
				p := place(t, h.Name, e)
				before := w.settings(events, p.servers == p.Files[0])
				if r.IntN(8) == 0 {
					before = "\uFEFF" + before
				}
				if err := os.RemoveAll(p.folder()); err != nil {
					t.Fatal(err)
				}
				put(t, p.Files[0], before)
				want := Want{Hooks: program, Args: []string{program}}
				if p.servers == p.Files[0] && r.IntN(2) == 0 {
					want.MCP = []string{"/opt/trimtab", "mcp"}
				}
				plan, err := p.Add(want)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, before)
				}
				if err := plan.Apply(at); err != nil {
					t.Fatal(err)
				}
				with := text(t, p.Files[0])
				sameBut(t, p, seed, before, with)
				if strings.HasPrefix(before, "\uFEFF") != strings.HasPrefix(with, "\uFEFF") || strings.Count(with, "\uFEFF") > 1 {
					t.Fatalf("seed %d: the byte-order mark moved\n%q", seed, with)
				}

				uninstall(t, p)
				if diff := cmp.Diff(before, text(t, p.Files[0])); diff != "" {
					t.Fatalf("seed %d: %s", seed, diff)
				}

				if plan, err = p.Add(want); err != nil || plan.Apply(at) != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				added := `{"added": [1, {"x": "trimtab"}],`
				if doc, err := document([]byte(text(t, p.Files[0]))); err != nil || len(doc) == 0 {
					added = `{"added": 1`
				}
				edited := strings.Replace(text(t, p.Files[0]), "{", added, 1)
				put(t, p.Files[0], edited)
				uninstall(t, p)
				after := text(t, p.Files[0])
				sameBut(t, p, seed, after, edited)
				left, was := plain(t, strings.TrimPrefix(after, "\uFEFF")), plain(t, strings.TrimPrefix(before, "\uFEFF"))
				delete(left, "added")
				p.strip(was) // what was empty before may be gone
				p.strip(left)
				if diff := cmp.Diff(was, left); diff != "" {
					t.Fatalf("seed %d: %s", seed, diff)
				}
				if json.Valid([]byte(edited)) && !json.Valid([]byte(after)) {
					t.Fatalf("seed %d: plain JSON became something else:\n%s", seed, after)
				}
				if found, err := commands([]byte(after), h.Name); err != nil || len(found) > 0 {
					t.Fatalf("seed %d: %v is left: %v", seed, found, err)
				}
			}
		})
	}
}

// sameBut compares by the parser, not by the code that edits.
func sameBut(t *testing.T, p Place, seed int, without, with string) {
	t.Helper()
	a, b := plain(t, or(strings.TrimPrefix(without, "\uFEFF"), "{}")), plain(t, or(strings.TrimPrefix(with, "\uFEFF"), "{}"))
	p.strip(a)
	p.strip(b)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Fatalf("seed %d: %s\nbefore %s\nafter %s", seed, diff, without, with)
	}
}

// TestH11_TOMLIsChangedInOursOnlyOrRefused: random config.toml files of Codex.
func TestH11_TOMLIsChangedInOursOnlyOrRefused(t *testing.T) {
	pieces := []string{
		"model = \"gpt\"\n", "# a comment\n", "[projects.\"/a b\"]\ntrust_level = \"trusted\"\n", "[mcp_servers.mine]\ncommand = \"x\"\n",
		"[mcp_servers]\n", "text = \"\"\"\n[mcp_servers.trimtab]\nmodel_provider = \"x\"\n\"\"\"\n", "list = [\n  1, # one\n  2,\n]\n",
		"[[things]]\na = 1\n", "[[things]]\na = 2\n", "[model_providers.mine]\nbase_url = \"u\"\n", "when = 2026-11-16T10:00:00Z\n",
		"mcp_servers = { mine = { command = \"x\" } }\n", "model_provider = \"mine\"\n", "nan = nan\n", "mcp_servers.two.command = \"y\"\n", "s = '''\n# no comment\n'''\n",
	}
	e := env(t)
	refused, added := 0, 0
	for seed := range 200 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		body := ""
		for range r.IntN(6) {
			body += pieces[r.IntN(len(pieces))]
		}
		if r.IntN(3) == 0 {
			body = strings.TrimSuffix(body, "\n")
		}
		if r.IntN(3) == 0 {
			body = strings.ReplaceAll(body, "\n", "\r\n")
		}
		if r.IntN(6) == 0 {
			body = "\uFEFF" + body
		}
		p := place(t, "codex", e)
		if err := os.RemoveAll(p.folder()); err != nil {
			t.Fatal(err)
		}
		put(t, p.servers, body)
		want := Want{Hooks: program, MCP: []string{"/opt/trimtab", "mcp"}, Gateway: []string{"", "http://127.0.0.1:8787"}[r.IntN(2)]}
		plan, err := p.Add(want)
		if err != nil {
			refused++
			if text(t, p.servers) != body {
				t.Fatalf("seed %d: refused, and changed", seed)
			}
			continue
		}
		added++
		if err := plan.Apply(at); err != nil {
			t.Fatal(err)
		}
		before, err1 := parseTOML([]byte(strings.TrimPrefix(body, "\uFEFF")))
		after, err2 := parseTOML([]byte(strings.TrimPrefix(text(t, p.servers), "\uFEFF")))
		if err1 != nil || err2 != nil {
			t.Fatalf("seed %d: %v, %v\n%s", seed, err1, err2, text(t, p.servers))
		}
		for _, head := range []string{tomlServer, tomlProvider} {
			deleteOurs(after, head)
		}
		if want.Gateway != "" {
			deleteOurs(after, tomlPick)
		}
		if !sameTOML(before, after) {
			t.Fatalf("seed %d: %v became %v", seed, before, after)
		}
		uninstall(t, p)
		if got := text(t, p.servers); got != body {
			t.Fatalf("seed %d: %s", seed, cmp.Diff(body, got))
		}
	}
	if refused == 0 || added == 0 {
		t.Errorf("%d refused, %d added: the test tries too little", refused, added)
	}
}
