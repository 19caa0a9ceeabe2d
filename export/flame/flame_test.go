package flame

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/frame"
)

// hostile is text that would break out of where it stands.
const hostile = `</title></text><script>alert(1)</script>"'&` + "\x00\x1b[31m\u202eevil\xff"

func small() Graph {
	return Graph{Session: "s", Title: "Build a parser", Active: "f4", Before: 1000, After: 400, Frames: []Frame{
		{ID: "f1", Goal: "build a parser", Status: "in_progress", Own: 100},
		{ID: "f2", Parent: "f1", Goal: "read tabs", Status: "completed", Own: 500, Folded: true, Summary: "it reads tabs", Messages: 12},
		{ID: "f3", Parent: "f2", Goal: "measure", Status: "failed", Own: 100, Summary: "too slow"},
		{ID: "f4", Parent: "f1", Goal: "write tests", Status: "in_progress", Own: 300},
	}}
}

func lay(t *testing.T, g Graph) chart {
	t.Helper()
	c, err := g.lay()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWidthIsTokensAndChildrenStandOnParents(t *testing.T) {
	c := lay(t, small())
	want := []struct {
		x, width float64
		depth    int
		tokens   int
		hidden   bool
	}{{0, 1, 0, 1000, false}, {0, 0.6, 1, 600, true}, {0, 0.1, 2, 100, true}, {0.6, 0.3, 1, 300, false}}
	for i, w := range want {
		b := c.boxes[i]
		if math.Abs(b.X-w.x) > 1e-9 || math.Abs(b.Width-w.width) > 1e-9 || b.Depth != w.depth || b.Tokens != w.tokens || b.Hidden != w.hidden {
			t.Errorf("%s at %.3f, %.3f wide, %d deep, %d tokens, hidden %v; want %+v", b.ID, b.X, b.Width, b.Depth, b.Tokens, b.Hidden, w)
		}
	}
	if c.depth != 3 || c.widest {
		t.Errorf("depth %d, widened %v", c.depth, c.widest)
	}
}

func TestNoBoxLeavesItsParentOrMeetsItsSibling(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var g Graph
		for i := range 1 + r.IntN(60) {
			f := Frame{ID: fmt.Sprint("f", i+1), Status: "completed", Own: max(0, r.IntN(3000)-1000)}
			if i > 0 && r.IntN(8) > 0 {
				f.Parent = fmt.Sprint("f", 1+max(0, i-1-r.IntN(4)))
			}
			g.Frames = append(g.Frames, f)
		}
		c, err := g.lay()
		if err != nil {
			continue // too deep
		}
		at := map[string]box{}
		ends := map[string]float64{}
		for _, b := range c.boxes {
			const slack = 1e-9
			p, ok := at[b.Parent]
			if ok && (b.X < p.X-slack || b.X+b.Width > p.X+p.Width+slack) || b.X < ends[b.Parent]-slack || b.X+b.Width > 1+slack || b.Width <= 0 {
				t.Fatalf("%s (%.4f to %.4f) leaves %+v or meets its sibling at %.4f", b.ID, b.X, b.X+b.Width, p, ends[b.Parent])
			}
			ends[b.Parent] = b.X + b.Width
			at[b.ID] = b
		}
	}
}

func TestAPlannedFrameIsSeenAndTheOthersKeepTheirProportions(t *testing.T) {
	g := small()
	g.Frames = append(g.Frames, Frame{ID: "f5", Parent: "f1", Goal: "later", Status: "planned"})
	c := lay(t, g)
	planned, tabs, tests := c.boxes[4], c.boxes[1], c.boxes[3]
	if planned.Width < 0.01 || !c.widest || planned.Hidden {
		t.Errorf("planned is %.4f wide, told %v, hidden %v", planned.Width, c.widest, planned.Hidden)
	}
	if math.Abs(tabs.Width/tests.Width-2) > 1e-9 {
		t.Errorf("600 and 300 tokens are %.4f and %.4f wide", tabs.Width, tests.Width)
	}
}

