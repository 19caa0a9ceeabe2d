package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// The work is about the trouble only if the command that failed in the sessions fails on
// the base, as it did there, and succeeds with the change. It is a text of a transcript, so
// it is run only where Checks finds it harmless, confined and without a network; where it
// is not, the evidence and the pull request say so.

// The facts of the step Issue about the command.
const (
	reproduced       = "reproduced"        // for a person
	reproduceCommand = "reproduce_command" // only where it fails on the base as it did in the sessions
)

// plainFolder is a path that a command line can hold as it is.
var plainFolder = lazyregexp.Pattern(`^[A-Za-z0-9_./+-]+$`)

// failingCommand is the command of the sessions, in a working tree; "" with the reason where
// there is none.
func (j *Job) failingCommand(folder string) (line, why string) {
	line = strings.TrimSpace(j.Item.Request.Pattern.Context.Text(improve.KeyCommand))
	switch {
	case line == "":
		return "", "the request names no command"
	case j.env.cfg.Reproduce == "off":
		return "", "improve.reproduce is off"
	case strings.Contains(line, j.Item.Project) && !plainFolder().MatchString(folder):
		return "", "the command names the project's folder, and the working tree has a name that cannot stand in its place"
	}
	return strings.ReplaceAll(line, j.Item.Project, folder), ""
}

// fails runs the command on the base. It refuses work whose trouble is not there any more.
func (j *Job) fails(ctx context.Context, s stands) (map[string]string, error) {
	line, why := j.failingCommand(s.Folder)
	if why != "" {
		return map[string]string{reproduced: "not run: " + why}, nil
	}
	ran, why, err := j.reproduce(ctx, s, line, "base-command.log")
	if err != nil {
		return nil, err
	}
	shown := j.Item.Request.Pattern.Context.Text(improve.KeyCommand)
	switch {
	case why != "":
		return map[string]string{reproduced: "not run: " + why}, nil
	case ran.Exit == 0:
		return nil, fmt.Errorf("%w: the command that failed in the sessions, %s, succeeds on the base, so nothing was filed: the trouble may be gone, or not the project's; reject the request, or set improve.reproduce to off and retry", ErrManual, shown)
	case !j.alike(ran.Said):
		return map[string]string{reproduced: fmt.Sprintf("not used: %s fails on the base with exit %d, but otherwise than in the sessions", shown, ran.Exit)}, nil
	}
	return map[string]string{reproduced: fmt.Sprintf("%s fails on the base as in the sessions, with exit %d", shown, ran.Exit), reproduceCommand: shown}, nil
}

// alike reports whether an output holds the error of the sessions, in its folded form: a
// command may fail here because it is confined. Where none is known, any failure is one.
func (j *Job) alike(output string) bool {
	sign := j.Item.Request.Pattern.Context.Text(improve.KeySignature)
	if sign == "" || j.Item.Request.Pattern.Type != improve.ErrorPatterns {
		return true
	}
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(improve.Fold(line)); line != "" && (strings.Contains(line, sign) || len(line) > 12 && strings.Contains(sign, line)) {
			return true
		}
	}
	return false
}

// works runs the command with the change, where it failed on the base: it must succeed. The
// working tree, whose content is given, is then as it was.
func (j *Job) works(ctx context.Context, s stands, content, log string) ([]ruled, error) {
	const name = "the command of the sessions succeeds"
	told, err := j.need(Issue)
	if err != nil {
		return nil, err
	}
	if told.Facts[reproduceCommand] == "" {
		if told.Facts[reproduced] == "" {
			return nil, nil // begun by an older program
		}
		return []ruled{{name, true, told.Facts[reproduced]}}, nil
	}
	line, why := j.failingCommand(s.Folder)
	if why != "" {
		return []ruled{{name, true, "not run: " + why}}, nil
	}
	head, err := s.Commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	ran, why, err := j.reproduce(ctx, s, line, log)
	if err != nil {
		return nil, err
	}
	if err := s.restore(ctx, head, content); err != nil {
		return nil, err
	}
	if why != "" {
		return []ruled{{name, true, "not run: " + why}}, nil
	}
	text := told.Facts[reproduceCommand]
	if ran.Exit != 0 {
		return []ruled{{name, false, fmt.Sprintf("%s still exits with %d: %s", text, ran.Exit, lastLine(ran.Said))}}, nil
	}
	return []ruled{{name, true, text + " failed on the base and succeeds with the change"}}, nil
}

// broken says that the command of the sessions still fails, "" where it does not.
func (j *Job) broken(ctx context.Context, s stands, content, log string) (string, error) {
	all, err := j.works(ctx, s, content, log)
	for _, r := range all {
		if !r.kept {
			return "the trouble is still there: " + r.found, err
		}
	}
	return "", err
}

// reproduce runs a command line, and sees that it led git nowhere else.
func (j *Job) reproduce(ctx context.Context, s stands, line, log string) (Run, string, error) {
	lead, err := link(s.Folder)
	if err != nil {
		return Run{}, "", err
	}
	j.say("runs the command that failed")
	ran, why, err := j.env.opt.Checks.Reproduce(ctx, line, s.Folder, j.paper(log))
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && why == "" {
		err = j.sound(ctx, s.Folder, lead)
	}
	ran.Said = j.redact(ran.Said)
	return ran, why, err
}

// lastLine is the last line of an output that says something.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return firstOf(lines[len(lines)-1], 200)
}
