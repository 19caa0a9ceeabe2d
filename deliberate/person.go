package deliberate

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// listen takes what a person typed meanwhile, here or elsewhere.
func (r *run) listen() error {
	if err := r.overhear(); err != nil || r.ended != "" {
		return err
	}
	for {
		select {
		case line, ok := <-r.opt.Lines:
			if !ok {
				r.opt.Lines = nil
				return nil
			}
			if err := r.line(line); err != nil || r.ended != "" {
				return err
			}
		default:
			return nil
		}
	}
}

// pause holds the debate after this.
func (r *run) pause(why string) {
	r.paused = why
	if r.opt.Lines != nil {
		r.emit(Noticed{Moderator, "paused: " + why + "; /resume goes on"})
	}
}

// hold waits for the person to go on. Where nobody is there, the run pauses.
func (r *run) hold() (Event, error) {
	if r.opt.Lines == nil {
		why := r.paused
		r.paused = ""
		return Paused{why}, nil
	}
	for r.paused != "" && r.ended == "" {
		select {
		case line, ok := <-r.opt.Lines:
			if !ok {
				r.opt.Lines = nil
				return nil, nil
			}
			if err := r.line(line); err != nil {
				return nil, err
			}
		case <-r.ctx.Done():
			return Paused{r.paused}, nil
		}
	}
	return nil, nil
}

// Commands are what a person can type beside what they have to say.
const Commands = "/pause, /resume, /next, /back, /phase NAME, /criterion ID, /end, /help"

// line takes a line that a person typed.
func (r *run) line(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "/pause":
		r.pause("you asked for it")
	case "/resume", "/continue", "/go":
		r.paused = ""
	case "/help", "/?":
		r.emit(Noticed{Moderator, "there are " + Commands + "; what does not begin with / is said to the table, to one with @NAME"})
	case "/end":
		r.paused = ""
		return r.end(ByPerson)
	case "/next", "/back":
		return r.command("phase", word[1:])
	case "/phase":
		return r.command("phase", strings.Fields(rest)...)
	case "/criterion":
		return r.command("focus", append([]string{"met"}, strings.Fields(rest)...)...)
	default:
		if strings.HasPrefix(word, "/") {
			r.emit(Noticed{Moderator, fmt.Sprintf("no command %q; there are %s", word, Commands)})
			return nil
		}
		_, err := r.say(trimtab.Prompt(text))
		return err
	}
	return nil
}

// command gives a command to the session, as the person.
func (r *run) command(name string, args ...string) error {
	out, err := r.handle(r.ctx, trimtab.Asked{Command: name, Args: args})
	if err != nil {
		return err
	}
	if reply, err := out.Reply(); err == nil {
		r.emit(Noticed{Moderator, firstLine(reply.Text)})
	}
	return r.progress()
}