func TestTheSVGStandsAloneAndTellsAllOnHover(t *testing.T) {
	g := small()
	g.Title, g.Frames[1].Goal, g.Frames[1].Summary = hostile, hostile, hostile
	g.Frames[2].Status = `x" onload="alert(1)`
	out, err := SVG(g)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, out)
	for _, want := range []string{"100 tokens (10.0 % of all)", "folded: the model sees its summary", "inside a folded frame, whose summary the model sees", "in the model&#39;s view", "1,000 tokens of history, 400 in the model", `class="f in_progress active"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, not := range []string{"<script", "onload=\"", "\x1b", "\u202e", "href", "url(http"} {
		if bytes.Contains(out, []byte(not)) {
			t.Errorf("%q is in the picture", not)
		}
	}
	if n := bytes.Count(out, []byte("<title>")); n != 4 {
		t.Errorf("%d of 4 frames have hover text", n)
	}
}

func wellFormed(t testing.TB, out []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(out))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, out)
		}
	}
}

func TestLabelsFitTheirBoxes(t *testing.T) {
	for _, goal := range []string{"write tests for all of the parser", "日本語のゴールを持つフレーム", "x"} {
		f := Frame{ID: "f12", Goal: goal, Status: "failed"}
		for width := range 60 {
			got := f.short(width)
			if wide(got) > width {
				t.Errorf("%q takes %d columns of %d", got, wide(got), width)
			}
			if width >= 3 && !strings.Contains(got, "f12") && got != f.label() {
				t.Errorf("%d columns hold the id, and hold %q", width, got)
			}
			if width >= wide(f.label()) && got != f.label() {
				t.Errorf("%d columns hold all of %q, not only %q", width, f.label(), got)
			}
		}
	}
}

func TestEveryStatusHasAMarkAndAColour(t *testing.T) {
	for _, s := range []frame.Status{frame.Planned, frame.InProgress, frame.Completed, frame.Failed, frame.Blocked, frame.Invalidated} {
		if got := (Frame{Status: string(s)}).Mark(); got != s.Mark() || got == "" {
			t.Errorf("%s is marked %q in the graph and %q in the tree", s, got, s.Mark())
		}
		if !strings.Contains(looks, "."+string(s)+" .box { fill: #") {
			t.Errorf("%s has no colour", s)
		}
	}
}

func TestThePageRunsItsOwnScriptAndNothingElse(t *testing.T) {
	g := small()
	g.Title, g.Frames[1].Goal, g.Frames[1].Summary, g.Frames[1].ID, g.Frames[2].Parent = hostile, hostile, hostile, `f2"><script>`, `f2"><script>`
	g.Frames[1].Log, g.Frames[1].Artifacts = []string{hostile}, []string{hostile}
	out, err := HTML(g)
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	between := func(open, end string) string {
		_, rest, ok := strings.Cut(text, open)
		inner, _, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("no %s", open)
		}
		return inner
	}
	policy := strings.ReplaceAll(between(`Content-Security-Policy" content="`, `"`), "&#39;", "'")
	policy = strings.ReplaceAll(policy, "&#43;", "+")
	for _, want := range []string{"default-src 'none'", "script-src '" + digest(between("<script>", "</script>")) + "'", "style-src '" + digest(between("<style>", "</style>")) + "'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	for _, not := range []*regexp.Regexp{regexp.MustCompile(`<[^>]* on[a-z]+=`), regexp.MustCompile(`<[^>]* style=`), regexp.MustCompile(`https?://`), regexp.MustCompile(`unsafe`), regexp.MustCompile("\u202e|\x1b")} {
		if found := not.FindString(text); found != "" {
			t.Errorf("%q is in the page", found)
		}
	}
}

