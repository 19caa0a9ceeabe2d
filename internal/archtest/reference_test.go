package archtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestTheReferenceIsCurrent: the pages that are made of the sources say what those say.
// With TRIMTABTEST_UPDATE=1 they are written (make docs).
func TestTheReferenceIsCurrent(t *testing.T) {
	tr := repository(t)
	contract, err := os.ReadFile(filepath.Join(tr.root, "surface", "web", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	api, err := apiPage(contract)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"docs/reference/api.md":     api,
		"docs/reference/metrics.md": metricPage(metrics(tr)),
		"docs/proof/promises.md":    promisePage(promises(t, tr)),
	} {
		file := filepath.Join(tr.root, filepath.FromSlash(name))
		if os.Getenv("TRIMTABTEST_UPDATE") != "" {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the sources say; make docs writes it: %v", name, err)
		}
	}
}

// contract is as much of an OpenAPI document as the page tells.
type contract struct {
	Info       struct{ Description string }
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	Summary, Description string
	Parameters           []struct{ Name, In, Description string }
	Responses            map[string]struct {
		Description string
		Content     map[string]struct{ Schema schema }
	}
}

type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Items       *schema
	Properties  map[string]schema
}

// kind is the type of a value, as a reader would say it.
func (s schema) kind() string {
	switch {
	case s.Ref != "":
		name := path.Base(s.Ref)
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	case s.Items != nil:
		return "list of " + s.Items.kind()
	case s.Type == nil:
		return "any"
	}
	return fmt.Sprint(s.Type)
}

// apiPage is the reference of the management API.
func apiPage(raw []byte) (string, error) {
	var c contract
	if err := json.Unmarshal(raw, &c); err != nil {
		return "", fmt.Errorf("openapi.json: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The management API\n\nWritten by `make docs` from the contract that `trimtab serve` gives at `/trimtab/api/openapi.json`. %s\n\n", c.Info.Description)
	b.WriteString("```sh\ncurl -H \"Authorization: Bearer $(cat ~/.local/share/trimtab/token)\" http://127.0.0.1:8787/trimtab/api/sessions\n```\n\n## Calls\n\n| call | does | takes | answers |\n|---|---|---|---|\n")
	for _, p := range slices.Sorted(maps.Keys(c.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(c.Paths[p])) {
			op := c.Paths[p][method]
			var takes, answers []string
			for _, a := range op.Parameters {
				takes = append(takes, cell("`"+a.Name+"` ("+a.In+") "+a.Description))
			}
			for _, code := range slices.Sorted(maps.Keys(op.Responses)) {
				r := op.Responses[code]
				word := code
				for _, content := range r.Content {
					if code < "300" {
						word += " " + content.Schema.kind()
					}
				}
				answers = append(answers, word)
			}
			fmt.Fprintf(&b, "| `%s %s` | %s | %s | %s |\n", strings.ToUpper(method), p, cell(op.Summary), strings.Join(takes, "; "), strings.Join(answers, ", "))
		}
	}
	b.WriteString("\n## Values\n")
	for _, name := range slices.Sorted(maps.Keys(c.Components.Schemas)) {
		s := c.Components.Schemas[name]
		fmt.Fprintf(&b, "\n### %s\n\n", name)
		if s.Description != "" {
			b.WriteString(s.Description + "\n\n")
		}
		if len(s.Properties) == 0 {
			continue
		}
		b.WriteString("| key | type | |\n|---|---|---|\n")
		for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, s.Properties[key].kind(), cell(s.Properties[key].Description))
		}
	}
	return b.String(), nil
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(strings.TrimSpace(text))
}

// metric is one family of /metrics.
type metric struct {
	name, kind, help string
	labels           []string
}

