package main

import (
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

func TestTheColumnsOfTheListStandUnderEachOther(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: new(strings.Builder), clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
	service, err := a.sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, host := range map[string]string{"short": "trimtab", "20261115-230510-tntkz4.r1": "deliberate"} {
		if _, err := service.Begin(t.Context(), trimtab.Info{ID: id, Host: host, Title: "the title"}); err != nil {
			t.Fatal(err)
		}
	}
	if code := run(t.Context(), a, []string{"session", "list", "--all"}); code != done {
		t.Fatalf("exit code %d, stderr %q", code, a.err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || strings.Index(lines[0], "the title") != strings.Index(lines[1], "the title") {
		t.Errorf("the list:\n%s", out.String())
	}
}
