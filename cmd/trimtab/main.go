// Command trimtab steers AI agents in long sessions.
//
// With no arguments it is a chat; with -p it answers one prompt. The other verbs
// ask or command a session, look back at one, and manage what is stored. This
// package reads flags, files and the environment and wires the packages together;
// it decides nothing itself. One file a verb.
//
//	trimtab -p "automata: tidy this"
//	trimtab mode planning
//	trimtab session list
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

func main() { start(newApp()) }

func start(a *app) {
	if code, ours := sandbox.Main(os.Args, os.Stderr); ours {
		os.Exit(code) // a tool's command that could not be confined
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, a, os.Args[1:])
	stop()
	os.Exit(code)
}

// The exit codes of the contract.
const (
	done   = 0
	failed = 1
	misuse = 2
)

// usageError is a mistake in how a command was called.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func misused(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errShown is a failure that was already explained.
var errShown = errors.New("failed")

// run executes one command line and tells errors in one place.
func run(ctx context.Context, a *app, args []string) int {
	if call, ok := spool.ParseLine(args); ok {
		a.flag.data = call.Data
		a.hook(ctx, call.Host, call.Event)
		return done
	}
	root := rootCommand(a)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	if closing := a.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = a.lost
	}
	var use usageError
	var agent exitCode
	switch {
	case err == nil:
		return done
	case errors.As(err, &agent):
		return int(agent)
	case errors.Is(err, errShown):
		return failed
	case errors.As(err, &use):
		fmt.Fprintf(a.err, "trimtab: %s\n", termsafe.Text(err.Error()))
		return misuse
	}
	fmt.Fprintf(a.err, "trimtab: %s\n", termsafe.Text(explain(err)))
	return failed
}
