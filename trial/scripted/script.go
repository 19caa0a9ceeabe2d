// Package scripted is a model for trials without a provider: it works on one task by a
// script, fails in the way that the script says, and heeds notes of steering, or does not.
// What it is told it reads in its requests, as any model does; the script knows no arm.
//
// A script is text, line by line:
//
//	# a comment
//	fault 80                    in so many of 100 runs it plays "fault", else "right"; 100 if not said
//	heed 90                     so many of 100 notes that it hears it acts on; 100 if not said
//
//	part fault                  begins a part
//	hear check => mend          where a note of steering holds this word, it goes on with that part
//	run sh check.sh             one reply: a command, by whatever tool the agent has for them
//	times 8                     that reply again, so often in all
//	run                         a command of several lines, each indented
//	  printf 'a\n' > a.txt
//	write a.sh                  one reply: a file, by the agent's tool for that, or by a command
//	  its lines, indented
//	todo [x] first; [ ] second  one reply: the todo list; passed over where there is no tool for it
//	say All done.               one reply without a call: the model would stop here
//
// It is served by HTTP in the formats of the providers, so agents of any kind can ask it. It
// never looks at the task or the machine, and the same seed gives the same replies.
package scripted

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The parts that a run begins with.
const (
	fault = "fault"
	right = "right"
)

// The limits of a script.
const (
	maxScript = 1 << 20
	maxSteps  = 2000 // replies of all parts, with their repeats
)

// Script is a parsed script.
type Script struct {
	fault, heed int // percent
	parts       map[string]*part
}

type part struct {
	hears []hear
	steps []step
}

// hear is where a note leads.
type hear struct{ words, to string }

// step is one reply.
type step struct{ run, say, todo, write string }

// Parse reads a script. An error names the line.
func Parse(text string) (Script, error) {
	if len(text) > maxScript || !utf8.ValidString(text) {
		return Script{}, fmt.Errorf("script: it is over %d bytes or not UTF-8", maxScript)
	}
	p := parser{Script: Script{fault: 100, heed: 100, parts: map[string]*part{}}}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if err := p.line(line); err != nil {
			return Script{}, fmt.Errorf("script: line %d: %w", i+1, err)
		}
	}
	return p.Script, p.check()
}

type parser struct {
	Script
	now   *part
	block bool // lines of a command may follow
	steps int
}

func (p *parser) line(line string) error {
	if rest, ok := strings.CutPrefix(line, "  "); ok && p.block {
		last := &p.now.steps[len(p.now.steps)-1]
		last.run = strings.TrimPrefix(last.run+"\n"+rest, "\n")
		return nil
	}
	word, rest, _ := strings.Cut(strings.TrimRight(line, " \t"), " ")
	if word == "" && p.block { // an empty line of the command, or behind it
		p.now.steps[len(p.now.steps)-1].run += "\n"
		return nil
	}
	p.block = false
	rest = strings.TrimSpace(rest)
	switch {
	case word == "" && rest == "" || strings.HasPrefix(word, "#"):
		return nil
	case word == "fault" && p.now == nil:
		return percent(rest, &p.fault)
	case word == "heed" && p.now == nil:
		return percent(rest, &p.heed)
	case word == "part":
		if rest == "" || strings.Contains(rest, " ") || p.parts[rest] != nil {
			return fmt.Errorf("a part needs a name of its own, one word: %q", rest)
		}
		p.now = &part{}
		p.parts[rest] = p.now
		return nil
	case p.now == nil:
		return fmt.Errorf("%q stands before the first part", word)
	}
	return p.inPart(word, rest)
}

func (p *parser) inPart(word, rest string) error {
	switch word {
	case "hear":
		words, to, ok := strings.Cut(rest, "=>")
		h := hear{strings.ToLower(strings.TrimSpace(words)), strings.TrimSpace(to)}
		if !ok || h.words == "" || h.to == "" {
			return errors.New(`it is written: hear WORDS => PART`)
		}
		p.now.hears = append(p.now.hears, h)
		return nil
	case "times":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 2 || n > maxSteps || len(p.now.steps) == 0 {
			return fmt.Errorf("times is a number from 2 to %d behind a reply: %q", maxSteps, rest)
		}
		for range n - 1 {
			if err := p.add(p.now.steps[len(p.now.steps)-1]); err != nil {
				return err
			}
		}
		return nil
	case "write":
		p.block = true
		if rest == "" || strings.ContainsAny(rest, " '") {
			return fmt.Errorf("write needs the path of a file, without blanks: %q", rest)
		}
		return p.add(step{write: rest})
	case "run":
		p.block = rest == ""
		return p.add(step{run: rest})
	case "say", "todo":
		if rest == "" {
			return fmt.Errorf("%s says nothing", word)
		}
		if word == "say" {
			return p.add(step{say: rest})
		}
		return p.add(step{todo: rest})
	}
	return fmt.Errorf("%q is none of part, hear, run, write, todo, say, times", word)
}

func (p *parser) add(s step) error {
	if p.steps++; p.steps > maxSteps {
		return fmt.Errorf("it has more than %d replies", maxSteps)
	}
	p.now.steps = append(p.now.steps, s)
	return nil
}

func (s Script) check() error {
	for name, p := range s.parts {
		for _, h := range p.hears {
			if s.parts[h.to] == nil {
				return fmt.Errorf("script: part %s goes on with %s, which there is not", name, h.to)
			}
		}
		for _, st := range p.steps {
			if strings.TrimSpace(st.run+st.say+st.todo+st.write) == "" {
				return fmt.Errorf("script: part %s has a run without a command", name)
			}
		}
	}
	switch {
	case s.fault > 0 && s.parts[fault] == nil:
		return errors.New("script: there is no part fault")
	case s.fault < 100 && s.parts[right] == nil:
		return errors.New("script: there is no part right, and fault is below 100")
	}
	return nil
}

func percent(text string, to *int) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 100 {
		return fmt.Errorf("%q is no number from 0 to 100", text)
	}
	*to = n
	return nil
}
