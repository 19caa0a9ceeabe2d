package claude

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func TestALineKeepsNothingOfTheOneBefore(t *testing.T) {
	transcripttest.Reuse(t, func(l *line, b []byte) error { return l.parse(b, 1) })
	transcripttest.Reuse(t, func(l *line, b []byte) error { return l.parseLink(b, 1) })
}

// TestALinkIsWhatTheWholeLineSays reads tools' results, in forms that only nearly are
// what the host writes, whole and as far as the tree needs it.
func TestALinkIsWhatTheWholeLineSays(t *testing.T) {
	result := `{"parentUuid":"a","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"x \"y\" z","is_error":false}]},"uuid":"b","toolUseResult":{"stdout":"x \"y\" z"},"userType":"e","cwd":"/p"}`
	for _, change := range [][2]string{
		{},
		{`"b"`, `"\""`},
		{`"b"`, `""`},
		{`"b"`, `7`},
		{`"b"`, `null`},
		{`"b"`, `{"b":"c"}`},
		{`false`, `true`},
		{`"user",`, `"assistant",`},
		{`"user",`, `"mode",`},
		{`"a"`, `"a","isMeta":true`},
		{`{"stdout":`, `null,"x":{"stdout":`},
		{`{"stdout":"x \"y\" z"}`, `"x"`},
		{`{"stdout":"x \"y\" z"}`, `["x"]`},
		{`{"stdout":"x \"y\" z"}`, `7`},
		{`:[{`, `:[{"type":"text","text":"u"},{`},
		{`[{"tool`, `[3,{"tool`},
	} {
		b := []byte(strings.Replace(result, change[0], change[1], 1))
		var whole, link line
		err1, err2 := whole.parse(b, 1), link.parseLink(b, 1)
		if fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%s: %v, as a link %v", b, err1, err2)
		}
		if got, want := fmt.Sprintf("%v %v %+v", link.kind, link.side, link.link()), fmt.Sprintf("%v %v %+v", whole.kind, whole.side, whole.link()); err1 == nil && got != want {
			t.Errorf("%s:\n%s, want\n%s", b, got, want)
		}
	}
}
