package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// loop is the chat, a line at a time: it needs no more of a terminal than that
// it shows text.
func (t *talk) loop(ctx context.Context) error {
	t.printf("trimtab %s, model %s\n", versionOf().Version, t.model)
	if t.note != "" {
		t.printf("%s\n", t.note)
	}
	t.printf("/help lists the commands, Ctrl+D exits, trimtab --continue comes back\n")
	lines, reading := t.read(ctx)
	t.lines = lines
	for {
		if err := t.ready(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			t.printf("\nsaved as %s\n", t.id)
			return nil
		case err := <-reading:
			t.printf("\nsaved as %s\n", t.id)
			return err
		case line := <-lines:
			left, err := t.turn(ctx, strings.TrimSpace(line))
			if left || err != nil {
				return err
			}
		}
	}
}

// read reads what a person types, so that a signal can come in between. The
// reader ends with the program: a read from a terminal cannot be called off.
func (t *talk) read(ctx context.Context) (<-chan string, <-chan error) {
	lines, end := make(chan string), make(chan error, 1)
	go func() {
		r := bufio.NewReader(t.in)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				end <- err
				return
			}
		}
	}()
	return lines, end
}

// ready shows the prompt, with what steers the session in front.
func (t *talk) ready(ctx context.Context) error {
	s, err := t.service.Session(ctx, t.id)
	if err != nil {
		return err
	}
	var words []string
	for _, st := range t.service.Engine().Status(s) {
		words = append(words, st.Text)
	}
	if len(words) > 0 {
		t.printf("[%s] ", strings.Join(words, " · "))
	}
	t.printf("> ")
	return nil
}

func (t *talk) turn(ctx context.Context, line string) (left bool, err error) {
	switch {
	case line == "":
		return false, nil
	case strings.HasPrefix(line, "/"):
		return t.command(ctx, strings.Fields(line[1:]))
	}
	prompt, without := t.prompt(line)
	for _, text := range without {
		t.printf("%s\n", text)
	}
	for ev, err := range t.agent.Run(ctx, t.id, prompt) {
		if err != nil {
			t.printf("%s\n", explain(err)) // the session is whole; the person may try again
			return false, nil
		}
		switch ev := ev.(type) {
		case agent.Delta:
			fmt.Fprint(t.out, termsafe.Text(ev.Text))
		case agent.Replied:
			t.printf("\n")
		case agent.Stopped:
			if ev.Reason != agent.Ended {
				t.printf("(%s)\n", string(ev.Reason))
			}
		case agent.Paused:
			t.printf("(paused: %s)\n", ev.Why)
		}
		t.tell(ev)
	}
	return false, nil
}

// permit asks the person whether a tool may run.
func (t *talk) permit(ctx context.Context, ask tool.Ask) (tool.Answer, error) {
	t.printf("\n%s asks: %s\n%s\n", ask.Tool, ask.Title, ask.Detail)
	if ask.Rule != "" {
		t.printf("always allows for this session: %s\n", ask.Rule)
	}
	t.printf("once, always or no? [y/a/N] ")
	select {
	case <-ctx.Done():
		return tool.Refuse, ctx.Err()
	case line := <-t.lines:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes", "once":
			return tool.Once, nil
		case "a", "always":
			if ask.Rule != "" {
				return tool.Always, nil
			}
		}
	}
	return tool.Refuse, nil
}

// own are the commands of the chat itself.
var own = [][2]string{
	{"help", "list the commands"},
	{"status", "what steers the session, and at what price"},
	{"new", "save this session and start another"},
	{"quit", "leave"},
}

func (t *talk) command(ctx context.Context, words []string) (left bool, err error) {
	if len(words) == 0 {
		words = []string{"help"}
	}
	switch words[0] {
	case "quit", "exit":
		t.printf("saved as %s\n", t.id)
		return true, nil
	case "help":
		t.help()
	case "status":
		return false, t.status(ctx, t.id)
	case "new":
		err := t.fresh(ctx)
		if err == nil {
			t.printf("new session %s\n", t.id)
		}
		return false, err
	default:
		return false, t.asked(ctx, words)
	}
	return false, nil
}

func (t *talk) help() {
	for _, c := range own {
		t.printf("  /%-22s %s\n", c[0], c[1])
	}
	for _, c := range t.service.Engine().Commands() {
		t.printf("  /%-22s %s\n", strings.TrimSpace(c.Name+" "+c.Usage), c.Short)
	}
}

// asked gives a command to the interventions.
func (t *talk) asked(ctx context.Context, words []string) error {
	var names []string
	for _, c := range own {
		names = append(names, c[0])
	}
	known := false
	for _, c := range t.service.Engine().Commands() {
		names = append(names, c.Name)
		known = known || c.Name == words[0]
	}
	if !known {
		t.printf("no command /%s", words[0])
		if near := config.Nearest(words[0], names); near != "" {
			t.printf("; did you mean /%s?\n", near)
		} else {
			t.printf("; /help lists them\n")
		}
		return nil
	}
	_, out, err := t.service.Handle(ctx, t.id, trimtab.Asked{Command: words[0], Args: words[1:]})
	if err != nil {
		t.printf("%s\n", explain(err))
		return nil
	}
	t.tellOutcome(out)
	reply, err := out.Reply()
	if err != nil {
		return err
	}
	t.printf("%s\n", reply.Text)
	return nil
}
