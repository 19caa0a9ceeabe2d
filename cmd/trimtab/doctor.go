package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
)

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check everything, and say how to fix what is wrong", Args: none, Example: "  trimtab doctor\n  trimtab doctor --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c.Context()) },
	}
}

// finding is what the doctor says of one thing.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, note or wrong
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
}

func (a *app) doctor(ctx context.Context) error {
	v := versionOf()
	findings := []finding{{"version", "ok", fmt.Sprintf("trimtab %s, %s, %s", v.Version, v.Go, v.System), ""}}
	findings = append(findings, a.checkSettings()...)
	findings = append(findings, a.checkData(ctx)...)
	findings = append(findings, checkGit(ctx), a.checkTerminal())
	findings = append(findings, a.checkAgents(ctx)...)
	findings = append(findings, a.checkImprove(ctx)...)
	wrong := 0
	for _, f := range findings {
		if f.State == "wrong" {
			wrong++
		}
		if a.flag.json {
			continue
		}
		a.printf("%-6s %-9s %s\n", f.State, f.Check, f.Text)
		if f.Mend != "" {
			a.printf("%-16s → %s\n", "", f.Mend)
		}
	}
	if a.flag.json {
		if err := a.printJSON(findings); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return errShown
	}
	return nil
}

func (a *app) checkSettings() []finding {
	if err := a.loadSettings(); err != nil {
		return []finding{{"settings", "wrong", err.Error(), "fix or remove the file, or name another with --config"}}
	}
	var out []finding
	if n := len(a.loaded.report.Problems); n > 0 {
		for _, p := range a.loaded.report.Problems {
			out = append(out, finding{"settings", "wrong", p.Error(), ""})
		}
	} else {
		text := a.loaded.User
		if _, err := os.Stat(a.loaded.User); errors.Is(err, fs.ErrNotExist) {
			text += " does not exist; every setting has its default"
		}
		out = append(out, finding{"settings", "ok", text, ""})
	}
	switch p := a.loaded.Project; {
	case p.Idle():
		out = append(out, finding{"project", "note", "has no effect: " + p.Why, ""})
	case p.State == trust.Trusted:
		out = append(out, finding{"project", "ok", filepath.Join(p.Dir, ".trimtab") + " is trusted", ""})
	}
	return out
}

// checkData looks at the folder and the database without making either.
func (a *app) checkData(ctx context.Context) []finding {
	dir, err := a.dataDir()
	if err != nil {
		return []finding{{"data", "wrong", err.Error(), ""}}
	}
	info, err := os.Stat(dir)
	problem := writable(dir)
	switch {
	case problem != nil:
		return append([]finding{{"data", "wrong", fmt.Sprintf("%s cannot be written: %v", dir, problem), "make it writable, or name another with --data or TRIMTAB_DATA"}}, a.checkStore(ctx, dir)...)
	case errors.Is(err, fs.ErrNotExist):
		out := []finding{{"data", "ok", dir + " does not exist yet; it is made with the first session", ""}}
		if a.settings != nil && a.settings.Store.URL != "" {
			out = append(out, a.checkServer(ctx))
		}
		return out
	case err != nil:
		return []finding{{"data", "wrong", err.Error(), ""}}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return append([]finding{{"data", "wrong", fmt.Sprintf("%s can be read by others (%v)", dir, info.Mode().Perm()), "chmod 700 " + dir}}, a.checkStore(ctx, dir)...)
	}
	return append([]finding{{"data", "ok", dir, ""}}, a.checkStore(ctx, dir)...)
}

// writable tries whether something can be made in a folder, or in the one above
// it where it is still to be made. Nothing stays behind.
func writable(dir string) error {
	for {
		made, err := os.MkdirTemp(dir, ".trimtab-*")
		if err == nil {
			return os.Remove(made)
		}
		up := filepath.Dir(dir)
		if _, there := os.Lstat(dir); up == dir || !errors.Is(there, fs.ErrNotExist) {
			return err
		}
		dir = up
	}
}

// checkServer looks at the database server without changing anything there.
func (a *app) checkServer(ctx context.Context) finding {
	ready, err := postgres.Look(ctx, a.settings.Store.URL, a.settings.Store.Postgres)
	switch {
	case err != nil:
		return finding{"database", "wrong", err.Error(), ""}
	case !ready:
		return finding{"database", "ok", "the server of store.url answers; the tables are made or brought up to date with the first session", ""}
	}
	return finding{"database", "ok", "the server of store.url answers and has the tables", ""}
}

// checkStore looks at the server, or else at the file.
func (a *app) checkStore(ctx context.Context, dir string) []finding {
	if a.settings != nil && a.settings.Store.URL != "" {
		return []finding{a.checkServer(ctx)}
	}
	file := filepath.Join(dir, "trimtab.db")
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []finding{{"database", "ok", file + " does not exist yet", ""}}
	}
	if err != nil {
		return []finding{{"database", "wrong", err.Error(), ""}}
	}
	var out []finding
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		out = append(out, finding{"database", "wrong", fmt.Sprintf("%s can be read by others (%v)", file, info.Mode().Perm()), "chmod 600 " + file})
	}
	cfg := sqlite.Config{}
	if a.settings != nil {
		cfg = a.settings.Store.Config
	}
	st, err := sqlite.Open(ctx, file, cfg)
	if err == nil {
		err = errors.Join(st.Check(ctx), st.Close())
	}
	switch {
	case errors.Is(err, trimtab.ErrDamaged):
		return append(out, finding{"database", "wrong", err.Error(), "move the file away to start afresh, or put a backup in its place"})
	case err != nil:
		return append(out, finding{"database", "wrong", err.Error(), ""})
	}
	return append(out, finding{"database", "ok", fmt.Sprintf("%s, %d KB, whole", file, info.Size()/1024), ""})
}

func checkGit(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return finding{"git", "note", "not found: " + err.Error(), "install git; the chat works without it"}
	}
	return finding{"git", "ok", strings.TrimSpace(string(out)), ""}
}

func (a *app) checkTerminal() finding {
	if !a.terminal.out {
		return finding{"terminal", "note", "the output is not a terminal", ""}
	}
	return finding{"terminal", "ok", "TERM is " + cmp.Or(a.getenv("TERM"), "not set"), ""}
}

// checkImprove says where improvements of this project would go, and who would do
// them.
func (a *app) checkImprove(ctx context.Context) []finding {
	dir, err := setting.Folder()
	if err != nil || setting.Repository(dir) == "" || a.settings == nil {
		return nil
	}
	var out []finding
	where, err := a.forgeOf(ctx, setting.Repository(dir))
	switch {
	case err != nil:
		out = append(out, finding{"forge", "note", err.Error(), ""})
	case where.HasToken(ctx) != nil:
		out = append(out, finding{"forge", "note", where.String() + ": " + where.HasToken(ctx).Error(), "only trimtab improve needs it; forge.kind local needs no account"})
	default:
		out = append(out, finding{"forge", "ok", where.String() + " (" + where.Why + ")", ""})
	}
	agent := a.settings.Improve.Agent
	switch agent {
	case "demo", "own", "command":
		return append(out, finding{"improve", "ok", "agent " + agent, ""})
	}
	if _, err := exec.LookPath(agent); err != nil {
		return append(out, finding{"improve", "note", "the agent " + agent + ", which does the steps of improvements, is not installed", "install it, or choose another with improve.agent"})
	}
	return append(out, finding{"improve", "ok", "agent " + agent + ", approval " + a.settings.Automation.Approval, ""})
}