func TestThePageTellsAllThatIsKnown(t *testing.T) {
	g := small()
	f := &g.Frames[1]
	f.Criteria, f.Results, f.Reason, f.Artifacts, f.Decisions, f.Log, f.By = "all green", "42 passed", "none", []string{"a.go", "b.go"}, []string{"tabs are eight"}, []string{"m2  you  hello"}, "auto"
	f.Created, f.Updated = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 15, 9, 5, 0, 0, time.UTC)
	out, err := HTML(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"it reads tabs", "all green", "42 passed", "a.go, b.go", "tabs are eight", "m2  you  hello", "opened by the heuristics", "2026-11-15 09:00:00 UTC", "09:05:00", "600 tokens (60.0 % of all), 500 of its own"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestAnEmptyTreeSaysSo(t *testing.T) {
	for name, draw := range map[string]func(Graph) ([]byte, error){"svg": SVG, "html": HTML} {
		out, err := draw(Graph{Session: "s"})
		if err != nil || !bytes.Contains(bytes.ToLower(out), []byte("no frames yet")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNoTreeIsRefused(t *testing.T) {
	deep := Graph{Frames: []Frame{{ID: "f0"}}}
	for i := range maxDepth {
		deep.Frames = append(deep.Frames, Frame{ID: fmt.Sprint("f", i+1), Parent: fmt.Sprint("f", i)})
	}
	for name, g := range map[string]Graph{
		"which does not come before": {Frames: []Frame{{ID: "f1", Parent: "f2"}, {ID: "f2", Parent: "f1"}}},
		"taken":                      {Frames: []Frame{{ID: "f1"}, {ID: "f1"}}},
		"empty or":                   {Frames: []Frame{{}}},
		"cannot be drawn":            {Frames: []Frame{{ID: "f1", Own: -1}}},
		"65 deep":                    deep,
		"2001 frames":                {Frames: make([]Frame, maxFrames+1)},
	} {
		if _, err := SVG(g); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := HTML(g); err == nil {
			t.Errorf("%s: a page was drawn", name)
		}
	}
	for _, raw := range []string{"", "[]", `{"frames":3}`, `{"frames":[{"id":"a","parent":"a"}]}`} {
		if _, err := Parse([]byte(raw)); err == nil {
			t.Errorf("%q was taken", raw)
		}
	}
}

// The answer of "frame tree" is what is drawn: nothing is lost on the way.
func TestTheAnswerOfFramesIsRead(t *testing.T) {
	frames, err := frame.New(frame.Config{Ancestors: "keep"}, frame.Autonomy{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s := trimtab.NewSession("s", now)
	var out trimtab.Outcome
	ask := func(words ...string) { s, out = engine.Step(s, trimtab.Asked{Command: "frame", Args: words}, now) }
	say := func(text string) {
		s, _ = engine.Step(s, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)}, now)
	}
	s, _ = engine.Step(s, trimtab.Said{Message: trimtab.Prompt("build a parser")}, now)
	ask("push", "read tabs")
	say(strings.Repeat("word ", 800))
	ask("artifact", "tabs.go")
	ask("pop", "completed", "it reads tabs")
	ask("plan", "write tests")
	ask("tree")
	reply, err := out.Reply()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse(reply.Data)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Frames) != 3 || g.Session != "s" || g.Active != "f1" || g.Before < 1000 || g.After >= g.Before {
		t.Fatalf("%+v", g)
	}
	f := g.Frames[1]
	if f.Parent != "f1" || f.Goal != "read tabs" || f.Own != 1000 || f.Messages != 1 || f.Summary != "it reads tabs" || !f.Folded || f.Status != "completed" || len(f.Artifacts) != 1 || f.Created.IsZero() {
		t.Errorf("%+v", f)
	}
}

func FuzzParse(f *testing.F) {
	raw, err := json.Marshal(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"frames":[{"id":"<","goal":"]]>&\u0000","status":"planned","ownTokens":9},{"id":"\u202e","parent":"<","log":["x"]}]}`))
	f.Add([]byte(`{"frames":[{"id":"a","ownTokens":1099511627776,"createdAt":"2026-11-15T09:00:00Z"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		g, err := Parse(raw)
		if err != nil {
			return
		}
		svg, err := SVG(g)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, svg)
		page, err := HTML(g)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(page, []byte("<script")) != 1 || bytes.Contains(svg, []byte("<script")) {
			t.Fatal("a text became a script")
		}
	})
}
