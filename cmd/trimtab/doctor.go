package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/doctor"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/internal/version"
)

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check everything, and say how to fix what is wrong", Args: none, Example: "  trimtab doctor\n  trimtab doctor --json",
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c.Context()) },
	}
}

func (a *app) doctor(ctx context.Context) error {
	v := version.Read()
	all := []doctor.Finding{{Check: "version", State: doctor.OK, Text: fmt.Sprintf("trimtab %s, %s, %s", v.Version, v.Go, v.System)}}
	all = append(all, a.checkSettings()...)
	all = append(all, a.checkData(ctx)...)
	all = append(all, doctor.Git(ctx), doctor.Terminal(a.terminal.out, a.getenv("TERM")))
	if a.settings != nil {
		all = append(append(all, doctor.Sandbox(a.settings.Tools.Sandbox)), doctor.Certificate(a.settings.Serve.Cert, a.settings.Serve.Key, a.clock())...)
	}
	clients, err := a.clients()
	if err != nil {
		clients = nil // the check of the data folder says why
	}
	all = append(all, doctor.Agents(ctx, a.place, clients)...)
	all = append(all, a.checkImprove(ctx)...)
	if a.flag.json {
		if err := a.printJSON(all); err != nil {
			return err
		}
	} else {
		a.answered(doctor.Write(a.out, all))
	}
	if doctor.AnyWrong(all) {
		return errShown
	}
	return nil
}

func (a *app) checkSettings() []doctor.Finding {
	if err := a.loadSettings(); err != nil {
		return []doctor.Finding{{Check: "settings", State: doctor.Wrong, Text: err.Error(), Mend: "fix or remove the file, or name another with --config"}}
	}
	all := doctor.Settings(a.loaded.User, a.loaded.report.Problems)
	switch p := a.loaded.Project; {
	case p.Idle():
		all = append(all, doctor.Finding{Check: "project", State: doctor.Note, Text: "has no effect: " + p.Why})
	case p.State == trust.Trusted:
		all = append(all, doctor.Finding{Check: "project", State: doctor.OK, Text: filepath.Join(p.Dir, trust.Folder) + " is trusted"})
	}
	return all
}

// checkData looks at the data folder, and at the database in it or on its server.
func (a *app) checkData(ctx context.Context) []doctor.Finding {
	dir, err := a.dataDir()
	if err != nil {
		return []doctor.Finding{{Check: "data", State: doctor.Wrong, Text: err.Error()}}
	}
	var kept doctor.Store
	if a.settings != nil {
		s := a.settings.Store
		kept = doctor.Store{URL: s.URL, Server: s.Postgres, File: s.Config}
	}
	return doctor.Data(ctx, dir, kept)
}

// checkImprove says where improvements of this project would go, and who would do
// them.
func (a *app) checkImprove(ctx context.Context) []doctor.Finding {
	dir, err := setting.Folder()
	if err != nil || setting.Repository(dir) == "" || a.settings == nil {
		return nil
	}
	where, err := a.forgeOf(ctx, setting.Repository(dir))
	return []doctor.Finding{doctor.Forge(ctx, where, where.Why, err), doctor.Improver(a.settings.Improve.Agent, a.settings.Automation.Approval)}
}
