package term

import (
	"strings"
	"testing"
)

func TestAScreenShowsWhatATerminalShows(t *testing.T) {
	for name, tt := range map[string]struct{ write, want string }{
		"lines":                 {"one\r\ntwo", "one\ntwo"},
		"wrap at the edge":      {"0123456789ab", "0123456789\nab"},
		"no wrap before a rune": {"0123456789\r\nab", "0123456789\nab"},
		"scroll":                {"1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5"},
		"cursor":                {"\x1b[2;3Hx\x1b[Ay\x1b[1Gz", "z  y\n  x"},
		"erase to the end":      {"abcdef\x1b[3G\x1b[K", "ab"},
		"erase the screen":      {"abc\r\ndef\x1b[2Jx", "\n   x"},
		"erase characters":      {"abcdef\x1b[2G\x1b[3X", "a   ef"},
		"delete characters":     {"abcdef\x1b[2G\x1b[3P", "aef"},
		"insert characters":     {"abcdef\x1b[2G\x1b[2@", "a  bcdef"},
		"insert a line":         {"1\r\n2\r\n3\x1b[2H\x1b[L", "1\n\n2\n3"},
		"delete a line":         {"1\r\n2\r\n3\x1b[2H\x1b[M", "1\n3"},
		"scroll a part":         {"1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3H\n", "1\n3\n\n4"},
		"up at the top":         {"1\r\n2\x1b[H\x1bM", "\n1\n2"},
		"repeat":                {"a\x1b[4b", "aaaaa"},
		"wide":                  {"日本x", "日本x"},
		"wide at the edge":      {"012345678日", "012345678\n日"},
		"combining":             {"e\u0301x", "e\u0301x"},
		"alternate screen":      {"main\x1b[?1049h\x1b[Hother\x1b[?1049l!", "main!"},
		"unknown":               {"a\x1b[>4;2m\x1b]8;;http://x\x07b\x1b]8;;\x07\x1bPq\x1b\\c", "abc"},
		"tabs":                  {"a\tb", "a       b"},
		"rest of a sequence":    {"a\x1b[3", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []int{1, 3, len(tt.write)} { // however it comes
				s := NewScreen(10, 4)
				for rest := tt.write; rest != ""; rest = rest[min(step, len(rest)):] {
					_, _ = s.Write([]byte(rest[:min(step, len(rest))]))
				}
				if got := s.Text(); got != tt.want {
					t.Errorf("in pieces of %d:\n%s\nwant\n%s", step, got, tt.want)
				}
			}
		})
	}
}

func TestAScreenAnswersAndRemembers(t *testing.T) {
	s := NewScreen(10, 4)
	_, _ = s.Write([]byte("\x1b]2;trimtab\x07\x1b[?2004h\x1b]52;c;aGk=\x07\x1b[31mr\x1b[0mp\x1b[6n"))
	if s.Title() != "trimtab" || !s.Mode(2004) || s.Clipboard() != "c;aGk=" || s.Style(0, 0) != "31" || s.Style(1, 0) != "" {
		t.Errorf("title %q, paste %v, clipboard %q, styles %q and %q", s.Title(), s.Mode(2004), s.Clipboard(), s.Style(0, 0), s.Style(1, 0))
	}
	if got := string(s.Answers()); got != "\x1b[1;3R" {
		t.Errorf("answers %q", got)
	}
	_, _ = s.Write([]byte(strings.Repeat("\r\nx", 5)))
	if h := s.History(); len(h) != 2 || h[0] != "rp" {
		t.Errorf("history %q", h)
	}
	s.Resize(4, 2)
	if s.Text() == "" {
		t.Error("nothing is left after a resize")
	}
}

func FuzzScreen(f *testing.F) {
	f.Add("a\x1b[2;9H日\x1b[5L\x1b[99@\x1b[3;1r\n\x1bM\x1bc", uint8(3), uint8(2))
	f.Fuzz(func(t *testing.T, text string, w, h uint8) {
		s := NewScreen(int(w%50)+2, int(h%20)+1)
		_, _ = s.Write([]byte(text))
		s.Resize(int(h%50)+2, int(w%20)+1)
		_, _ = s.Write([]byte(text))
		_ = s.Text()
	})
}

func TestAPictureOfTheScreen(t *testing.T) {
	s := NewScreen(12, 2)
	_, _ = s.Write([]byte("\x1b[1;31mred<\x1b[0m \x1b[38;5;196mx\x1b[48;2;1;2;3m日\x1b[m\r\nplain"))
	got := string(s.SVG())
	for _, want := range []string{`fill="#e06c75" font-weight="bold"`, "red&lt;", "#ff0000", "#010203", "日", ">plain<"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
}
