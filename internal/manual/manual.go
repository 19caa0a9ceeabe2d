// Package manual writes the reference of the commands from the commands themselves: one
// Markdown page for the documents, and man pages for packages. Nothing in it is written by
// hand, so that neither can say what the program does not do.
//
//	err := manual.Markdown(os.Stdout, root)
//	root.AddCommand(manual.Command(out, "0.1.0", schema))
package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Command writes the reference of the program that it is part of, for whoever makes a
// package. schema is that of the settings.
func Command(out func() io.Writer, version string, schema func() ([]byte, error)) *cobra.Command {
	var man string
	var settings bool
	c := &cobra.Command{
		Use: "manual", Short: "Write the reference of all commands as Markdown, or as man pages", Hidden: true, Args: cobra.NoArgs,
		Example: "  trimtab manual > docs/reference/commands.md\n  trimtab manual --settings > docs/reference/all-settings.md\n  trimtab manual --man man/",
		RunE: func(c *cobra.Command, _ []string) error {
			if man != "" {
				return writeMan(man, c.Root(), version)
			}
			if settings {
				raw, err := schema()
				if err != nil {
					return err
				}
				return Settings(out(), raw)
			}
			return Markdown(out(), c.Root())
		},
	}
	c.Flags().BoolVar(&settings, "settings", false, "write the reference of the settings")
	c.Flags().StringVar(&man, "man", "", "write man pages into this `folder`")
	return c
}

// said is a line of an example with what it does behind it, as help shows it: in a block of
// shell that is a comment.
var said = regexp.MustCompile(`(?m)^([^#\n]*?\S)( {2,})([^#\s].*)$`)

// commands are root and all below it that a person may call, in the order of help.
func commands(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			all = append(all, commands(c)...)
		}
	}
	return all
}

// flags are what a command takes beside those of the command above it, by name.
func flags(c *cobra.Command) []*pflag.Flag {
	var all []*pflag.Flag
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			all = append(all, f)
		}
	})
	return all
}

// flagText is a flag as one writes it, and what it does.
func flagText(f *pflag.Flag) (form, use string) {
	value, use := pflag.UnquoteUsage(f)
	form = "--" + f.Name
	if f.Shorthand != "" {
		form = "-" + f.Shorthand + ", " + form
	}
	if value != "" {
		form += " " + value
	}
	switch f.DefValue {
	case "", "false", "0", "[]":
	default:
		use += " (default " + f.DefValue + ")"
	}
	return form, use
}

// about is what a command says of itself.
func about(c *cobra.Command) string {
	if c.Long != "" {
		return strings.TrimSpace(c.Long)
	}
	return c.Short + "."
}

// Markdown writes one page about all commands.
func Markdown(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `" + root.Name() + " manual` from the commands themselves; `--help` says the same. Flags of `" + root.Name() + "` that stand at every command are told once, at the top.\n")
	for _, c := range commands(root) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.CommandPath(), markdown(about(c)))
		if c.Runnable() {
			b.WriteString("```text\n" + c.UseLine() + "\n```\n")
		}
		if f := flags(c); len(f) > 0 {
			b.WriteString("\n| flag | |\n|---|---|\n")
			for _, f := range f {
				form, use := flagText(f)
				fmt.Fprintf(&b, "| `%s` | %s |\n", form, strings.ReplaceAll(markdown(use), "|", `\|`))
			}
		}
		if c.Example != "" {
			b.WriteString("\n```sh\n" + said.ReplaceAllString(unindent(c.Example), "$1$2# $3") + "\n```\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown keeps a text from being read as markup.
func markdown(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`).Replace(text)
}

func unindent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// writeMan writes a man page for each command into a folder, which is made.
func writeMan(dir string, root *cobra.Command, version string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // for everybody to read
		return err
	}
	all := commands(root)
	for _, c := range all {
		if err := os.WriteFile(filepath.Join(dir, page(c)+".1"), []byte(man(c, all, version)), 0o644); err != nil { //nolint:gosec // for everybody to read
			return err
		}
	}
	return nil
}

func page(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// man is one page, in the macros that every man program knows.
func man(c *cobra.Command, all []*cobra.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Trimtab\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(page(c)), "trimtab "+version, page(c), roff(c.Short))
	if c.Runnable() {
		b.WriteString(".SH SYNOPSIS\n.nf\n" + roff(c.UseLine()) + "\n.fi\n")
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, part := range strings.Split(about(c), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(part) + "\n")
	}
	if f := flags(c); len(f) > 0 {
		b.WriteString(".SH OPTIONS\n")
		for _, f := range f {
			form, use := flagText(f)
			b.WriteString(".TP\n\\fB" + roff(form) + "\\fR\n" + roff(use) + "\n")
		}
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(unindent(c.Example)) + "\n.fi\n")
	}
	var also []string
	for _, other := range all {
		if other == c.Parent() || other.Parent() == c {
			also = append(also, "\\fB"+roff(page(other))+"\\fR(1)")
		}
	}
	if slices.Sort(also); len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ", ") + "\n")
	}
	return b.String()
}

// roff keeps a text from being read as a request of the formatter.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
