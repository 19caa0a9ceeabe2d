package improve_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// made are items that were created so long before start, about other things.
func made(ago ...time.Duration) []improve.Item {
	var out []improve.Item
	for i, d := range ago {
		out = append(out, improve.Item{ID: fmt.Sprint("w", i), Fingerprint: fmt.Sprint("other", i), Project: "/p", Created: start.Add(-d), State: improve.Done})
	}
	return out
}

func byHand(items []improve.Item) []improve.Item {
	for i := range items {
		items[i].ByHand = true
	}
	return items
}

func TestR6_R7_EveryGateSaysNoByItselfAndWhatWouldChangeIt(t *testing.T) {
	pattern := func(change func(*improve.Pattern)) improve.Case {
		p := seedResult().Patterns[0]
		change(&p)
		return improve.Case{Pattern: p, Worthy: true, Project: "/p"}
	}
	good := pattern(func(*improve.Pattern) {})
	clear := improve.Situation{Now: start, Forge: improve.NotFiled}
	print := good.Pattern.Fingerprint
	zero, none := 0.0, 0
	for name, c := range map[string]struct {
		cfg   func(*improve.Config)
		c     improve.Case
		s     improve.Situation
		gate  string // "" fires
		says  string
		until time.Duration
	}{
		"all open":                  {c: good, s: clear},
		"switched off":              {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Disabled: "AUTOMATION_DISABLED=1"}, gate: improve.GateSwitch, says: "AUTOMATION_DISABLED=1"},
		"not enabled":               {cfg: func(c *improve.Config) { c.Enabled = false }, c: good, s: clear, gate: improve.GateEnabled, says: "automation_enabled"},
		"not worthy":                {c: improve.Case{Pattern: good.Pattern, Project: "/p"}, s: clear, gate: improve.GateWorthy, says: "fewer than two are medium"},
		"not severe":                {cfg: func(c *improve.Config) { c.Thresholds.Severity = "critical" }, c: good, s: clear, gate: improve.GateSeverity, says: "high is below critical"},
		"medium is enough":          {c: pattern(func(p *improve.Pattern) { p.Severity = improve.Medium }), s: clear},
		"low is not":                {c: pattern(func(p *improve.Pattern) { p.Severity = improve.Low }), s: clear, gate: improve.GateSeverity, says: "low is below medium"},
		"twice is enough":           {c: pattern(func(p *improve.Pattern) { p.Count = 2 }), s: clear},
		"once is not":               {c: pattern(func(p *improve.Pattern) { p.Count = 1 }), s: clear, gate: improve.GateCount, says: "seen 1 times, fewer than 2"},
		"too soon":                  {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(59 * time.Minute)}, gate: improve.GateCooldown, says: "10:01 UTC", until: time.Minute},
		"an hour is enough":         {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(time.Hour)}},
		"no cooldown":               {cfg: func(c *improve.Config) { c.Thresholds.Cooldown = &zero }, c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(0)}},
		"the clock went back":       {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(-48 * time.Hour)}, gate: improve.GateCooldown, says: "11:00 UTC", until: time.Hour},
		"asked for by hand":         {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: byHand(made(0, time.Hour, 2*time.Hour, 3*time.Hour))}},
		"by hand, the same":         {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: byHand([]improve.Item{{ID: "w9", Fingerprint: print, Project: "/p", State: improve.Done, Created: start.Add(-days(90)[0])}})}, gate: improve.GateQueue, says: "w9"},
		"two today":                 {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(2*time.Hour, 3*time.Hour)}},
		"three today":               {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(2*time.Hour, 3*time.Hour, 23*time.Hour)}, gate: improve.GateDaily, says: "3 of 3", until: time.Hour},
		"three, one yesterday":      {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(2*time.Hour, 3*time.Hour, 24*time.Hour)}},
		"ten in a week":             {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(days(1, 2, 2, 3, 3, 4, 4, 5, 5, 6)...)}, gate: improve.GateWeekly, says: "10 of 10", until: 24 * time.Hour},
		"nine in a week":            {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: made(days(1, 2, 2, 3, 3, 4, 4, 5, 5, 7)...)}},
		"none a day":                {cfg: func(c *improve.Config) { c.DailyCap = &none }, c: good, s: clear, gate: improve.GateDaily, says: "daily_cap"},
		"rejected here":             {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: []improve.Item{{ID: "w9", Fingerprint: print, Project: "/p", State: improve.Rejected, Created: start.Add(-days(90)[0])}}}, gate: improve.GateQueue, says: "w9 is about the same (rejected)"},
		"filed for another project": {c: good, s: improve.Situation{Now: start, Forge: improve.NotFiled, Past: []improve.Item{{ID: "w9", Fingerprint: print, Project: "/q", State: improve.Done, Created: start.Add(-days(90)[0])}}}},
		"open on the forge":         {c: good, s: improve.Situation{Now: start, Forge: improve.FiledOpen, Where: "#12"}, gate: improve.GateForge, says: "(open) #12"},
		"closed on the forge":       {c: good, s: improve.Situation{Now: start, Forge: improve.FiledClosed}, gate: improve.GateForge, says: "(closed)"},
		"the forge is silent, a person will look": {c: good, s: improve.Situation{Now: start}},
		"the forge is silent, and nobody looks":   {cfg: func(c *improve.Config) { c.Approval = "never" }, c: good, s: improve.Situation{Now: start}, gate: improve.GateForge, says: "could not be asked"},
		"about logins":                            {c: pattern(func(p *improve.Pattern) { p.Context = improve.Context{"about": "userAuth failed"} }), s: clear, gate: improve.GateBlacklist, says: "authentication"},
		"about payments":                          {c: pattern(func(p *improve.Pattern) { p.Samples = []improve.Sample{{Excerpt: "POST /v1/refunds"}} }), s: clear, gate: improve.GateBlacklist, says: "payments"},
		"not a setting":                           {cfg: func(c *improve.Config) { c.Approval = "perhaps" }, c: good, s: clear, gate: improve.GateSwitch, says: "approval"},
	} {
		cfg := enabled()
		if c.cfg != nil {
			c.cfg(&cfg)
		}
		v := improve.Decide(cfg, c.c, c.s)
		if c.gate == "" {
			if !v.Fire || v.No() != "" || v.State == "" {
				t.Errorf("%s: closed by %q", name, v.No())
			}
			continue
		}
		var closed []string
		for _, g := range v.Gates {
			if !g.Open {
				closed = append(closed, g.Name)
				if g.Why == "" || g.Change == "" || c.until > 0 && !g.Until.Equal(start.Add(c.until)) {
					t.Errorf("%s: %+v", name, g)
				}
			}
		}
		if v.Fire || v.State != "" || !slices.Equal(closed, []string{c.gate}) || !strings.Contains(v.No(), c.says) {
			t.Errorf("%s: closed by %v: %q", name, closed, v.No())
		}
	}
}

