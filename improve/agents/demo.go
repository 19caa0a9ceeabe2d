package agents

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

//go:embed sample/script.txtar
var sampleScript string

//go:embed sample/guidance-script.txtar
var guidanceScript string

// scripted is how the demo agent begins everything that it says.
const scripted = "(Scripted by the demo agent; no model was asked.)\n\n"

// demo is an agent that plays a script. It needs no key and no network, and it
// really changes files.
type demo struct {
	steps    map[string]scene
	guidance map[string]scene // for the sample of guidance; nil with a script of the person's
	opt      Options
}

// scene is what it does in one step.
type scene struct {
	say   string
	heeds []heeded
	write []archived
	edit  []edit
}

// heeded is what is said in the place of the rest, where the prompt holds some words: an
// agent that does what it is told.
type heeded struct{ words, say string }

// edit replaces a text of a file that is there once.
type edit struct{ name, old, new string }

func newDemo(cfg Config, opt Options) (Agent, error) {
	if cfg.Script == "" {
		steps, err := parseScript(sampleScript)
		if err != nil {
			return nil, err
		}
		guidance, err := parseScript(guidanceScript)
		return &demo{steps: steps, guidance: guidance, opt: opt}, err
	}
	raw, err := os.ReadFile(cfg.Script) // #nosec G304 -- the person's own setting
	if err != nil {
		return nil, fmt.Errorf("improve.script: %w", err)
	}
	steps, err := parseScript(string(raw))
	if err != nil {
		return nil, fmt.Errorf("improve.script: %w", err)
	}
	return &demo{steps: steps, opt: opt}, nil
}

// parseScript reads a script: a txtar archive with step/say.md for what is said,
// step/heed.md for what is said instead where the prompt holds the words of its first
// line (step/heed/NAME.md for several), step/write/PATH for whole files and
// step/edit/PATH for changes of files. A blank in a step's name is a - here.
func parseScript(text string) (map[string]scene, error) {
	files, err := unpack(text)
	if err != nil {
		return nil, err
	}
	steps := map[string]scene{}
	for _, f := range files {
		step, rest, _ := strings.Cut(f.name, "/")
		what, name, _ := strings.Cut(rest, "/")
		s := steps[step]
		switch {
		case rest == "say.md":
			s.say = strings.TrimSpace(f.text)
		case rest == "heed.md" || what == "heed" && name != "":
			words, say, _ := strings.Cut(f.text, "\n")
			if strings.TrimSpace(words) == "" {
				return nil, fmt.Errorf("%q: its first line says which words of the prompt are heeded", f.name)
			}
			s.heeds = append(s.heeds, heeded{strings.TrimSpace(words), strings.TrimSpace(say)})
		case what == "write" && name != "":
			s.write = append(s.write, archived{name, f.text})
		case what == "edit" && name != "":
			edits, err := parseEdits(name, f.text)
			if err != nil {
				return nil, err
			}
			s.edit = append(s.edit, edits...)
		default:
			return nil, fmt.Errorf("%q: a file of the script is STEP/say.md, STEP/heed.md, STEP/write/PATH or STEP/edit/PATH", f.name)
		}
		steps[step] = s
	}
	return steps, nil
}

// parseEdits reads changes: lines of <<<<<<<, what is there, =======, what shall be
// there, >>>>>>>.
func parseEdits(name, text string) ([]edit, error) {
	var out []edit
	for rest := text; strings.TrimSpace(rest) != ""; {
		before, after, ok := strings.Cut(rest, "<<<<<<<\n")
		old, tail, middle := strings.Cut(after, "=======\n")
		fresh, left, closed := strings.Cut(tail, ">>>>>>>\n")
		if !ok || !middle || !closed || strings.TrimSpace(before) != "" || old == "" {
			return nil, fmt.Errorf("edit of %s: each change is lines of <<<<<<<, the old text, =======, the new one, >>>>>>>", name)
		}
		out = append(out, edit{name, old, fresh})
		rest = left
	}
	return out, nil
}

func (d *demo) Name() string { return "demo" }

// Do plays the scene of the step. Played twice it changes nothing more.
func (d *demo) Do(ctx context.Context, job Job) (Report, error) {
	fail := func(err error) (Report, error) {
		return Report{}, &Error{Agent: "demo", Step: job.Step, Dir: job.Dir, Err: err, Do: "it only knows the repository that its script is for; choose another agent for yours"}
	}
	if err := errors.Join(ctx.Err(), job.check()); err != nil {
		return fail(err)
	}
	steps := d.steps
	if _, err := os.Stat(filepath.Join(job.Dir, guidanceMark)); err == nil && d.guidance != nil {
		steps = d.guidance
	}
	s, ok := steps[strings.ReplaceAll(job.Step, " ", "-")]
	for _, h := range s.heeds {
		if strings.Contains(job.Prompt, h.words) {
			s.say = h.say
			break
		}
	}
	if !ok {
		s.say = fmt.Sprintf("The script has nothing for the step %q, and nothing was changed.", job.Step)
	}
	if job.ReadOnly && len(s.write)+len(s.edit) > 0 {
		return fail(errors.New("the script writes in a step in which the agent may only look"))
	}
	done, err := s.play(job.Dir)
	if err != nil {
		return fail(err)
	}
	log, err := subprocess.Create(filepath.Join(job.Folder, logName(job.Step, "demo")), d.opt.Redact)
	if err != nil {
		return fail(err)
	}
	_, err = fmt.Fprintf(log, "step %s\n%s%s%s\n", job.Step, done, scripted, s.say)
	if err = errors.Join(err, log.Close()); err != nil {
		return fail(err)
	}
	return Report{Text: clip(scripted+s.say, job.Output), Session: "demo-" + logName(job.Step, job.id()), Log: log.Name()}, nil
}

// play changes the files of a folder, and nothing outside of it.
func (s scene) play(dir string) (done string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, f := range s.write {
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.name)), 0o750); err != nil {
			return done, err
		}
		if err := root.WriteFile(filepath.FromSlash(f.name), []byte(f.text), 0o600); err != nil {
			return done, err
		}
		done += "wrote " + f.name + "\n"
	}
	for _, e := range s.edit {
		name := filepath.FromSlash(e.name)
		raw, err := root.ReadFile(name)
		if err != nil {
			return done, err
		}
		text := string(raw)
		there := e.new != "" && strings.Contains(text, e.new)
		switch n := strings.Count(text, e.old); {
		case there && (n == 0 || strings.Contains(e.new, e.old)): // played before
			continue
		case n == 1:
			text = strings.Replace(text, e.old, e.new, 1)
		default:
			return done, fmt.Errorf("%s does not have, once, the text that the script changes", e.name)
		}
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return done, err
		}
		done += "changed " + e.name + "\n"
	}
	return done, nil
}