// metrics finds the families in the sources: a call or a literal that begins with a name
// trimtab_…, and has a sentence about it.
func metrics(tr *tree) []metric {
	var all []metric
	add := func(kind string, args []ast.Expr) {
		var words []string
		for _, a := range args {
			lit, ok := a.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				break
			}
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				break
			}
			words = append(words, word)
		}
		if kind == "" && len(words) >= 3 { // a row: name, kind, help
			kind, words = words[1], append(words[:1:1], words[2:]...)
		}
		if len(words) < 2 || !strings.HasPrefix(words[0], "trimtab_") || !strings.Contains(words[1], " ") {
			return
		}
		all = append(all, metric{name: words[0], kind: kind, help: words[1], labels: words[2:]})
	}
	for _, f := range tr.files {
		if f.test || !strings.HasPrefix(f.path, "surface/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if fn, ok := n.Fun.(*ast.Ident); ok {
					add(fn.Name, n.Args)
				}
			case *ast.CompositeLit:
				if n.Type == nil {
					add("", n.Elts)
				}
			}
			return true
		})
	}
	slices.SortFunc(all, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	return all
}

func metricPage(all []metric) string {
	var b strings.Builder
	b.WriteString("# Metrics\n\nWritten by `make docs` from the sources. `trimtab serve` gives these at `/metrics`, in the text format of Prometheus, with those of the Go runtime and of the process. No word that was said is in any of them; values of labels are bounded, and names beyond the bound are `other`. " +
		"A board for Grafana is in `packaging/grafana`.\n\n| name | type | labels | counts |\n|---|---|---|---|\n")
	for _, m := range all {
		labels := ""
		if len(m.labels) > 0 {
			labels = "`" + strings.Join(m.labels, "` `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.name, m.kind, labels, cell(m.help))
	}
	return b.String()
}

// promise is what the tests of one id say.
type promise struct {
	family string
	number int
	says   []string
}

var (
	promiseTest   = regexp.MustCompile(`^Test((?:[A-Z]\d+_?)+_)(\w+)$`)
	promiseScript = regexp.MustCompile(`^([A-Z]\d+)-(.+)\.session$`)
	promiseID     = regexp.MustCompile(`[A-Z]\d+`)
)

// families are what the letters of promises are about, in the order of the page.
var families = []struct{ letter, about string }{
	{"A", "Reflection (automata)"},
	{"T", "Reminders of the todo list"},
	{"M", "Modes"},
	{"R", "From reflection to a pull request"},
	{"F", "Frames"},
	{"D", "Goals and debates; D1 to D11 are also the findings of a security review"},
	{"G", "The gateway and the other surfaces"},
	{"P", "Reliability and security"},
	{"J", "Judgement: when to speak"},
	{"H", "Agents: how a note travels, and who is speaking"},
	{"X", "Several people, several machines"},
	{"V", "The pages in a browser"},
}

// promises are the tests and scripts that are named after a promise.
func promises(t *testing.T, tr *tree) map[string]*promise {
	t.Helper()
	all := map[string]*promise{}
	add := func(id, says string) {
		if all[id] == nil {
			n, _ := strconv.Atoi(id[1:])
			all[id] = &promise{family: id[:1], number: n}
		}
		if !slices.Contains(all[id].says, says) {
			all[id].says = append(all[id].says, says)
		}
	}
	for _, f := range tr.files {
		if !f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if m := promiseTest.FindStringSubmatch(fn.Name.Name); m != nil {
				for _, id := range promiseID.FindAllString(m[1], -1) {
					add(id, sentence(m[2])+" (`"+path.Dir(f.path)+"`"+tagOf(string(f.text))+")")
				}
			}
		}
	}
	held, err := heldBy(tr.root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range held.all {
		if m := promiseScript.FindStringSubmatch(path.Base(name)); m != nil {
			add(m[1], strings.ReplaceAll(m[2], "-", " ")+" (script of `"+path.Dir(path.Dir(name))+"`)")
		}
	}
	return all
}

// tagOf says of a test file that only a build tag runs which one.
func tagOf(text string) string {
	head, _, _ := strings.Cut(text, "package ")
	for _, tag := range []string{"e2e", "chaos"} {
		if strings.Contains(head, tag) {
			return ", " + tag
		}
	}
	return ""
}

// sentence is the name of a test as words.
func sentence(name string) string {
	var b strings.Builder
	all := []rune(strings.ReplaceAll(name, "_", ", "))
	for i, r := range all {
		begins := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(all[i-1]) || i+1 < len(all) && unicode.IsLower(all[i+1])) // URL is one word
		if begins {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func promisePage(all map[string]*promise) string {
	var b strings.Builder
	b.WriteString("# Promises and their tests\n\nWritten by `make docs` from the names of the tests. A promise is held by the tests that bear its id: `go test -run 'P8_' .` runs those of P8 in the package that stands behind them. Each was seen to fail on the bug that it guards against; " +
		"[seeded bugs](mutants.md) repeats that for some. `make test` runs all but those marked e2e (`make e2e`: the real agents, real servers) and chaos (`make chaos`: kills, cuts, full disks).\n")
	for _, f := range families {
		var ids []string
		for id, p := range all {
			if p.family == f.letter {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(all[a].number, all[b].number) })
		fmt.Fprintf(&b, "\n## %s: %s\n\n| | |\n|---|---|\n", f.letter, f.about)
		for _, id := range ids {
			slices.Sort(all[id].says)
			fmt.Fprintf(&b, "| %s | %s |\n", id, strings.Join(all[id].says, "; "))
		}
	}
	return b.String()
}

func TestTheReferenceFailsOnTheBug(t *testing.T) {
	tr := plant(t, files{
		"surface/x/x.go":        "package x\n\nfunc f() {\n\tcounter(\"trimtab_turns_total\", \"turns of the mill\", \"stone\")\n\t_ = []struct{ a, b, c string }{{\"trimtab_open\", \"gauge\", \"gates that are open\"}}\n\tlog(\"trimtab_error\", \"no\")\n}\n",
		"surface/x/x_test.go":   "package x\n\nfunc TestP1P2_TheMillTurns() {}\n\nfunc TestP3_P4_TheURLIsKept() {}\n\nfunc TestOther() {}\n",
		"a_e2e_test.go":         "//go:build e2e\n\npackage a\n\nfunc TestP2_ItTurnsAgain() {}\n",
		"steer/testdata/x.text": "", "steer/testdata/P10-a-stone.session": "",
	})
	got := metricPage(metrics(tr)) + promisePage(promises(t, tr))
	for _, want := range []string{
		"| `trimtab_turns_total` | counter | `stone` | turns of the mill |", "| `trimtab_open` | gauge |  | gates that are open |",
		"| P1 | the mill turns (`surface/x`) |\n| P2 | it turns again (`.`, e2e); the mill turns (`surface/x`) |\n| P3 | the url is kept (`surface/x`) |\n| P4 | the url is kept (`surface/x`) |\n| P10 | a stone (script of `steer`) |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "trimtab_error") || strings.Contains(got, "ther (") {
		t.Error(got)
	}
	api, err := apiPage([]byte(`{"info":{"description":"d"},"paths":{"/a/{id}":{"get":{"summary":"s|t","parameters":[{"name":"id","in":"path","description":"i"}],"responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Info"}}}}},"404":{}}}}},"components":{"schemas":{"Info":{"properties":{"at":{"type":"string","description":"when"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `GET /a/{id}` | s\\|t | `id` (path) i | 200 list of [Info](#info), 404 |", "### Info\n\n| key | type | |\n|---|---|---|\n| `at` | string | when |"} {
		if !strings.Contains(api, want) {
			t.Errorf("no %q in\n%s", want, api)
		}
	}
	if _, err := apiPage([]byte("{")); err == nil {
		t.Error("half a contract is taken")
	}
}
