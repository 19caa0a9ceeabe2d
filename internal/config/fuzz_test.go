package config_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/config"
)

// FuzzLoad: whatever the files, the environment and the flags hold, Load does
// not panic, what it returns is valid, a guarded file reaches nothing of the
// user's, and every problem can be printed.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"todoReminder": {"initialTurns": 3, "enabled": false}}`), []byte(`{"gateway": {"upstreams": {"a": "b"}}}`), "TRIMTAB_MODEL=x", "model=y")
	f.Add([]byte(`{"todoReminder": {"initialTurns": 0, "repeatTurns": 1e3, "stuckTaskTurns": -1}}`), []byte(`{"forge": null}`), "TRIMTAB_STEERING_BUDGET=NaN", "steering.offset=99999999999999999999")
	f.Add([]byte("\ufeff// c\n{\"steering\": {\"cacheSeconds\": 0,},} //"), []byte(`{"forge": {"url": "\u0061"}}`), "TRIMTAB_GATEWAY_HOSTS=[\"a\"]", "gateway.upstreams.x=1")
	f.Add([]byte(`{"autonomy": {"enabledHeuristics": ["depth", 1]}, "autonomy": {"level": "auto"}}`), []byte("{\"a\": /* \xff"), "FLAME_PUSH_THRESHOLD=0", "gateway.upstreams={\"a\":{}}")
	f.Add([]byte(strings.Repeat("[", 70)), []byte("{\"\\u001b]0;\": \"\n"), "TRIMTAB_=", "=")
	f.Add([]byte(`{"gateway": {"listen": "", "upstreams": {"a": "x://u:p@h"}}}`), []byte("{}{}"), "TRIMTAB_GATEWAY_UPSTREAMS={", "gateway.hosts=,,")
	f.Add([]byte(`{"plugins": {"servers": {"a": {"command": "x", "args": ["y"], "env": {"A": "b"}, "owner": "me"}, "b": 3, "c d": {}}, "own": {"a": {"trust": true}}}}`),
		[]byte(`{"plugins": {"servers": {"a": {"retries": 10}, "b": {"owner": "them", "kind": "http"}, "b": {}}, "own": {"a": {"command": "evil"}}}}`),
		`TRIMTAB_PLUGINS_SERVERS={"a": {"comand": 1}}`, "plugins.servers.a.env.X=1")
	f.Add([]byte(`{"plugins": {"own": {"a": {"command": "x"}}}}`), []byte(`{"plugins": {"servers": {"a": {"command": "x"}}}}`), "TRIMTAB_PLUGINS_OWN={", `plugins.own.a={"args": ["b"]}`)
	f.Fuzz(func(t *testing.T, own, theirs []byte, env, set string) {
		got, report := config.Load[settings](config.Sources{
			Layers: []config.Layer{{Name: "user", File: "u", Data: own}, {Name: "project", File: "p", Data: theirs, Guarded: true}},
			Env:    []string{env},
			Sets:   []string{set},
		})
		valid(t, got)
		for _, p := range report.Problems {
			line := p.Error()
			if !utf8.ValidString(line) || strings.ContainsAny(line, "\x00\x07\x1b\n\r\u202e") || len(line) > 2000 {
				t.Errorf("problem %q", line)
			}
			if p.Line < 0 || p.Column < 0 {
				t.Errorf("problem at %d:%d", p.Line, p.Column)
			}
		}
		for _, e := range config.Entries(got, report) {
			guarded := strings.HasPrefix(e.Key, "forge.") || strings.HasPrefix(e.Key, "gateway.upstreams") || strings.HasPrefix(e.Key, "plugins.own") ||
				strings.HasPrefix(e.Key, "plugins.servers.") && strings.HasSuffix(e.Key, ".owner") && strings.Count(e.Key, ".") == 3
			if e.Origin.Layer == "project" && guarded {
				t.Errorf("the project set %s", e.Key)
			}
			if e.Origin.Layer == "" {
				t.Errorf("%s has no origin", e.Key)
			}
		}
	})
}
