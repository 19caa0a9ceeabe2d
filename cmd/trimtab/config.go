package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust/project"
	"github.com/trimtab/trimtab/surface/operate"
)

func configCommand(a *app) *cobra.Command {
	show := &cobra.Command{
		Use: "show", Short: "Show every setting, its value, and where it comes from", Args: none,
		Example: "  trimtab config show\n  trimtab config show --set todoReminder.initialTurns=4 --json",
		RunE:    func(*cobra.Command, []string) error { return a.configShow() },
	}
	validate := &cobra.Command{
		Use: "validate [FILE]", Short: "Check the settings in effect, or a file", Args: between(0, 1), Example: "  trimtab config validate .trimtab/trimtab.json",
		RunE: func(_ *cobra.Command, args []string) error { return a.configValidate(strings.Join(args, "")) },
	}
	print := &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the settings file", Args: none, Example: "  trimtab config schema > trimtab.schema.json",
		RunE: func(*cobra.Command, []string) error {
			raw, err := config.Schema[Settings](schemaID)
			if err == nil {
				_, err = a.out.Write(append(raw, '\n'))
			}
			return err
		},
	}
	edit := &cobra.Command{
		Use: "edit", Short: "Open the user's settings file in $VISUAL or $EDITOR, and check it", Args: none, Example: "  EDITOR=vi trimtab config edit",
		RunE: func(c *cobra.Command, _ []string) error { return a.configEdit(c.Context()) },
	}
	return group("config", "Show, check and edit the settings", show, validate, print, edit, operate.PolicyCommand(a.operation()))
}

// schemaID names the schema; it is not fetched from anywhere.
const schemaID = "urn:trimtab:settings"

func (a *app) configShow() error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	entries := config.Entries(*cfg, a.loaded.report)
	if a.flag.json {
		return a.printJSON(struct {
			File     string           `json:"file"`
			Settings []config.Entry   `json:"settings"`
			Problems []config.Problem `json:"problems"`
		}{a.loaded.User, entries, append([]config.Problem{}, a.loaded.report.Problems...)})
	}
	for _, e := range entries {
		mark := " "
		if e.Origin.Layer != config.BuiltIn {
			mark = "*"
		}
		from := e.Origin.String()
		if e.Locked != nil {
			from += ", locked by " + e.Locked.String()
		}
		a.printf("%s %-34s %-12s %s\n", mark, e.Key, string(e.Value), from)
	}
	return nil
}

func (a *app) configValidate(file string) error {
	problems, name := []config.Problem{}, file
	var notes []string
	if file != "" {
		data, err := setting.Read(file)
		if err != nil {
			return err
		}
		if of, is := project.CheckAutomation(file, data); is { // its keys are those of one section
			problems, notes = append(problems, project.Problems(file, of)...), of.Notes
		} else {
			cfg, report := settle(config.Sources{Layers: []config.Layer{{Name: "file", File: file, Data: data, Managed: a.home().Manages(file)}}})
			problems, notes = append(problems, report.Problems...), cfg.Automation.Notes()
		}
	} else {
		if err := a.loadSettings(); err != nil {
			return err
		}
		problems, name = append(problems, a.loaded.report.Problems...), a.loaded.User
		dir, err := setting.Folder()
		if err != nil {
			return err
		}
		of, err := project.Automation(a.home(), a.settings.Automation, cmp.Or(setting.Repository(dir), dir))
		if err != nil {
			return err
		}
		problems = append(problems, project.Problems(improve.ProjectFile, of)...)
		notes = slices.Concat(of.Notes, steps.ReadGuide(of.Workflow).Notes)
	}
	for _, n := range notes {
		a.progress("%s\n", n)
	}
	if a.flag.json {
		if err := a.printJSON(problems); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			a.printf("%s\n", p)
		}
	}
	if len(problems) > 0 {
		return errShown
	}
	if !a.flag.json {
		a.printf("%s: all settings are in order\n", name)
	}
	return nil
}

// template is the file that edit begins with.
const template = `{
  // Every key, its range and its default: trimtab config schema, trimtab config show.
  // "todoReminder": {"initialTurns": 8, "repeatTurns": 4}
}
`

func (a *app) configEdit(ctx context.Context) error {
	editor := strings.Fields(cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")))
	file, _, err := a.home().ConfigFile()
	if err != nil {
		return err
	}
	if len(editor) == 0 {
		return misused("no editor is set: set VISUAL or EDITOR, or open %s yourself", file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, err = f.WriteString(template)
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.out, a.err
	if err := cmd.Run(); err != nil {
		return misused("%s: %w", editor[0], err)
	}
	return a.configValidate("")
}
