package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/steer/mode"
)

// modeCommand is the verb that enters a mode, with verbs of its own for modes from
// files.
func modeCommand(a *app, d trimtab.Command) *cobra.Command {
	c := &cobra.Command{
		Use: strings.TrimRight(d.Name+" "+d.Usage, " "), Short: d.Short, Args: cobra.ArbitraryArgs, ValidArgsFunction: a.completeMode,
		Long: `A mode is a frame of mind (planning, research, code-review, debugging) or a
session with a goal: phases, limits, and criteria that can be seen to be met.
Without a name it lists them.

Modes of your own are files, one each, with comments if you like: in the folder
modes beside your settings or, once you trust it, in .trimtab/modes of a project.`,
		Example: "  trimtab mode planning\n  trimtab mode copywrite\n  trimtab mode new product-naming --from custom\n  trimtab mode show product-naming",
		RunE:    func(c *cobra.Command, args []string) error { return a.ask(c.Context(), d.Name, args) },
	}
	c.DisableFlagsInUseLine = true
	sessionFlag(c, a)
	c.AddCommand(modeNew(a), modeList(a), modeShow(a), modeValidate(a))
	return c
}

// modes reads the modes from files once. A bad file never hides the good ones.
func (a *app) modes() (*setting.Modes, error) {
	if a.own != nil {
		return a.own, nil
	}
	if _, err := a.config(); err != nil {
		return nil, err
	}
	own, err := a.loaded.Modes()
	if err != nil {
		return nil, err
	}
	a.own = own
	for i, p := range own.Problems {
		if i == 5 {
			a.progress("… and %d more; trimtab mode validate lists them\n", len(own.Problems)-i)
			break
		}
		a.progress("%s (ignored)\n", p)
	}
	return own, nil
}

// allModes are the built-in modes and those from files.
func (a *app) allModes() ([]setting.Mode, error) {
	own, err := a.modes()
	if err != nil {
		return nil, err
	}
	return own.All(), nil
}

// modeDefinitions are all modes; none where their files cannot be read, which was told
// when they were first asked for.
func (a *app) modeDefinitions() []mode.Definition {
	all, err := a.allModes()
	if err != nil {
		return nil
	}
	var defs []mode.Definition
	for _, m := range all {
		defs = append(defs, m.Definition)
	}
	return defs
}

func (a *app) completeMode(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all, err := a.allModes()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, m := range all {
		ids = append(ids, m.ID+"\t"+firstLine(m.Description, 60))
	}
	return append(ids, "+", "-"), cobra.ShellCompDirectiveNoFileComp
}

func modeList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all modes and where each comes from", Args: none, Example: "  trimtab mode list\n  trimtab mode list --json",
		RunE: func(*cobra.Command, []string) error {
			all, err := a.allModes()
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(all)
			}
			a.printf("%s", setting.ListModes(all))
			return nil
		},
	}
}

func modeShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show MODE", Short: "Show a mode: its goal, phases, limits, criteria, and what the agent is told", Args: between(1, 1),
		Example: "  trimtab mode show copywrite\n  trimtab mode show planning --json", ValidArgsFunction: a.completeMode,
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := a.findMode(args[0])
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(m)
			}
			a.printf("%s", m.Describe())
			return nil
		},
	}
}

func (a *app) findMode(id string) (setting.Mode, error) {
	own, err := a.modes()
	if err != nil {
		return setting.Mode{}, err
	}
	m, err := own.Find(id)
	if err != nil {
		return m, misused("%w\ntrimtab mode list shows them all", err)
	}
	return m, nil
}

func modeValidate(a *app) *cobra.Command {
	var schema bool
	c := &cobra.Command{
		Use: "validate [FILE…]", Short: "Check the files of modes: your own and a trusted project's, or those that are named", Args: cobra.ArbitraryArgs,
		Example: "  trimtab mode validate\n  trimtab mode validate .trimtab/modes/naming.json\n  trimtab mode validate --schema > mode.schema.json",
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				_, err := a.out.Write(mode.Schema())
				return err
			}
			return a.validateModes(args)
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a mode's file")
	return c
}

func (a *app) validateModes(files []string) error {
	own := &setting.Modes{}
	if len(files) == 0 {
		quiet := a.flag.quiet
		a.flag.quiet = true // they are told below
		var err error
		own, err = a.modes()
		a.flag.quiet = quiet
		if err != nil {
			return err
		}
	}
	for _, file := range files {
		own.Read(file)
	}
	if a.flag.json {
		if err := a.printJSON(struct {
			Modes    []setting.Mode `json:"modes"`
			Problems []mode.Problem `json:"problems"`
		}{append([]setting.Mode{}, own.List...), append([]mode.Problem{}, own.Problems...)}); err != nil {
			return err
		}
	} else {
		for _, p := range own.Problems {
			a.printf("%s\n", p)
		}
		for _, m := range own.List {
			a.printf("%s: %s is good\n", m.Source, m.ID)
		}
	}
	if len(own.Problems) > 0 {
		return errShown
	}
	if len(own.List) == 0 && len(files) == 0 {
		a.progress("no modes of your own in %s\n", a.loaded.ModeFolder())
	}
	return nil
}

func modeNew(a *app) *cobra.Command {
	var from string
	var project, force bool
	c := &cobra.Command{
		Use: "new ID", Short: "Write the file of a new mode, ready to be changed", Args: between(1, 1),
		Example: "  trimtab mode new product-naming\n  trimtab mode new launch-copy --from copywrite\n  trimtab mode new naming --project",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.newMode(args[0], from, project, force)
		},
	}
	c.Flags().StringVar(&from, "from", mode.Custom, "the `mode` to begin with")
	c.Flags().BoolVar(&project, "project", false, "in .trimtab/modes of this folder, for everybody who trusts it")
	c.Flags().BoolVar(&force, "force", false, "overwrite the file")
	_ = c.RegisterFlagCompletionFunc("from", a.completeMode)
	return c
}

func (a *app) newMode(id, from string, project, force bool) error {
	base, err := a.findMode(from)
	if err != nil {
		return err
	}
	def := mode.Template(base.Definition, id)
	for _, f := range mode.Check(def) {
		return misused("%s", f.Error())
	}
	file, data, err := a.loaded.NewModeFile(def, project)
	if err != nil {
		return err
	}
	if err := setting.CreateWith(file, force, data); err != nil {
		return err
	}
	a.printf("%s\n", file)
	a.progress("change it as you like, look at it with trimtab mode show %s, enter it with trimtab mode %s\n", id, id)
	if project {
		a.progress("it takes effect once the folder is trusted: trimtab trust\n")
	}
	return nil
}