func days(n ...int) (out []time.Duration) {
	for _, d := range n {
		out = append(out, time.Duration(d)*24*time.Hour)
	}
	return out
}

func TestR8_ApprovalIsTheDefaultAndASetting(t *testing.T) {
	c, _ := improve.CaseOf(seedResult(), "/p")
	s := improve.Situation{Now: start, Forge: improve.NotFiled}
	cfg := enabled()
	if v := improve.Decide(cfg, c, s); v.State != improve.Awaiting {
		t.Errorf("by default an item begins %s", v.State)
	}
	cfg.Approval = "never"
	if v := improve.Decide(cfg, c, s); v.State != improve.Queued {
		t.Errorf("without approval an item begins %q: %s", v.State, v.No())
	}
}

func TestR6_AnEmptyConfigFiresNothing(t *testing.T) {
	c, _ := improve.CaseOf(seedResult(), "/p")
	if v := improve.Decide(improve.Config{}, c, improve.Situation{Now: start, Forge: improve.NotFiled}); v.Fire || v.No()[:8] != "enabled:" {
		t.Errorf("got %+v", v)
	}
}

func TestR5_WhatWasActedOnLatelyScoresLess(t *testing.T) {
	c, _ := improve.CaseOf(seedResult(), "/p")
	past := []improve.Item{{Fingerprint: c.Pattern.Fingerprint, Project: "/elsewhere", Created: start.Add(-12 * time.Hour)}}
	v := improve.Decide(enabled(), c, improve.Situation{Now: start, Past: past})
	if v.Score != 60*3/2+15-15 {
		t.Errorf("score %d", v.Score)
	}
}

