package relay

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args []string
		want Words
		ok   bool
	}{
		{[]string{"claude", "Stop"}, Words{Host: "claude", Event: "Stop"}, true},
		{[]string{"--data", "d", "claude", "Stop"}, Words{"d", "claude", "Stop"}, true},
		{[]string{"--data", "claude"}, Words{Data: "claude"}, false},
		{[]string{"--data"}, Words{}, false},
		{[]string{"claude"}, Words{}, false},
		{[]string{"claude", "Stop", "more"}, Words{}, false},
		{nil, Words{}, false},
	} {
		if got, ok := Parse(c.args); ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %+v, %v", c.args, got, ok)
		}
	}
}

func TestWhatIsNowhereIsNotFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := Find("no-such-program"); got != "" {
		t.Errorf("found %s", got)
	}
}
