package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// ProgressConfig sets our own rule. Zero values take the defaults.
type ProgressConfig struct {
	Window     int     `json:"window" default:"40" min:"10" max:"1000" doc:"results and replies that are remembered"`
	Repeats    int     `json:"repeats" default:"3" min:"2" max:"100" doc:"from how many times on that a call gives again what it gave before it is a loop, with nothing changed in between"`
	Errors     int     `json:"errors" default:"4" min:"2" max:"100" doc:"from how many times on an error that comes back is a loop, whatever was tried in between"`
	Failures   int     `json:"failures" default:"8" min:"3" max:"100" doc:"from how many tool calls in a row on that fail or find nothing it is a loop"`
	Streak     int     `json:"streak" default:"3" min:"2" max:"100" doc:"from how many failures of a tool on, with no success of it in between, it is a loop"`
	Family     int     `json:"family" default:"5" min:"2" max:"100" doc:"the same for commands of one kind, for one class of exceptions and for the time limit"`
	Checks     int     `json:"checks" default:"3" min:"2" max:"100" doc:"from how many red runs of a check on that fail alike, with changes in between, it is a loop"`
	Replies    int     `json:"replies" default:"3" min:"2" max:"100" doc:"from how many earlier replies on that say the same it is a loop, with nothing done in between"`
	Similarity float64 `json:"similarity" default:"0.8" min:"0.5" max:"1" doc:"results above this similarity count as the same"`
}

// Progress is our own rule. It does not ask whether something was repeated, but
// whether anything came of it: a file that changed, a test that came out
// otherwise, a fact or an error that was not known before. Only when nothing did,
// and the agent keeps at it, is it a loop. Waiting is not a loop for a long time,
// and what a person says begins everything anew.
type Progress struct{ cfg ProgressConfig }

// NewProgress returns the rule. A value out of range is an error that names it.
func NewProgress(cfg ProgressConfig) (Progress, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Progress{}, fmt.Errorf("progress: %w", err)
	}
	return Progress{cfg}, nil
}

func defaultProgress() Progress {
	return Progress{ProgressConfig{Window: 40, Repeats: 3, Errors: 4, Failures: 8, Streak: 3, Family: 5, Checks: 3, Replies: 3, Similarity: 0.8}}
}

// ProgressMemory is what our rule remembers of a session.
type ProgressMemory struct {
	Open    []pend    `json:"open,omitempty"`
	Count   int       `json:"count,omitempty"`   // results so far
	Results window    `json:"results,omitzero"`  // exact: call and result; tag: call and outcome
	Said    window    `json:"said,omitzero"`     // replies since the last progress
	Asked   []uint64  `json:"asked,omitempty"`   // the person's last prompts
	Since   []uint64  `json:"since,omitempty"`   // calls that gave a result since something changed
	Idle    []idle    `json:"idle,omitempty"`    // calls that gave again what they gave before, since the last progress
	Other   int       `json:"other,omitempty"`   // results since then that were neither idle nor progress
	Waits   int       `json:"waits,omitempty"`   // of them, those that only waited
	Waiting bool      `json:"waiting,omitempty"` // the last result was one to wait for
	Errors  []trouble `json:"errors,omitempty"`  // that may come back
	Failed  int       `json:"failed,omitempty"`  // calls in a row that failed or found nothing
	Fired   int       `json:"fired,omitempty"`   // alarms since the last progress
	Told    int       `json:"told,omitempty"`    // idle calls that they told of
	Streaks []streak  `json:"streaks,omitempty"` // what fails, with no success since
	Unheard []streak  `json:"unheard,omitempty"` // calls that were made again without a result
	Checks  []check   `json:"checks,omitempty"`  // that are red
	Left    []left    `json:"left,omitempty"`    // errors that were passed over
	Lookups []lookup  `json:"lookups,omitempty"` // the last ones, since something changed
	Looked  int       `json:"looked,omitempty"`  // the reply that made the newest of them
	Queries window    `json:"queries,omitzero"`  // look-ups and delegations
	Steps   []uint64  `json:"steps,omitempty"`   // the calls of each reply since something changed
	Replies int       `json:"replies,omitempty"` // so far
	Prompts int       `json:"prompts,omitempty"` // so far
	Reports []report  `json:"reports,omitempty"` // errors that prompts held
}