func TestR7_TheBlacklistMatchesWholeWordsInFields(t *testing.T) {
	for about, want := range map[string]string{
		"login page broken": "authentication", "JWT expired": "authentication", "set_password()": "authentication", "open /srv/auth/token.go": "authentication",
		"stripeClient timed out": "payments", "credit card form": "payments", "db/migrations/0004.sql": "migrations", "kubectl apply": "deployment",
		"PII in the export": "personal data", "personal data of people": "personal data",
		"the author of it": "", "git checkout main": "", "striped shirts": "", "immigrate": "", "redeployable": "", "personal taste, data": "", "curl -u ada:[REDACTED:password] -H [REDACTED:jwt]": "", "curl -u [REDACTED:passw": "",
		"login with [REDACTED:token]": "authentication", "[REDACTED:url] password": "authentication", "go test ./...": "",
	} {
		c := improve.Case{Pattern: improve.Pattern{Type: improve.Loop, Severity: improve.High, Count: 5, Context: improve.Context{"about": about}}, Worthy: true}
		got := ""
		for _, g := range improve.Decide(enabled(), c, improve.Situation{Now: start, Forge: improve.NotFiled}).Gates {
			if g.Name == improve.GateBlacklist && !g.Open {
				got = g.Why
			}
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", about, got, want)
		}
	}
	cfg := enabled()
	cfg.Blacklist = []string{"billing", "left pad"}
	for about, want := range map[string]bool{"the left-pad module": false, "Billing page": false, "login": true} {
		c := improve.Case{Pattern: improve.Pattern{Type: improve.Loop, Severity: improve.High, Count: 5, Context: improve.Context{"about": about}}, Worthy: true}
		if v := improve.Decide(cfg, c, improve.Situation{Now: start, Forge: improve.NotFiled}); v.Fire != want {
			t.Errorf("%q: %v, %s", about, v.Fire, v.No())
		}
	}
}

func TestCasesOfManySessionsKeepTheirRank(t *testing.T) {
	merged := improve.Merge([]improve.Result{failing("a", "undefined: grind", 4).reflect(t, nil), failing("b", "undefined: grind", 4).reflect(t, nil), failing("c", "denied", 3).reflect(t, nil)})
	cases := improve.Cases(merged, "/p")
	if len(cases) != len(merged) || !cases[0].Worthy || cases[0].Project != "/p" || len(cases[0].Sessions) != 2 {
		t.Fatalf("got %+v", cases[0])
	}
	if cases[1].Pattern.Severity == improve.Low && cases[1].Worthy {
		t.Errorf("%+v is worthy", cases[1])
	}
	req := cases[0].Request(enabled())
	if req.Context["sessions"] != 2 || req.Context["session_id"] != "a" {
		t.Errorf("got %+v", req.Context)
	}
}

// The words of the blacklist are a promise: the page that lists them is complete.
func TestR7_TheWordsOfTheBlacklistAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/reflect.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range improve.Subjects() {
		if line := "| " + name + " | " + strings.Join(improve.WordsOf(name), ", ") + " |"; !strings.Contains(string(page), line) {
			t.Errorf("docs/reference/reflect.md lacks the line\n%s", line)
		}
	}
}

// TestR7_AnItemThatIsThereSaysWhatCanBeDoneAboutIt: never a command that would be
// refused.
func TestR7_AnItemThatIsThereSaysWhatCanBeDoneAboutIt(t *testing.T) {
	p := seedResult().Patterns[0]
	for state, says := range map[improve.State]string{
		improve.Awaiting: "approve w1", improve.Queued: "run --watch", improve.Running: "run --watch", improve.Failed: "retry w1",
		improve.Cancelled: "retry w1", improve.Manual: "retry w1", improve.Done: "filed twice", improve.Rejected: "filed twice",
	} {
		past := []improve.Item{{ID: "w1", Fingerprint: p.Fingerprint, Project: "/p", State: state, Created: start}}
		v := improve.Decide(improve.Config{}, improve.Case{Pattern: p, Project: "/p"}, improve.Situation{Now: start, Past: past})
		i := slices.IndexFunc(v.Gates, func(g improve.Gate) bool { return g.Name == improve.GateQueue })
		retry := strings.Contains(v.Gates[i].Change, "improve retry")
		if !strings.Contains(v.Gates[i].Change, says) || retry != strings.HasPrefix(says, "retry") {
			t.Errorf("%s: %s", state, v.Gates[i])
		}
	}
}
