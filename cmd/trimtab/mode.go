package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/trust"
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

// ownMode is a mode and where it comes from.
type ownMode struct {
	mode.Definition
	Source string `json:"source"` // "built in", or its file
}

// ownModes are the modes from files, and what is wrong with the rest.
type ownModes struct {
	list     []ownMode
	problems []mode.Problem
}

const maxModes = 200 // files that are read

// modes reads the modes from files once. A bad file never hides the good ones.
func (a *app) modes() (*ownModes, error) {
	if a.own != nil {
		return a.own, nil
	}
	if _, err := a.config(); err != nil {
		return nil, err
	}
	own := &ownModes{}
	dir := a.modeFolder()
	names, err := filepath.Glob(filepath.Join(globSafe(dir), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("modes in %s: %w", dir, err)
	}
	for _, file := range names[:min(len(names), maxModes)] {
		data, err := readMode(file)
		own.add(file, data, err)
	}
	if p := a.loaded.project; p.state == trust.Trusted {
		if err := a.projectModes(own, p.dir); err != nil {
			return nil, err
		}
	}
	a.own = own
	for i, p := range own.problems {
		if i == 5 {
			a.progress("… and %d more; trimtab mode validate lists them\n", len(own.problems)-i)
			break
		}
		a.progress("%s (ignored)\n", p)
	}
	return own, nil
}

// modeFolder is where a person's own modes are.
func (a *app) modeFolder() string { return filepath.Join(filepath.Dir(a.loaded.user), "modes") }

// globSafe guards a folder's name against being taken as a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// projectModes takes the modes of a project, from the very bytes that are trusted.
func (a *app) projectModes(own *ownModes, dir string) error {
	book, err := a.trustBook()
	if err != nil {
		return err
	}
	files, _, err := book.Files(dir)
	if err != nil {
		return err
	}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if ok, err := path.Match("modes/*.json", name); err != nil || !ok {
			continue
		}
		if n++; n <= maxModes {
			own.add(filepath.Join(dir, trust.Folder, filepath.FromSlash(name)), files[name], nil)
		}
	}
	return nil
}

func (o *ownModes) add(file string, data []byte, err error) {
	if err != nil {
		o.problems = append(o.problems, mode.Problem{File: file, Text: err.Error()})
		return
	}
	def, problems := mode.Parse(file, data)
	o.problems = append(o.problems, problems...)
	if len(problems) > 0 {
		return
	}
	for _, other := range o.list {
		if other.ID == def.ID {
			o.problems = append(o.problems, mode.Problem{File: file, Line: 1, Path: "id", Text: fmt.Sprintf("the mode %q is in %s already; give another id", def.ID, other.Source)})
			return
		}
	}
	o.list = append(o.list, ownMode{def, file})
}

// readMode reads a file, a little more than is allowed at most.
func readMode(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no file")
	}
	return io.ReadAll(io.LimitReader(f, mode.MaxFile+1))
}

// allModes are the built-in modes, with those from files beside them or in the
// place of the one that may be replaced.
func (a *app) allModes() ([]ownMode, error) {
	own, err := a.modes()
	if err != nil {
		return nil, err
	}
	var all []ownMode
	for _, def := range append(mode.BuiltIn(), mode.Sessions()...) {
		if !slices.ContainsFunc(own.list, func(m ownMode) bool { return m.ID == def.ID }) {
			all = append(all, ownMode{def, "built in"})
		}
	}
	return append(all, own.list...), nil
}

// definitions are the modes from files, for the engine.
func (o *ownModes) definitions() []mode.Definition {
	var out []mode.Definition
	for _, m := range o.list {
		out = append(out, m.Definition)
	}
	return out
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
			wide := 0
			for _, m := range all {
				wide = max(wide, len(m.ID))
			}
			for _, m := range all {
				a.printf("%s  %s\n", fmt.Sprintf("%-*s", wide, m.ID), or(m.Description, m.Name))
				if m.Source != "built in" {
					a.printf("%s  %s\n", strings.Repeat(" ", wide), m.Source)
				}
			}
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
			a.showMode(m)
			return nil
		},
	}
}

