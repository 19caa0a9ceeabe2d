package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// TestR7_SessionsThatStopAtOnceStayUnderTheCaps: each was judged while none of the
// others was filed. What is over a cap waits for a person.
func TestR7_SessionsThatStopAtOnceStayUnderTheCaps(t *testing.T) {
	data, project := t.TempDir(), t.TempDir()
	var out, problems bytes.Buffer
	a := &app{out: &out, err: &problems, environ: []string{"TRIMTAB_DATA=" + data, "HOME=" + data}, clock: time.Now}
	t.Cleanup(func() { _ = a.close() })
	if _, err := git.New(a.environ).In(project).Run(t.Context(), "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	type stop struct {
		l *lookedBack
		c improve.Case
		v improve.Verdict
	}
	var stops []stop
	for i := range 6 {
		l := &lookedBack{project: project, cfg: improve.Config{Enabled: true, Approval: "never"}}
		l.cfg.Thresholds.Cooldown = &zero
		if err := a.situate(t.Context(), l, false); err != nil {
			t.Fatal(err)
		}
		p := improve.Pattern{Type: "error_patterns", Severity: improve.High, Count: 6, Fingerprint: fmt.Sprintf("74fab9b2ddbe5d9%d", i)}
		c := improve.Case{Pattern: p, Worthy: true, Project: project}
		v := a.verdict(t.Context(), l, c)
		if !v.Fire || v.State != improve.Queued {
			t.Fatalf("%+v", v)
		}
		stops = append(stops, stop{l, c, v})
	}
	n := map[improve.State]int{}
	for _, s := range stops {
		_, state, err := a.fileByItself(t.Context(), s.l, s.c, s.v)
		if err != nil {
			t.Fatal(err)
		}
		n[state]++
	}
	if n[improve.Queued] != 3 || n[improve.Awaiting] != 3 { // the daily cap
		t.Errorf("%v", n)
	}
}
