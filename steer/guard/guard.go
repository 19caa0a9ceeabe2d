// Package guard notices in every mode when an agent goes in circles or a person has to
// report the same error again, and says so.
//
// The first time it tells the agent, in one line, what repeats and how often. Where that
// does not help, it asks the surface to hold the session for the person and says it to the
// agent a last time; after that it is silent about that cause until the person's next
// prompt. What counts as a circle is decided by package loop.
//
//	watch, err := guard.New(guard.Config{})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(watch))
package guard

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/loop"
)

// Config sets what the guard may do. Zero values take the defaults.
type Config struct {
	Enabled  *bool  `json:"enabled" default:"true" doc:"tell an agent that goes in circles, in every mode"`
	Detector string `json:"detector" default:"progress" enum:"progress" doc:"what tells that it does: whether anything comes of the work"`
	Pause    *bool  `json:"pause" default:"true" doc:"hold the session for the person when saying so did not help, where the surface can"`
}

// Guard is the intervention.
type Guard struct {
	cfg  Config
	work loop.Progress
}

// New returns the intervention. A value out of range is an error that names it.
func New(cfg Config) (Guard, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Guard{}, fmt.Errorf("guard: %w", err)
	}
	work, err := loop.NewProgress(loop.ProgressConfig{})
	return Guard{cfg, work}, err
}

// Memory is what the guard knows of a session.
type Memory struct {
	Work  loop.ProgressMemory `json:"work,omitzero"`
	Told  []told              `json:"told,omitempty"`  // causes that were told since the person's last prompt
	Files []string            `json:"files,omitempty"` // that changed since the last report of an error
	Loops int                 `json:"loops,omitempty"` // so far, for the status line
}

type told struct {
	Cause uint64 `json:"cause,string"`
	N     int    `json:"n"`
}

const maxTold, maxFiles = 16, 5

// Name is "guard".
func (Guard) Name() string { return "guard" }

// The slots of the notes.
const (
	slotLoop   = "loop"
	slotReport = "report"
)

// Steer watches what is said.
func (d Guard) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	switch ev := t.Event.(type) {
	case trimtab.Reset:
		return Memory{}, nil
	case trimtab.Said:
		if *d.cfg.Enabled && !t.Sub() {
			return d.see(t, m, ev.Message)
		}
	}
	return m, nil
}

func (d Guard) see(t trimtab.Turn, m Memory, said trimtab.Message) (Memory, []trimtab.Action) {
	fired := m.Work.Fired
	var alarm *loop.Alarm
	m.Work, alarm = d.work.See(m.Work, said)
	m = m.follow(said)
	switch {
	case alarm == nil && said.IsPrompt():
		m.Told = nil
	case alarm == nil && fired > 0 && m.Work.Fired == 0: // something came of it
		return m, []trimtab.Action{trimtab.Retract{Slot: slotLoop, Why: "the work went on", Heeded: true}}
	case alarm == nil:
	case alarm.Kind == loop.SameReport:
		files := strings.Join(m.Files, ", ")
		m.Told, m.Files = nil, nil
		return m, []trimtab.Action{trimtab.Inject{Slot: slotReport, Text: write(reportWords, alarm, files), Place: trimtab.AtEnd, Life: trimtab.Once, Why: alarm.Why, Urgency: trimtab.SameReport}}
	case slices.ContainsFunc(t.Notes, func(n trimtab.Note) bool { return n.By == "mode" && n.Step == t.Step && !n.Seated() }): // the goal's own rule speaks
	default:
		return d.tell(m, alarm)
	}
	return m, nil
}

// tell says what repeats: to the agent, then to the person too, then no more.
func (d Guard) tell(m Memory, alarm *loop.Alarm) (Memory, []trimtab.Action) {
	m.Loops++
	i := slices.IndexFunc(m.Told, func(c told) bool { return c.Cause == alarm.Cause })
	m.Told = slices.Clone(m.Told)
	if i < 0 {
		m.Told = append(m.Told, told{Cause: alarm.Cause})
		m.Told = m.Told[max(0, len(m.Told)-maxTold):]
		i = len(m.Told) - 1
	}
	m.Told[i].N++
	note := trimtab.Inject{Slot: slotLoop, Place: trimtab.AtEnd, Life: trimtab.Once, Why: alarm.Why, Urgency: trimtab.Loop}
	switch m.Told[i].N {
	case 1:
		note.Text = write(loopWords, alarm, "")
		return m, []trimtab.Action{note}
	case 2:
		note.Text = write(againWords, alarm, "")
		if *d.cfg.Pause && alarm.Kind != loop.SameWords && alarm.Kind != loop.Chant { // who only talks may be let talk
			return m, []trimtab.Action{note, trimtab.Pause{Why: "going in circles: " + alarm.Why}}
		}
		return m, []trimtab.Action{note}
	}
	return m, nil
}

// follow remembers which files changed since an error was reported.
func (m Memory) follow(said trimtab.Message) Memory {
	if len(m.Work.Reports) == 0 || said.Role != trimtab.RoleAssistant {
		return m
	}
	for _, p := range said.Parts {
		c, ok := p.(trimtab.ToolCall)
		if !ok {
			continue
		}
		for _, f := range evidence.ReadCall(c).Files {
			if f = trimtab.Clip(path.Base(f), 80); !slices.Contains(m.Files, f) {
				m.Files = append(slices.Clip(m.Files), f)
				m.Files = m.Files[max(0, len(m.Files)-maxFiles):]
			}
		}
	}
	return m
}

var (
	//go:embed loop.md
	loopText string
	//go:embed again.md
	againText string
	//go:embed report.md
	reportText string

	loopWords   = template.Must(template.New("loop").Parse(strings.TrimSpace(loopText)))
	againWords  = template.Must(template.New("again").Parse(strings.TrimSpace(againText)))
	reportWords = template.Must(template.New("report").Parse(strings.TrimSpace(reportText)))
)

func write(words *template.Template, alarm *loop.Alarm, files string) string {
	var out strings.Builder
	if err := words.Execute(&out, struct{ Why, Advice, Files string }{sentence(alarm.Why), advice[alarm.Kind], files}); err != nil {
		return ""
	}
	return out.String()
}

// advice is what is seldom tried, by the kind of circle.
var advice = map[loop.Kind]string{
	loop.SameCall:  "The result is the one above; it will not change by asking again.",
	loop.SameError: "Read the place that the error names, and question what the last attempts took for granted.",
	loop.Cycle:     "The results are above; use them.",
	loop.Failures:  "Look at the first of these failures again rather than at the last.",
	loop.Streak:    "Look at what is really there (the file as it is now, the exact input, a smaller case, a longer limit or the background) before you vary the attempt.",
	loop.Blind:     "Run it without the filter, or keep its output in a file, and read how it ends before you change anything.",
	loop.Vain:      "Look first at what is there (a list of the folder, one whole example), or ask the person where it stands.",
	loop.Rephrase:  "What was found is all that these words will find; work with it, or look elsewhere.",
	loop.SameWords: "It need not be said again; decide, or do the next thing.",
	loop.Monologue: "It need not be said again; decide, or do the next thing.",
	loop.Chant:     "Stop the list here.",
}

// sentence begins with a capital letter.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// Status says that the session goes in circles.
func (Guard) Status(m Memory) string {
	if m.Work.Fired == 0 || len(m.Told) == 0 {
		return ""
	}
	return "in circles"
}