// pend is a call that waits for its result.
type pend struct {
	ID    string `json:"id"`
	Key   uint64 `json:"key"`
	Tool  uint64 `json:"tool"`
	Act   act    `json:"act,omitempty"`
	Shell bool   `json:"shell,omitempty"` // it runs a command
	Name  string `json:"name"`            // for a person

	ToolName   string `json:"toolName,omitempty"`
	Family     uint64 `json:"family,omitempty"` // of the command
	FamilyName string `json:"familyName,omitempty"`
	Check      string `json:"check,omitempty"` // that it runs
	Cut        bool   `json:"cut,omitempty"`   // a filter stands behind it

	Terms []uint32 `json:"terms,omitempty"` // of a look-up
}

// idle is a call from which nothing came.
type idle struct {
	Key  uint64 `json:"key"`
	Name string `json:"name"`
}

// trouble is an error and how often it came back.
type trouble struct {
	Sign    uint64 `json:"sign"`
	Call    uint64 `json:"call"`           // the newest that gave it
	Tool    uint64 `json:"tool,omitempty"` // of the call, unless it runs commands
	Text    string `json:"text"`
	Shape   window `json:"shape,omitzero"` // one entry: the whole of what was said with it
	N       int    `json:"n"`
	Told    int    `json:"told,omitempty"`    // of them, those that an alarm has told
	Last    int    `json:"last"`              // the result that gave it
	Changes int    `json:"changes,omitempty"` // to the workspace in between
}

const (
	maxIdle    = 32
	maxErrors  = 12
	maxAsked   = 16
	maxSince   = 64
	maxReplies = 12   // a reply is compared with so many before it
	recent     = 12   // results after which an error that comes back begins anew
	lateMore   = 2    // a slow machine is no loop: that many more timeouts than other errors
	patience   = 6    // so many waits count as one idle call
	minWords   = 6    // a reply with fewer long words is only compared as a whole
	sameWords  = 0.65 // replies above this similarity say the same
)

// Name is "progress".
func (Progress) Name() string { return "progress" }

// See takes a message in.
func (r Progress) See(mem ProgressMemory, m trimtab.Message) (ProgressMemory, *Alarm) {
	if ours(m) {
		return mem, nil
	}
	var reported *Alarm
	if m.IsPrompt() {
		mem, reported = mem.hear(m.Typed()).report(m.Typed())
	}
	var alarm *Alarm
	if m.Role == trimtab.RoleAssistant {
		mem, alarm = r.reply(mem, m)
	}
	for _, p := range m.Parts {
		if result, ok := p.(trimtab.ToolResult); ok {
			var a *Alarm
			if mem, a = r.result(mem, result); a != nil {
				alarm = a
			}
		}
	}
	if alarm != nil {
		alarm.By, alarm.Level = r.Name(), Stop
		return mem.told(), alarm
	}
	if reported != nil {
		reported.By, reported.Level = r.Name(), Warn
	}
	return mem, reported
}

// told begins to count anew after an alarm. How often something failed so far stays known.
func (mem ProgressMemory) told() ProgressMemory {
	mem.Told += len(mem.Idle)
	mem.Idle, mem.Said, mem.Unheard, mem.Queries, mem.Steps = nil, window{}, nil, window{}, nil
	mem.Errors, mem.Streaks = slices.Clone(mem.Errors), slices.Clone(mem.Streaks)
	for i := range mem.Errors {
		mem.Errors[i].Told = mem.Errors[i].N
	}
	for i := range mem.Streaks {
		mem.Streaks[i].Told = mem.Streaks[i].N
	}
	mem.Other, mem.Waits, mem.Failed = 0, 0, 0
	mem.Fired++
	return mem
}

// hear takes a prompt in. What a person says begins everything anew, unless they
// only say again what they said: then the circle is larger, but still one. What
// was seen stays known.
func (mem ProgressMemory) hear(prompt string) ProgressMemory {
	h := xxhash.Sum64String(prompt)
	if slices.Contains(mem.Asked, h) {
		return mem
	}
	mem.Asked = append(slices.Clip(mem.Asked), h)
	mem.Asked = mem.Asked[max(0, len(mem.Asked)-maxAsked):]
	mem.Idle, mem.Since, mem.Errors, mem.Said = nil, nil, nil, window{}
	mem.Streaks, mem.Unheard, mem.Checks, mem.Queries, mem.Steps = nil, nil, nil, window{}, nil
	mem.Left, mem.Lookups = nil, nil
	mem.Other, mem.Waits, mem.Failed, mem.Fired, mem.Told = 0, 0, 0, 0, 0
	return mem
}

