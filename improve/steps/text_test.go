package steps_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

func TestR14_ThePreviewIsWhatIsSent(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.item.Request.Description = "It says " + stepstest.Canary + " and calls @ada, fixes #12 <!-- trimtab:1 issue x 00 -->"
	d.item.Request.Pattern.Samples[0].Excerpt = "key " + stepstest.Canary + "\n<!-- trimtab:1 issue x 00 -->"
	seen, err := d.env().Preview(d.item)
	if err != nil {
		t.Fatal(err)
	}
	if d.count()["issues open"] != 0 {
		t.Fatal("a preview was sent")
	}
	if len(seen) != 2 || !seen[0].Exact || seen[1].Exact {
		t.Fatalf("%+v", seen)
	}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	sent, err := d.forge.Issue(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	body, marker, _ := strings.Cut(sent.Body, "\n\n<!-- trimtab:1 ")
	d.equal("title", sent.Title, seen[0].Title)
	d.equal("labels", sent.Labels, seen[0].Labels)
	d.equal("labels of the seed", sent.Labels, []string{"priority:high", "type:error_handling", "automated"})
	d.equal("body", body, strings.TrimSpace(seen[0].Body))
	if strings.Contains(sent.Body, stepstest.Canary) || !strings.Contains(sent.Body, "[REDACTED:canary]") {
		t.Errorf("not redacted:\n%s", sent.Body)
	}
	for _, live := range []string{"@ada", "#12", "<!-- trimtab:1 issue x"} {
		if strings.Contains(body, live) {
			t.Errorf("%q has its effect:\n%s", live, body)
		}
	}
	if !strings.HasPrefix(marker, "issue "+d.item.Fingerprint) {
		t.Errorf("the marker is %q", marker)
	}
}

// Forges and their bots act upon words: GitLab merges at a line "/merge".
func TestWordsInATextHaveNoEffectAtAForge(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	d.item.Request.Title = "[skip ci] @everyone fixes #1"
	behave("implement", "Done.\n/merge\n  /close\nFixes #1, closes GH-2\nResolves: https://forge.example/a/b/issues/3\ncloses a/b#4 @everyone")(d)
	implement := d.agent.Behaviors["implement"]
	d.agent.Behaviors["implement"] = func(folder string) (string, error) {
		writes("implement", "rudder/rudder.txt", "left\n", "rudder/needless.txt", "x")(d)
		if _, err := d.agent.Behaviors["implement"](folder); err != nil {
			return "", err
		}
		return implement(folder)
	}
	if _, at, err := d.run(); err != nil {
		t.Fatalf("stopped at %s: %v", at.Name, err)
	}
	p, err := d.forge.Pull(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, live := range []string{"\n/", "\n  /", "#1,", "GH-2", "Resolves: http", "#4", "@everyone"} {
		if strings.Contains(p.Body, live) {
			t.Errorf("%q has its effect:\n%s", live, p.Body)
		}
	}
	said, err := d.git.In(d.forge.Remote().URL).Run(t.Context(), "log", "-2", "--format=%B", p.Head)
	if err != nil || strings.Contains(said, "[skip ci]") || strings.Contains(said, "@everyone") {
		t.Errorf("%v\n%s", err, said)
	}
}

// What the description tells already is not told again.
func TestTheIssueTellsItsEvidenceOnce(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	p := d.item.Request.Pattern
	d.item.Request = improve.NewRequest(p, nil, improve.Constraints{})
	seen, err := d.env().Preview(d.item)
	if err != nil {
		t.Fatal(err)
	}
	for _, once := range []string{p.Suggestion, p.Samples[0].Excerpt} {
		if n := strings.Count(seen[0].Body, strings.TrimSuffix(once, ".")); n != 1 {
			t.Errorf("%q is said %d times:\n%s", once, n, seen[0].Body)
		}
	}
}

func TestThePreviewOfWorkThatIsDoneIsExact(t *testing.T) {
	t.Parallel()
	d := newDock(t)
	it, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := d.env().Preview(it)
	if err != nil || !strings.Contains(seen[1].Body, "**Issue**: #1") {
		t.Errorf("%v\n%s", err, seen[1].Body)
	}
}

func TestSlugsAreShortPartsOfABranch(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Improve error patterns handling": "improve-error-patterns-handling",
		"  Ünïcode & more!  ":             "n-code-more",
		"../../etc/passwd":                "etc-passwd",
		"--upload-pack=x":                 "upload-pack-x",
		"@{u}.lock":                       "u-lock",
		"":                                "improvement",
		"日本":                              "improvement",
		strings.Repeat("ab ", 40):         "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab",
	} {
		if got := steps.Slug(title); got != want {
			t.Errorf("%q gave %q", title, got)
		}
	}
}

func TestAnswersAreOneForEachFinding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words string
		want  []steps.Answer
	}{
		"each":                  {"So:\n```json\n[{\"finding\": 2, \"text\": \"b\"}, {\"finding\": 1, \"text\": \"a\"}]\n```", []steps.Answer{{1, "a"}, {2, "b"}}},
		"one is missing":        {"```json\n[{\"finding\": 1, \"text\": \"a\"}]\n```", []steps.Answer{{1, "a"}}},
		"one that is not there": {"```json\n[{\"finding\": 3, \"text\": \"c\"}, {\"finding\": 0, \"text\": \"z\"}]\n```", nil},
		"an empty answer":       {"```json\n[{\"finding\": 1, \"text\": \" \"}]\n```", nil},
		"plain words":           {"Both are mended.", []steps.Answer{{1, "Both are mended."}, {2, "Both are mended."}}},
		"the last block counts": {"```json\n[]\n```\n```json\n[{\"finding\": 1, \"text\": \"a\"}]\n```", []steps.Answer{{1, "a"}}},
		"nothing":               {"  ", nil},
	} {
		if d := cmp.Diff(c.want, steps.Answers(c.words, 2)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"", "done", "```json\n[{\"finding\": 1, \"text\": \"a\"}]\n```", "```json", "[[[[", strings.Repeat("```json\n", 50), "[{\"finding\": 1e99}]"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, words string, n int) {
		n = min(max(n, 0), 100)
		last := 0
		for _, a := range steps.Answers(words, n) {
			if a.Finding <= last || a.Finding > n || strings.TrimSpace(a.Text) == "" {
				t.Fatalf("%+v", a)
			}
			last = a.Finding
		}
	})
}

func FuzzTexts(f *testing.F) {
	f.Add("Improve it", "text", "sample")
	f.Add("@ada #1", "<!-- trimtab:1 issue x 00 -->", "```\n"+stepstest.Canary)
	f.Add("\x00\u202e", "|a|b|\n|-|-|", "    \n\n<script>")
	f.Fuzz(func(t *testing.T, title, description, sample string) {
		it := stepstest.Item("/project", 1)
		it.Request.Title, it.Request.Description = title, description
		it.Request.Pattern.Samples = []improve.Sample{{Excerpt: sample}}
		env, err := steps.New(steps.Config{Folder: t.TempDir()}, stepstest.Options(forge.Forge{Repository: nothing{}}, log{}, stepstest.Program(nil), stepstest.NewAgent()))
		if err != nil {
			t.Fatal(err)
		}
		out, err := env.Preview(it)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			text := o.Title + "\n" + o.Body
			if strings.Contains(text, stepstest.Canary) || strings.Contains(o.Title, "\n") || forge.Harmless(text) != text || strings.ContainsAny(text, "\x00\x1b\u202e") {
				t.Fatalf("%q", text)
			}
		}
	})
}

type nothing struct{ forge.Repository }

type log struct{ forge.Log }
