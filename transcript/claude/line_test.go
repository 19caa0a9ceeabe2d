package claude

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// facts are what a line says, for comparing two ways of reading it.
func facts(l *line, err error) []string {
	out := []string{string(l.uuid), string(l.session), string(l.cwd), string(l.version), string(l.agent), string(l.time), string(l.toolCaller)}
	if err != nil {
		out = append(out, err.Error())
	}
	if l.side || l.meta || l.summary || l.fail {
		out = append(out, "flagged")
	}
	return out
}

// tails are ends of lines: the usual one, and others that look much like it.
func tails() []string {
	return []string{
		`"userType":"e","entrypoint":"cli","cwd":"/p","sessionId":"s1","version":"1","gitBranch":"m"}`,
		`"userType":"e","entrypoint":"cli","cwd":"/q","sessionId":"s1","version":"1","gitBranch":"m"}`,
		`"userType":"e","cwd":"/p","isMeta":true,"sessionId":"s1","version":"1"}`,
		`"userType":"e","cwd":"/p","agentId":"a","version":"1"}`,
		`"userType":"e","version":"2"}`,
		`"userType":"e"}`,
		`"userType":"e","cwd":"/p","sessionId":"s1","version":"1"} {}`,
		`"userType":"e","cwd":"/p","sessionId":"s1","version":"1"`,
		`"userType":"e","cwd":"/p","cwd":"/r","version":"1"}`,
	}
}

func TestTheSameTailIsReadTheSame(t *testing.T) {
	heads := []string{`{"type":"user","uuid":"u1",`, `{"type":"user","uuid":"u2","cwd":"/before","sessionId":"before",`}
	var last tail
	for range 2 {
		for _, a := range tails() {
			for _, head := range heads {
				for _, b := range []string{a, tails()[0]} {
					known, fresh := line{last: &last}, line{last: &tail{}}
					in := head + b
					err1, err2 := known.parse([]byte(in), 1), fresh.parse([]byte(in), 1)
					if diff := cmp.Diff(facts(&fresh, err2), facts(&known, err1)); diff != "" {
						t.Errorf("%s (-alone +behind others):\n%s", in, diff)
					}
				}
			}
		}
	}
	if !strings.Contains(string(last.raw), "gitBranch") {
		t.Errorf("the usual tail is not remembered: %q", last.raw)
	}
}

func FuzzTail(f *testing.F) {
	for _, a := range tails() {
		for _, b := range tails() {
			f.Add(`{"type":"user",`+a, `{"type":"assistant","uuid":"x",`+b)
		}
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		var last tail
		l := line{last: &last}
		if first == "" || second == "" {
			return
		}
		_ = l.parse([]byte(first), 1)
		known, fresh := line{last: &last}, line{last: &tail{}}
		err1, err2 := known.parse([]byte(second), 1), fresh.parse([]byte(second), 1)
		if diff := cmp.Diff(facts(&fresh, err2), facts(&known, err1)); diff != "" {
			t.Errorf("%q behind %q (-alone +behind):\n%s", second, first, diff)
		}
	})
}