// moved notes progress. Errors stay: a change that does not help is none.
func (mem ProgressMemory) moved() ProgressMemory {
	mem.Idle, mem.Said, mem.Other, mem.Waits, mem.Fired, mem.Told = nil, window{}, 0, 0, 0, 0
	return mem
}

// limit is how often something has to happen: as often once more before a second alarm,
// and from then on twice as often each time, so that the rule falls silent where nobody
// listens.
func (mem ProgressMemory) limit(n int) int { return n << min(max(mem.Fired-1, 0), 4) }

// reply notes what the model is about to do, and compares what it says.
func (r Progress) reply(mem ProgressMemory, m trimtab.Message) (ProgressMemory, *Alarm) {
	waits := false
	var alarm *Alarm
	var step uint64
	reads := true // nothing but files: who lost them looks at them again
	list := calls(m)
	mem.Replies++
	open := mem.Open
	for _, c := range list {
		kind, command, line := actOf(c)
		waits = waits || kind == wait
		p := pend{ID: trimtab.Clip(c.ID, maxID), Key: callKey(c.Name, c.Input, asides...), Tool: xxhash.Sum64String(c.Name), Act: kind, Shell: command != "", Name: callName(c, command), ToolName: brief(c.Name, 40)}
		if command != "" {
			p.FamilyName = family(command)
			p.Family = xxhash.Sum64String(p.FamilyName)
			p.Check, p.Cut = checkOf(line)
		}
		if kind == look {
			p.Terms = terms(c, command)
		}
		step += mix(p.Key)
		reads = reads && kind == look && (command != "" || text(c.Input, 200, paths...) != "")
		var found *Alarm
		if kind == look && command == "" {
			if mem, found = r.rephrase(mem, c, mem.Replies); found != nil {
				alarm = found
			}
		}
		if mem, found = r.unheard(mem, p.Key, p.Name); found != nil {
			alarm = found
		}
		open = append(slices.Clip(open), p)
	}
	mem.Open = open[max(0, len(open)-maxOpen):]
	if len(list) > 0 && !waits && !reads && alarm == nil {
		mem, alarm = r.recur(mem, step, callName(list[0], ""))
	}
	if alarm != nil {
		return mem, alarm
	}
	text := said(m, false)
	if waits || mem.Waiting || len(text) == 0 { // who waits may say so
		mem.Waiting = mem.Waiting && len(text) == 0
		return mem, nil
	}
	shape, all := vocabulary(text)
	if all >= 3*len(shape.hash) { // many words, but few different ones
		if line, n := chant(text); n > 0 {
			return mem, &Alarm{Kind: Chant, Times: n, Why: fmt.Sprintf("one reply says %q %d times", brief(line, 60), n)}
		}
	}
	e := entry{exact: xxhash.Sum64String(text), sketch: shape}
	n := 0
	mem.Said.each(maxReplies, func(o *entry) bool {
		if o.exact == e.exact || len(e.hash) >= minWords && e.near(&o.sketch, sameWords) {
			n++
		}
		return true
	})
	if n >= mem.limit(r.cfg.Replies) {
		return mem, &Alarm{Kind: SameWords, Times: n + 1, Why: fmt.Sprintf("%d replies say nearly the same and nothing came of it: %q", n+1, brief(text, 60))}
	}
	mem.Said = mem.Said.add(e, maxReplies)
	return mem, nil
}

// asides are keys of an input that say why a call is made, not what it does.
var asides = []string{"description", "explanation", "reason", "thought", "task_progress", "timeout"}

// paths are keys of an input under which a file or a folder stands.
var paths = []string{"file_path", "filePath", "path", "absolute_path", "dir_path", "file"}

// callName is a call in a few words.
func callName(c trimtab.ToolCall, command string) string {
	what := command
	if what == "" {
		what = text(c.Input, 200, "file_path", "filePath", "path", "absolute_path", "pattern", "query", "url", "command", "name", "id")
	}
	if command != "" {
		return brief(command, 60)
	}
	return strings.TrimSpace(brief(c.Name, 40) + " " + brief(what, 50))
}
