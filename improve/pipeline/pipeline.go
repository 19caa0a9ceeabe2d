package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
)

// Options are what a Pipeline works with. Queue, Sessions and Redact are needed.
type Options struct {
	Queue    func(ctx context.Context) (improve.Queue, error)         // opened when it is needed first
	Sessions Sessions                                                 // how sessions are read
	Turns    Turns                                                    // reads turns of them again; without it no guidance comes by itself
	Redact   func(string) string                                      // of requests that other tools left
	Config   func(project string) (improve.Config, error)             // settings of automation; the defaults where it is nil
	Forge    func(ctx context.Context, project string) (Forge, error) // of a project; no forge is asked where it is nil
	Keys     func(ctx context.Context) ([][]byte, error)              // for markers, the first one signs what we file; needed with Forge
	Authors  []string                                                 // further accounts of the team, whose issues count too
	Origin   func(project string) (repo, remote string)               // the repository in a folder, and where it can be cloned; none is known where it is nil
	User     func() string                                            // who approves what is filed approved; nobody is named where it is nil
	Disabled func() string                                            // why all automation is off, "" where it is not; may be nil
	Notify   func(text string)                                        // told what a person should know of; may be nil
	Filed    func(it improve.Item)                                    // told of each request that was put into the queue; may be nil
	Now      func() time.Time                                         // time.Now where it is nil
	Judge    func(it improve.Item) improve.Judge                      // of impact; the rule that found the trouble where it is nil
	Random   func() uint64                                            // for ids; the system's where it is nil
}

// Sessions reads sessions and reflects on them; see improve/scan.
type Sessions interface {
	Reflect(ctx context.Context, q improve.Query) (improve.Reflection, error)
	ReflectOne(ctx context.Context, s improve.StoppedSession) (improve.Result, bool, error)
}

// Forge is where the issues of a project are, not opened yet; see forge/registry.
type Forge interface {
	String() string
	HasToken(ctx context.Context) error
	Open(ctx context.Context) (forge.Opened, error)
}

// Query says which sessions of which project are meant.
type Query struct {
	Project string    // root folder of the repository to improve
	Names   []string  // files, folders and sessions; those of the project where there are none
	Host    string    // only sessions of this host
	Since   time.Time // only sessions that were at work since
	Offline bool      // do not ask the forge

	Kind improve.Kind // of what New makes; "" is for the finding to decide
}

// Errors of Findings.Choose.
var (
	// ErrNothing: the sessions show nothing that went wrong.
	ErrNothing = errors.New("nothing went wrong that we know of: trimtab reflect says where it looked")
	// ErrNoCase: no case has this number or fingerprint.
	ErrNoCase = errors.New("no case has this number or fingerprint")
)

// Pipeline turns sessions into requests. It may be used by several goroutines.
type Pipeline struct{ opt Options }

// New returns a pipeline.
func New(opt Options) (*Pipeline, error) {
	if opt.Queue == nil || opt.Sessions == nil || opt.Redact == nil {
		return nil, errors.New("improve: a pipeline needs a queue, sessions and what takes out secrets")
	}
	if opt.Forge != nil && opt.Keys == nil {
		return nil, errors.New("improve: a forge can only be asked with the key that signs what we file")
	}
	if opt.Config == nil {
		opt.Config = func(string) (improve.Config, error) { return improve.Config{}, nil }
	}
	if opt.User == nil {
		opt.User = func() string { return "" }
	}
	if opt.Origin == nil {
		opt.Origin = func(string) (string, string) { return "", "" }
	}
	if opt.Disabled == nil {
		opt.Disabled = func() string { return "" }
	}
	if opt.Notify == nil {
		opt.Notify = func(string) {}
	}
	if opt.Filed == nil {
		opt.Filed = func(improve.Item) {}
	}
	if opt.Judge == nil {
		opt.Judge = judgeByRule
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = randomNumber
	}
	return &Pipeline{opt: opt}, nil
}

func randomNumber() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

func (p *Pipeline) notify(format string, args ...any) { p.opt.Notify(fmt.Sprintf(format, args...)) }

// Findings is what sessions show of a project, and what speaks against work on it.
// Close it.
type Findings struct {
	Project string
	Repo    string           // the repository there, "" where none is known
	Cases   []improve.Case   // the worst first
	Results []improve.Result // one a session
	Config  improve.Config   // of automation
	Past    []improve.Item   // all that the queue has
	Where   string           // the forge, for a person; "" where it was not looked for

	dismissed improve.Dismissals // which people found not useful

	queue  improve.Queue
	files  map[string]string // of the sessions; "" for one in our own store
	remote string            // address of the repository
	off    string            // why all automation is off
	filed  *forge.Idempotent // nil where the forge cannot be asked
	opened forge.Opened
}

// Close closes the forge. The queue stays open: it is the caller's.
func (f *Findings) Close() error {
	if f.opened.Close == nil {
		return nil
	}
	return f.opened.Close()
}