func (a *app) findMode(id string) (ownMode, error) {
	all, err := a.allModes()
	if err != nil {
		return ownMode{}, err
	}
	var ids []string
	for _, m := range all {
		if strings.EqualFold(m.ID, id) || strings.EqualFold(m.Name, id) {
			return m, nil
		}
		ids = append(ids, m.ID)
	}
	text := fmt.Sprintf("no mode is called %q", id)
	if near := config.Nearest(id, ids); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return ownMode{}, misused("%s\ntrimtab mode list shows them all", text)
}

func (a *app) showMode(m ownMode) {
	a.printf("%s  %s (%s)\n", m.ID, strings.TrimSpace(m.Icon+" "+m.Name), m.Source)
	if m.Description != "" {
		a.printf("  %s\n", m.Description)
	}
	for i, p := range m.Phases {
		limit := ""
		if p.Most > 0 {
			limit = fmt.Sprintf(", at most %d messages", p.Most)
		}
		a.printf("  phase %d  %s%s: %s\n", i+1, p.Title(), limit, p.Focus)
	}
	for _, c := range m.Criteria() {
		a.printf("  criterion  %s: %s\n", c.ID, or(c.Description, "–"))
	}
	if text := m.ResearchLimits(); text != "" {
		a.printf("  research  %s\n", text)
	}
	if m.Most > 0 {
		a.printf("  messages  %d at most\n", m.Most)
	}
	if text := m.Opening(); text != "" {
		a.printf("\n%s\n", text)
	}
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
	own := &ownModes{}
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
		data, err := readMode(file)
		own.add(file, data, err)
	}
	if a.flag.json {
		if err := a.printJSON(struct {
			Modes    []ownMode      `json:"modes"`
			Problems []mode.Problem `json:"problems"`
		}{append([]ownMode{}, own.list...), append([]mode.Problem{}, own.problems...)}); err != nil {
			return err
		}
	} else {
		for _, p := range own.problems {
			a.printf("%s\n", p)
		}
		for _, m := range own.list {
			a.printf("%s: %s is good\n", m.Source, m.ID)
		}
	}
	if len(own.problems) > 0 {
		return errShown
	}
	if len(own.list) == 0 && len(files) == 0 {
		a.progress("no modes of your own in %s\n", a.modeFolder())
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

func (a *app) newMode(id, from string, project, force bool) (err error) {
	base, err := a.findMode(from)
	if err != nil {
		return err
	}
	def := base.Definition
	def.ID, def.Name = id, titleOf(id)
	if from == mode.Custom {
		def.Description = "what the mode is for, in one line"
		def.Success = []mode.Criterion{{ID: "answer", Description: "the answer, with its reasons"}}
	}
	if !def.HasGoal() && def.Entry == "" {
		def.Entry = "What the agent should keep in mind in this mode."
	}
	for _, f := range mode.Check(def) {
		return misused("%s", f.Error())
	}
	data, err := modeFile(def)
	if err != nil {
		return err
	}
	dir := a.modeFolder()
	if project {
		here, err := a.folder()
		if err != nil {
			return err
		}
		dir = filepath.Join(here, trust.Folder, "modes")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(dir, id+".json")
	f, err := create(file, force)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	a.printf("%s\n", file)
	a.progress("change it as you like, look at it with trimtab mode show %s, enter it with trimtab mode %s\n", id, id)
	if project {
		a.progress("it takes effect once the folder is trusted: trimtab trust\n")
	}
	return nil
}

// modeFile is a definition as a file with a few words on top.
func modeFile(def mode.Definition) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// A mode of your own. Every part but id, name and one of goal, phases and prompts\n// is optional. trimtab mode validate checks it; with --schema it prints what there is.\n")
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(def); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// titleOf makes a name of an id: product-naming is Product Naming.
func titleOf(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}
