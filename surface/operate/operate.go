// Package operate is the commands for whoever runs trimtab serve for others: addresses,
// keys of callers, what was done by whom. Each is a few flags around a package that does
// the work; what a command needs of the program comes in an Env.
//
//	serve.AddCommand(operate.Commands(env)...)
//
// It serves nothing itself: see surface/server.
package operate

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/caller"
	"github.com/trimtab/trimtab/surface/server"
)

// Env is the program that a command is part of.
type Env struct {
	Out      io.Writer
	Told     func(format string, args ...any) // what is no answer, on stderr
	JSON     func() bool
	Misused  func(format string, args ...any) error // an error of use
	Settings func() (server.Config, error)
	Clients  func() (*address.Clients, error)
	Files    func(ctx context.Context) (files caller.Files, user string, err error) // of the store, and who uses it
	Data     func() (string, error)                                                 // the data folder
	Key      func(where string) (key.Key, error)                                    // at env:NAME, file:PATH or keyring:NAME
	Clock    func() time.Time
}

// Commands are those below trimtab serve.
func Commands(e Env) []*cobra.Command {
	return []*cobra.Command{addressCommand(e), keyCommand(e), auditCommand(e)}
}

// answer prints a value for a program, or a text for a person.
func (e Env) answer(v any, text string) error {
	if !e.JSON() {
		return termsafe.Fprintf(e.Out, "%s\n", text)
	}
	to := json.NewEncoder(e.Out)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false)
	return to.Encode(v)
}

// between refuses another number of arguments.
func (e Env) between(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return e.Misused("usage: %s", c.UseLine())
		}
		return nil
	}
}
