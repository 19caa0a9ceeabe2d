// Package welcome is the first look that trimtab init takes: which agents are here, what
// went wrong in their sessions of the last weeks, and what Trimtab would have said in them.
// It reads and counts; it writes nothing, starts no agent and calls no model.
//
//	look, err := welcome.Take(ctx, welcome.Options{Reflect: scanner.Reflect, Read: record.Sessions, Since: monthAgo, …})
//	err = look.Text(os.Stdout, welcome.Layout{Width: 80, Zone: time.Local})
package welcome

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/judge"
)

// usual is how many of the newest sessions are played by default: enough to show what
// would be said, and done in seconds.
const usual = 40

// Options are what a look works with. All are needed.
type Options struct {
	Reflect func(context.Context, improve.Query) (improve.Reflection, error)
	Read    func(ctx context.Context, path, host string) iter.Seq2[replay.Recorded, error] // the sessions of a file
	Engine  *trimtab.Engine
	Since   time.Time
	Files   []string                                           // of sessions, the newest first
	Most    int                                                // sessions to play
	Program func(name string) (string, error)                  // finds a program, as exec.LookPath does
	Steered func(host string) (hooks, known bool)              // whether our hooks are in an agent's settings; unknown where it takes none
	Advice  func(patterns []improve.Merged, most int) []string // what to do about the first of them, as report.First says it
	Redact  func(string) string
}

// Agent is an agent that is installed here or has left sessions.
type Agent struct {
	Name     string `json:"name"`
	Program  string `json:"program,omitempty"` // where it is; empty where it is not installed
	Sessions int    `json:"sessions"`          // since the time that was asked for
	Hooks    bool   `json:"steered"`
	Takes    bool   `json:"can_be_installed"` // hooks
}

// Ready reports whether an agent is here and could be steered, and is not yet.
func (a Agent) Ready() bool { return a.Program != "" && a.Takes && !a.Hooks }

// Said is how often one thing would have been said.
type Said struct {
	Kind     judge.Kind `json:"kind"`
	Count    int        `json:"count"`
	Sessions int        `json:"sessions"`
}

// Example is one note that would have been given.
type Example struct {
	Kind  judge.Kind `json:"kind"`
	Host  string     `json:"host,omitempty"`
	Title string     `json:"title,omitempty"`
	File  string     `json:"file"`
	Step  int        `json:"step"`
	Text  string     `json:"text"`
}

// Look is what was seen.
type Look struct {
	Since    time.Time `json:"since"`
	Agents   []Agent   `json:"agents"`
	Sessions int       `json:"sessions"`
	Do       []string  `json:"do_first"` // about what went wrong in several sessions
	Patterns int       `json:"patterns"`
	Played   int       `json:"sessions_played"`
	Steps    int       `json:"steps_played"`
	Would    []Said    `json:"would_have_said"`
	Example  *Example  `json:"example,omitempty"`
	Unread   []string  `json:"unreadable,omitempty"`
}

// telling is the order in which kinds make an example, the most telling first.
var telling = []judge.Kind{"loop", "unproved finish", "same report", "open todo", "announced step", "todo", "goal"}

// Take looks. What cannot be read is named in the result and hides nothing else.
func Take(ctx context.Context, opt Options) (Look, error) {
	r, err := opt.Reflect(ctx, improve.Query{Since: opt.Since})
	if err != nil {
		return Look{}, err
	}
	l := Look{Since: opt.Since, Sessions: len(r.Results) - r.Agents, Do: opt.Advice(r.Merged, 3), Patterns: len(r.Merged), Unread: r.Unread, Would: []Said{}}
	l.Agents = agents(opt, r.Hosts)
	return l, l.play(ctx, opt, r.Results)
}

func agents(opt Options, sessions map[string]int) []Agent {
	out := []Agent{}
	for _, h := range host.All() {
		a := Agent{Name: h.Name, Sessions: sessions[h.Name]}
		if h.Name == trimtab.OwnHost {
			continue
		}
		if h.Launch.Command != "" {
			a.Program, _ = opt.Program(h.Launch.Command)
		}
		if a.Hooks, a.Takes = opt.Steered(h.Name); a.Program != "" || a.Sessions > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b Agent) int { return cmp.Compare(b.Sessions, a.Sessions) })
	return out
}

// play takes the newest sessions through the engine.
func (l *Look) play(ctx context.Context, opt Options, results []improve.SessionResult) error {
	looked := map[string]string{}
	for _, r := range results {
		looked[r.File] = r.Host
	}
	kinds, err := judge.ReadKinds("")
	if err != nil {
		return err
	}
	said := map[judge.Kind]*Said{}
	for _, file := range opt.Files {
		if _, ok := looked[file]; !ok {
			continue // before that time, or of ours
		}
		for session, err := range opt.Read(ctx, file, "") {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil || l.Played == opt.Most {
				break // reflection has named what cannot be read
			}
			rep, err := replay.Run(opt.Engine, session.Info, session.All(), replay.Prices{})
			if err != nil {
				continue
			}
			l.Played++
			l.Steps += rep.Steps
			l.count(opt, said, kinds, rep, Example{File: file, Host: looked[file], Title: rep.Title})
		}
	}
	for _, s := range said {
		l.Would = append(l.Would, *s)
	}
	slices.SortFunc(l.Would, func(a, b Said) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) })
	return nil
}

// count adds what would have been said in one session.
func (l *Look) count(opt Options, said map[judge.Kind]*Said, kinds judge.Kinds, rep replay.Report, where Example) {
	here := map[judge.Kind]bool{}
	add := func(kind judge.Kind, step int, text string) {
		s := said[kind]
		if s == nil {
			s = &Said{Kind: kind}
			said[kind] = s
		}
		s.Count++
		if !here[kind] {
			here[kind] = true
			s.Sessions++
		}
		if text != "" && (l.Example == nil || rank(kind) < rank(l.Example.Kind)) {
			e := where
			e.Kind, e.Step, e.Text, e.Title = kind, step, opt.Redact(text), opt.Redact(e.Title)
			l.Example = &e
		}
	}
	for _, n := range rep.Notes {
		add(kinds.Of(n.By, n.Slot, n.Why), n.Step, n.Text)
	}
	for _, s := range rep.Spoken {
		if s.Kind != replay.Noticed { // to the person, not to the agent
			add(kinds.Of(s.By, string(s.Kind), s.Why), s.Step, s.Text)
		}
	}
}

func rank(kind judge.Kind) int {
	if i := slices.Index(telling, kind); i >= 0 {
		return i
	}
	return len(telling)
}
