package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/config"
)

type policed struct {
	Alpha struct {
		Count int    `json:"count" default:"1" min:"0" max:"99" doc:"a number"`
		Name  string `json:"name" default:"built" doc:"a name"`
	} `json:"alpha"`
	Beta  int                    `json:"beta" default:"5" min:"0" max:"99" doc:"another"`
	Pairs map[string]string      `json:"pairs" doc:"pairs"`
	Kinds map[string]policedKind `json:"kinds" doc:"kinds"`
}

type policedKind struct {
	Size int `json:"size" default:"3" min:"0" max:"99" doc:"a size"`
}

func under(managed, user, project string, env, sets []string) (policed, config.Report) {
	return config.Load[policed](config.Sources{
		Layers: []config.Layer{
			{Name: "managed", File: "/etc/m.json", Data: []byte(managed), Managed: true},
			{Name: "user", File: "u.json", Data: []byte(user)},
			{Name: "project", File: "p.json", Data: []byte(project), Guarded: true},
		},
		Env: env, Sets: sets,
	})
}

func said(r config.Report) string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.Error())
	}
	return strings.Join(all, "\n")
}

// What is managed and not locked is a default for everyone below it.
func TestX6_ManagedSettingsLieBelowThePersons(t *testing.T) {
	cfg, report := under(`{"beta": 7, "alpha": {"count": 8}}`, `{"beta": 9}`, "", nil, nil)
	if cfg.Beta != 9 || cfg.Alpha.Count != 8 || len(report.Problems) > 0 {
		t.Errorf("beta %d, count %d, problems:\n%s", cfg.Beta, cfg.Alpha.Count, said(report))
	}
	if got := report.Origins["alpha.count"]; got.Layer != "managed" || got.Line != 1 {
		t.Errorf("origin of alpha.count: %+v", got)
	}
}

// A locked key stays whoever sets it, and each is told who decided.
func TestX6_ALockHoldsAgainstEveryLayer(t *testing.T) {
	for _, c := range []struct{ name, lock string }{{"key", "alpha.count"}, {"section", "alpha"}, {"all", "*"}} {
		t.Run(c.name, func(t *testing.T) {
			cfg, report := under(`{"alpha": {"count": 8},
"locked": ["`+c.lock+`"]}`, `{"alpha": {"count": 9}}`, `{"alpha": {"count": 10}}`, []string{"TRIMTAB_ALPHA_COUNT=11"}, []string{"alpha.count=12"})
			if cfg.Alpha.Count != 8 {
				t.Errorf("count is %d; it was locked at 8", cfg.Alpha.Count)
			}
			if got := report.Origins["alpha.count"].Layer; got != "managed" {
				t.Errorf("the origin is %q", got)
			}
			if len(report.Problems) != 4 {
				t.Fatalf("%d problems, want one for each of four layers:\n%s", len(report.Problems), said(report))
			}
			for _, p := range report.Problems {
				if !strings.Contains(p.Text, "locked by /etc/m.json:2") || p.Key != "alpha.count" {
					t.Errorf("%s: it does not say who decided", p.Error())
				}
			}
			if by, is := report.Locked("alpha.count"); !is || by.String() != "/etc/m.json:2" {
				t.Errorf("Locked: %v, %v", by, is)
			}
		})
	}
}

// A key may be locked at its default: the file need not set it.
func TestX6_ALockWithoutAValueKeepsTheDefault(t *testing.T) {
	cfg, _ := under(`{"locked": ["beta"]}`, `{"beta": 9, "alpha": {"name": "mine"}}`, "", nil, nil)
	if cfg.Beta != 5 || cfg.Alpha.Name != "mine" {
		t.Errorf("beta %d, name %q; want 5 and mine", cfg.Beta, cfg.Alpha.Name)
	}
}

// Entries of maps are locked alone or with their map, also against an entry as a whole.
func TestX6_LocksReachIntoMaps(t *testing.T) {
	cfg, report := under(`{"pairs": {"a": "1"}, "kinds": {"k": {"size": 4}}, "locked": ["pairs.a", "kinds.k"]}`,
		`{"pairs": {"a": "2", "b": "3"}, "kinds": {"k": {"size": 5}, "l": {"size": 6}}}`, "", nil, []string{"kinds.k.size=7", "pairs.a=8"})
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "3"}, cfg.Pairs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]policedKind{"k": {4}, "l": {6}}, cfg.Kinds); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(said(report), "locked by"); n < 4 {
		t.Errorf("%d refusals are told:\n%s", n, said(report))
	}
	cfg, _ = under(`{"locked": ["kinds"]}`, `{"kinds": {"k": {"size": 5}}}`, "", nil, []string{"kinds.k.size=7"})
	if len(cfg.Kinds) > 0 {
		t.Errorf("a locked map took %v", cfg.Kinds)
	}
}

// Nobody but the managed file locks, and what it cannot lock is told.
func TestX6_WrongLocks(t *testing.T) {
	cfg, report := under(`{"locked": ["betta", 4, "alpha.count"]}`, `{"locked": ["*"], "beta": 6}`, `{"locked": ["*"], "beta": 7, "alpha": {"count": 2}}`, nil, nil)
	if cfg.Beta != 7 || cfg.Alpha.Count != 1 {
		t.Errorf("beta %d, count %d; want 7 and 1", cfg.Beta, cfg.Alpha.Count)
	}
	for _, want := range []string{"did you mean beta?", `a key or section as text`, "u.json:1:2: locked: only the managed file", "p.json:1:2: locked: only the managed file"} {
		if !strings.Contains(said(report), want) {
			t.Errorf("%q is not told:\n%s", want, said(report))
		}
	}
	if _, report = under(`{"locked": "beta"}`, "", "", nil, nil); !strings.Contains(said(report), "a list of keys") {
		t.Errorf("a lock that is no list: %s", said(report))
	}
}

func TestX6_ShownAsLocked(t *testing.T) {
	cfg, report := under(`{"beta": 7, "locked": ["beta"]}`, "", "", nil, nil)
	for _, e := range config.Entries(cfg, report) {
		if is := e.Key == "beta"; is != (e.Locked != nil) {
			t.Errorf("%s: locked %v", e.Key, e.Locked)
		}
	}
}