// Look reflects on the sessions of a project, or on those that are named, and finds
// out what a decision depends on.
func (p *Pipeline) Look(ctx context.Context, q Query) (*Findings, error) {
	cfg, err := p.opt.Config(q.Project)
	if err != nil {
		return nil, err
	}
	f := &Findings{Project: q.Project, Config: cfg, files: map[string]string{}}
	f.Repo, f.remote = p.opt.Origin(q.Project)
	which := improve.Query{Names: q.Names, Host: q.Host, Since: q.Since, Exposure: true}
	if len(q.Names) == 0 {
		which.Project = q.Project
	}
	r, err := p.opt.Sessions.Reflect(ctx, which)
	if err != nil {
		return nil, err
	}
	for _, each := range r.Results {
		f.Results = append(f.Results, each.Result)
		f.files[each.SessionID] = each.File
	}
	if err := p.loadContext(ctx, f, q.Offline); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	useful, _ := f.dismissed.Split(r.Merged)
	f.Cases = improve.Cases(useful, q.Project)
	for i := range f.Cases {
		f.Cases[i].Metrics, f.Cases[i].Repo = &r.Metrics, f.Repo
	}
	return f, nil
}

// Choose returns the case that a person names by its number or the beginning of its
// fingerprint; the first for "".
func (f *Findings) Choose(which string) (improve.Case, error) {
	if d, ok := dismissal(f.dismissed, which); ok {
		return improve.Case{}, fmt.Errorf("%s was found not useful%s; trimtab improve dismiss --undo %[1]s lets it count again", d.Fingerprint, byWhom(d))
	}
	if len(f.Cases) == 0 {
		return improve.Case{}, ErrNothing
	}
	if which == "" {
		return f.Cases[0], nil
	}
	for i, c := range f.Cases {
		if which == fmt.Sprint(i+1) || len(which) >= leastFingerprint && strings.HasPrefix(c.Pattern.Fingerprint, which) {
			return c, nil
		}
	}
	return improve.Case{}, fmt.Errorf("%q: %w; there are %d", which, ErrNoCase, len(f.Cases))
}

// Filed returns the item that the queue has of a case.
func (f *Findings) Filed(c improve.Case) (improve.Item, bool) {
	return improve.Newest(f.Past, c.Pattern.Fingerprint, f.Repo, f.Project)
}

// loadContext reads the queue and, unless it is offline, opens the forge. A forge
// without a token is not asked: whoever files there looks again.
func (p *Pipeline) loadContext(ctx context.Context, f *Findings, offline bool) error {
	var err error
	if f.queue, err = p.opt.Queue(ctx); err != nil {
		return err
	}
	if f.Past, err = f.queue.Items(ctx); err != nil {
		return err
	}
	if f.dismissed, err = (decide.Findings{Files: f.queue}).Dismissed(ctx); err != nil {
		return err
	}
	if f.off, err = p.Halted(ctx); err != nil || offline || p.opt.Forge == nil {
		return err
	}
	where, err := p.opt.Forge(ctx, f.Project)
	if err != nil {
		return err
	}
	f.Where = where.String()
	if err := where.HasToken(ctx); err != nil {
		p.notify("the forge was not asked what is filed there: %s", err)
		return nil
	}
	if f.opened, err = where.Open(ctx); err != nil {
		return err
	}
	keys, err := p.opt.Keys(ctx)
	if err != nil {
		return err
	}
	f.filed, err = forge.NewIdempotent(f.opened.Forge, forge.Options{Keys: keys, Authors: p.opt.Authors, Log: f.queue, Now: p.opt.Now})
	return err
}

// Halted says why no work may begin, "" where it may.
func (p *Pipeline) Halted(ctx context.Context) (string, error) {
	if why := p.opt.Disabled(); why != "" {
		return why, nil
	}
	q, err := p.opt.Queue(ctx)
	if err != nil {
		return "", err
	}
	halt, err := q.Halted(ctx)
	if halt {
		return "it was stopped; trimtab improve start lets work begin", err
	}
	return "", err
}

// Decide asks every gate about a case.
func (p *Pipeline) Decide(ctx context.Context, f *Findings, c improve.Case) improve.Verdict {
	s := improve.Situation{Now: p.opt.Now().UTC(), Disabled: f.off, Past: f.Past}
	if f.filed != nil {
		switch issue, ok, err := f.filed.Find(ctx, c.Fingerprint()); {
		case err != nil:
			p.notify("the forge could not say what is filed there: %s", err)
		case !ok:
			s.Forge = improve.NotFiled
		case issue.State == forge.Open:
			s.Forge, s.Where = improve.FiledOpen, issue.URL
		default:
			s.Forge, s.Where = improve.FiledClosed, issue.URL
		}
	}
	return improve.Decide(f.Config, c, s)
}

// Reason is a case with every gate, and its number among the cases.
type Reason struct {
	Number  int             `json:"number"`
	Pattern improve.Pattern `json:"pattern"`
	improve.Verdict
}

// maxReasons is how many cases Why tells of.
const maxReasons = 10

// Why says which gates hold back what sessions show, of the worst cases. Where is
// the forge that was looked at.
func (p *Pipeline) Why(ctx context.Context, q Query) (reasons []Reason, where string, err error) {
	f, err := p.Look(ctx, q)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	reasons = []Reason{}
	for i, c := range f.Cases[:min(len(f.Cases), maxReasons)] {
		reasons = append(reasons, Reason{i + 1, c.Pattern, p.Decide(ctx, f, c)})
	}
	return reasons, f.Where, nil
}
