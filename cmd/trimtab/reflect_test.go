package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// aside is the program with folders of its own, and what it says.
func aside(t *testing.T) (a *app, said *lockedBuffer) {
	t.Helper()
	dir := t.TempDir()
	said = &lockedBuffer{}
	a = &app{in: strings.NewReader(""), out: io.Discard, err: said, clock: func() time.Time { return time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC) }}
	a.environ = []string{"HOME=" + dir, "TRIMTAB_DATA=" + filepath.Join(dir, "data"), "TRIMTAB_CONFIG=" + filepath.Join(dir, "trimtab.json")}
	if err := errors.Join(warmHome(dir), os.WriteFile(filepath.Join(dir, "trimtab.json"), []byte(`{"automation": {"approval": "always", "trigger_thresholds": {"min_pattern_count": 5}}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	return a, said
}

func TestR6_AProjectsAutomationConfigCountsOnlyWhileItIsTrusted(t *testing.T) {
	a, said := aside(t)
	project := t.TempDir()
	file := filepath.Join(project, filepath.FromSlash(improve.ProjectFile))
	write := func(text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want bool, says string) {
		t.Helper()
		said.Reset()
		cfg, err := a.automation(project)
		if err != nil || cfg.Enabled != want || !strings.Contains(said.String(), says) || cfg.Approval != "always" || cfg.Thresholds.Count != 5 {
			t.Errorf("enabled %v, %v, says %q, want %q", cfg.Enabled, err, said, says)
		}
	}
	check(false, "")
	write(`{"automation_enabled": true, "approval": "never", "odd": 1}`)
	check(false, "has no effect")
	if err := a.trust(project, true); err != nil {
		t.Fatal(err)
	}
	check(true, "odd: there is no such key (ignored)")
	write(`{"automation_enabled": true, "trigger_thresholds": {"min_pattern_count": 1}}`)
	check(false, "has no effect") // it changed since
}

func TestR6_AProjectsAutomationConfigIsAPlainFileOfTheProject(t *testing.T) {
	a, _ := aside(t)
	project, outside := t.TempDir(), filepath.Join(t.TempDir(), "x.json")
	file := filepath.Join(project, filepath.FromSlash(improve.ProjectFile))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(outside, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, file); err != nil {
		t.Skip("this system makes no links for us:", err)
	}
	if _, err := a.automation(project); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(os.Remove(file), os.WriteFile(file, bytes.Repeat([]byte(" "), improve.MaxProjectFile+1), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.automation(project); err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Errorf("got %v", err)
	}
}

func TestR9_TheEnvironmentSwitchesAutomationOff(t *testing.T) {
	for value, off := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true, "yes": true} {
		a := &app{environ: []string{"AUTOMATION_DISABLED=" + value}}
		if got := a.automationOff(); (got != "") != off {
			t.Errorf("%q: %q", value, got)
		}
	}
}
