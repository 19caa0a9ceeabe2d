package git_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/trimtab/trimtab/forge/git"
)

func TestX2_OneRepositoryHasOneAddress(t *testing.T) {
	const same = "github.com/ann/soundings"
	for _, text := range []string{
		"https://github.com/ann/soundings", "https://github.com/ann/soundings.git", "https://github.com/ann/soundings/", "https://github.com/ann/soundings.git/",
		"HTTPS://GitHub.COM/Ann/Soundings.git", "https://github.com:443/ann/soundings", "http://github.com:80/ann/soundings", "https://github.com:/ann/soundings",
		"https://ann:secret@github.com/ann/soundings.git", "https://token@github.com/ann/soundings", "https://github.com//ann//soundings", "https://github.com./ann/soundings",
		"git@github.com:ann/soundings.git", "github.com:ann/soundings", "git@github.com:/ann/soundings.git", "ann@GITHUB.com:Ann/soundings",
		"ssh://git@github.com/ann/soundings.git", "ssh://git@github.com:22/ann/soundings", "ssh://git@ssh.github.com:443/ann/soundings.git",
		"git+ssh://git@github.com/ann/soundings", "git://github.com/ann/soundings.git", "git://github.com:9418/ann/soundings", " https://github.com/ann/soundings\n",
	} {
		if at, ok := git.ParseAddress(text); !ok || at.String() != same {
			t.Errorf("%q: %q, %v", text, at, ok)
		}
	}
	for text, want := range map[string]string{
		"https://git.example.org/Ann/Soundings":         "git.example.org/Ann/Soundings", // who knows whether it folds case
		"https://git.example.org:8443/ann/x":            "git.example.org:8443/ann/x",
		"http://git.example.org:443/ann/x":              "git.example.org/ann/x",
		"ssh://git@git.example.org:2222/ann/x.git":      "git.example.org/ann/x",
		"https://gitlab.com/group/sub/project.git":      "gitlab.com/group/sub/project",
		"git@[fe80::1]:ann/x.git":                       "[fe80::1]/ann/x",
		"ssh://git@[fe80::1]:22/ann/x.git":              "[fe80::1]/ann/x",
		"https://[fe80::1]:443/ann/x":                   "[fe80::1]/ann/x",
		"https://example.org/x":                         "example.org/x",
		"https://user@example.org:pass@example.org/x":   "example.org/x",
		"https://dev.azure.com/org/my%20project/_git/x": "dev.azure.com/org/my project/_git/x",
	} {
		if at, ok := git.ParseAddress(text); ok != (want != "") || ok && at.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, at, ok, want)
		}
	}
	for _, text := range []string{
		"", "origin", "/srv/git/x.git", "./x", "../x", "~/x", `C:\git\x`, "C:/git/x", "c:x", "file:///srv/git/x", "ext::sh -c id", "https://", "https:///x", "https://github.com", "https://github.com/.git",
		"https://github.com/a/../b", "https://github.com/a/%2e%2e/b", "github.com:../x", "-oProxyCommand=x:y", "ssh://-x/y", "https://github.com/a\x00b", "https://github.com/\xff", "https://github.com/" + strings.Repeat("a", 3000),
		"ftp://github.com/a/b", "://", "https://[::1", "a b:c/d",
	} {
		if at, ok := git.ParseAddress(text); ok {
			t.Errorf("%q was taken for %q", text, at)
		}
	}
}

func FuzzX2_ParseAddress(f *testing.F) {
	for _, s := range []string{"https://github.com/a/b.git", "git@github.com:a/b", "ssh://x:1/y/z", "a:b/c", "://", "https://[::1]:8/a/b", "git@[fe80::1]:a/b", "https://u:p@h/a//b.git/", "x:y.git.git/", "https://h:443:443/x", "http://0:443/0", "https://0:80/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := git.ParseAddress(s)
		if !ok {
			if at != (git.Address{}) {
				t.Errorf("%q is refused and gives %+v", s, at)
			}
			return
		}
		if at.Host == "" || at.Path == "" || strings.ContainsAny(at.Host, "@/") || at.Host != strings.ToLower(at.Host) {
			t.Errorf("%q: %+v", s, at)
		}
		for _, part := range strings.Split(at.Path, "/") {
			if part == "" || part == "." || part == ".." {
				t.Errorf("%q: %+v", s, at)
			}
		}
		// Whoever writes the address down and reads it again means the same.
		for _, way := range []string{"https://" + at.String(), "ssh://git@" + at.String() + "/"} {
			if strings.HasPrefix(way, "ssh") && strings.Contains(at.Host, ":") && !strings.HasSuffix(at.Host, "]") {
				continue // a port of a web server
			}
			if again, ok := git.ParseAddress(way); strings.ContainsFunc(at.Path, unicode.IsSpace) || strings.HasSuffix(at.Path, ".git") || strings.HasSuffix(at.Host, ".") {
				continue // a repository that is called so
			} else if !ok || again.String() != at.String() {
				t.Errorf("%q: %q, then %q by %q, %v", s, at, again, way, ok)
			}
		}
	})
}
