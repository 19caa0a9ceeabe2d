package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Run is the chat, until the person leaves or ctx ends. It returns the session
// that it stood in, if anything was said.
func Run(ctx context.Context, opt Options) (session string, err error) {
	opt, err = opt.ready()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newChat(ctx, opt)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(beats)}
	if in := input(opt.In); in != nil {
		options = append(options, tea.WithInput(in))
	}
	if opt.Out != nil {
		options = append(options, tea.WithOutput(opt.Out))
	}
	if opt.Env != nil {
		options = append(options, tea.WithEnvironment(opt.Env))
	}
	p := tea.NewProgram(c, options...)
	c.send, c.program = p.Send, p
	_, err = p.Run()
	cancel()
	c.runs.Wait() // what was said is being stored
	c.hold("")
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return c.session.ID, fmt.Errorf("the chat crashed: %w; the session is saved up to the last reply", err)
	case errors.Is(err, context.Canceled):
		return c.session.ID, nil // an end, not an error
	}
	return c.session.ID, err
}

// group waits for the runs that the chat started.
type group = sync.WaitGroup
