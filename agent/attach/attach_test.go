package attach_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/attach"
)

const png = "\x89PNG\r\n\x1a\n and so on"

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestChat_B10_PicturesGoWithThePrompt, also those with blanks in their names.
func TestChat_B10_PicturesGoWithThePrompt(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	put(t, filepath.Join(dir, "shot.png"), png)
	put(t, filepath.Join(home, "a", "UP.PNG"), png)
	put(t, filepath.Join(dir, "my pic.png"), png)
	put(t, filepath.Join(dir, "text.png"), "no picture")
	put(t, filepath.Join(dir, "large.png"), png+strings.Repeat("x", 4<<20))
	put(t, filepath.Join(dir, "notes.md"), "# Notes")
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text   string
		images int
		left   string // what is said of those left out
	}{
		{"hello", 0, ""},
		{"what is wrong in @shot.png?", 1, ""},
		{"shot.png without the sign", 0, ""},
		{"(see @shot.png), @~/a/UP.PNG and @" + filepath.Join(dir, "shot.png"), 3, ""},
		{"@notes.md is no picture", 0, ""},
		{"@shot.png and @my pic.png", 2, ""}, // B10: every screenshot of a Mac has blanks in its name
		{`@"my pic.png", or @"shot.png"?`, 2, ""},
		{"@no such pic.png", 0, ""},
		{"a@shot.png", 0, ""},
		{"@missing.png", 0, "missing.png was left out: "},
		{"@text.png", 0, "text.png was left out: it holds text/plain; charset=utf-8, not a picture"},
		{"@large.png", 0, "large.png was left out: it is over 4 MB"},
		{"@folder.png @shot.png", 1, "folder.png was left out: it is not a file"},
		{strings.Repeat("@shot.png ", 10), 8, "shot.png was left out: at most 8 pictures go with a prompt\nshot.png was left out: at most 8 pictures go with a prompt"},
	} {
		m, left := attach.Images{Dir: dir, Home: home}.Prompt(c.text)
		if got := strings.Join(left, "\n"); !strings.HasPrefix(got, c.left) || c.left == "" && got != "" {
			t.Errorf("%.40s: left out: %s; want %s", c.text, got, c.left)
		}
		if m.Text() != c.text || m.Role != trimtab.Prompt("").Role {
			t.Errorf("%.40s: the text is %q", c.text, m.Text())
		}
		n := 0
		for _, part := range m.Parts {
			if o, ok := part.(trimtab.Opaque); ok {
				n++
				if o.Kind != "image" || o.By != trimtab.Person || !strings.Contains(string(o.Raw), "image/png") {
					t.Errorf("%+v", o)
				}
			}
		}
		if n != c.images {
			t.Errorf("%.40s: %d pictures; want %d", c.text, n, c.images)
		}
	}
}
