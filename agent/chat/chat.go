// Package chat puts together a chat with our own agent in one folder: which model
// answers, which tools it is offered, what the project says to it, which session it
// goes on with. It draws nothing and reads no key, flag or settings file: a surface
// asks it for what it shows, and a program that has no surface runs prompts with it.
//
//	c, err := chat.Open(chat.Options{Service: sessions, Archive: store, Models: models, Dir: dir})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	chosen, err := c.Choose(ctx, "anthropic/claude-opus-5", nil)
//	s, err := c.Begin(ctx, chosen.Name)
//	for ev, err := range chosen.Run(ctx, s.ID, trimtab.Prompt("what is in this folder?")) {
//		…
//	}
package chat

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/attach"
	"github.com/trimtab/trimtab/agent/check"
	"github.com/trimtab/trimtab/agent/instruct"
	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/record"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/snapshot"
	"github.com/trimtab/trimtab/agent/summary"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/toolset"
	"github.com/trimtab/trimtab/agent/usercommand"
	"github.com/trimtab/trimtab/agent/web"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer/mode"
)

//go:embed system.md
var system string

// Models finds models by their names; see llm/registry.
type Models interface {
	// Default is the model where none is named. Hint says what to do for a real one
	// where it is only the demo.
	Default(ctx context.Context) (name, hint string)
	Open(ctx context.Context, name string) (llm.Model, error)
}

// Permit asks a person whether a tool may run. Where there is none, what would have to
// be asked for is refused.
type Permit func(ctx context.Context, ask tool.Ask) (tool.Reply, error)

// Options are what a chat is made of. Service, Archive, Models and Dir are required.
type Options struct {
	Service *session.Service
	Archive trimtab.Archive
	Models  Models
	Dir     string // the folder that the agent works in

	Home    string   // what ~ stands for
	Environ []string // of commands and of MCP servers
	Version string   // of this program, for MCP servers

	Tools   tool.Config
	Web     web.Config
	Sandbox sandbox.Config
	MCP     mcp.Config
	Hide    []string // files and folders that commands may not read, such as keys

	// Built is a folder with one for each project, in which its commands keep what they
	// built: else every chat compiles everything anew. "" keeps it while the chat is open.
	Built string

	ByMode map[string]string                  // models for modes, by the name of the mode
	Modes  func() []mode.Definition           // all that a session may be in; nil is the built-in ones
	Refuse func(f instruct.File) (why string) // why what the project says is not told to the model, "" tells it; nil refuses all
	Clock  func() time.Time                   // nil is time.Now
	Left   func(why error)                    // told of the session's own model where it is unavailable; nil drops it

	CheckTime time.Duration // the longest that a check before a stop may take; 0 neither runs one nor asks the working tree
	Receipts  string        // folder in which their receipts are kept; "" keeps none

	Window    func(model string) int // tokens that a model takes, 0 is not known; nil knows none
	Record    string                 // folder in which what turns did is kept; "" keeps nothing, and nothing can be undone
	LastModel string                 // file with the name of the model that was chosen last; "" remembers none
	LastTheme string                 // the same for colours
	Commands  string                 // folder with the person's own commands; "" has none
	Grants    tool.Grants            // what the person allows beyond a session; nil keeps nothing

	Unattended bool // nobody can be asked: the model is told so
	ReadOnly   bool // only tools that look are offered

	Unrestricted bool // no mode takes a tool away
}

// Chat is a chat in one folder. It may be used from several goroutines.
type Chat struct {
	opt    Options
	folder *tool.Folder

	choosing sync.Mutex   // one model at a time is wired: a surface may ask for two at once
	told     bool         // what of the project's instructions was left out
	packing  sync.Mutex   // for set and taken
	set      *toolset.Set // nil until it is put together
	taken    map[string]bool

	log   *record.Log     // nil where nothing is kept
	shots *snapshot.Shots // the same
	gone  lostJobs
	mine  sync.Map // ids of the sessions that this process has claimed
}

// Chosen is a model that prompts can be run with.
type Chosen struct {
	agent.Runner
	Name    string         // of the model
	Note    string         // for the person; may be empty
	Sandbox sandbox.Status // what confines the commands of its tools
}

// Open opens the folder.
func Open(opt Options) (*Chat, error) {
	if opt.Service == nil || opt.Archive == nil || opt.Models == nil {
		return nil, errors.New("a chat needs a session service, an archive and models")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Modes == nil {
		opt.Modes = func() []mode.Definition { return append(mode.BuiltIn(), mode.Sessions()...) }
	}
	if opt.Refuse == nil {
		opt.Refuse = func(instruct.File) string { return "not trusted" }
	}
	if opt.Left == nil {
		opt.Left = func(error) {}
	}
	folder, err := tool.Open(opt.Dir)
	if err != nil {
		return nil, err
	}
	folder.SetGrants(opt.Grants)
	c := &Chat{opt: opt, folder: folder}
	if opt.Record != "" {
		c.log = record.Open(opt.Record)
		folder.KeepJobs(c.keepJobs)
		if !opt.ReadOnly {
			c.shots = snapshot.New(folder.Dir(), filepath.Join(opt.Record, ".snapshots"))
		}
	}
	return c, nil
}

// Close ends the MCP servers and lets go of the folder.
func (c *Chat) Close() error {
	_ = c.folder.Close() // nothing was written through it that is not on the disk
	var err error
	if c.shots != nil {
		err = c.shots.Close()
	}
	if c.set == nil {
		return err
	}
	return errors.Join(err, c.set.Close())
}

// Folder is the folder as tools see it.
func (c *Chat) Folder() *tool.Folder { return c.folder }

// Model finds a model by its name: "" is the default, and "demo:FILE" plays a script.
// Note is what a person should know of it.
func (c *Chat) Model(ctx context.Context, name string) (m llm.Model, note string, err error) {
	if file, ok := strings.CutPrefix(name, "demo:"); ok {
		m, err = playScript(file)
		return m, "", err
	}
	hint := ""
	if name == "" {
		if last := c.last(); last != "" {
			if m, err = c.opt.Models.Open(ctx, last); err == nil {
				return m, "", nil
			}
			c.opt.Left(fmt.Errorf("%s, which was chosen last: %w", last, err))
		}
		name, hint = c.opt.Models.Default(ctx)
	}
	m, err = c.opt.Models.Open(ctx, name)
	if err == nil && m.Name() == "demo" {
		note = "This is the built-in demo model: no key, no network. " + hint
	}
	return m, strings.TrimSpace(note), err
}

// Remember keeps a model for the chats to come. The demo is not worth remembering: a key
// that is set later must not be passed over for it.
func (c *Chat) Remember(name string) error {
	if strings.HasPrefix(name, "demo") {
		return nil
	}
	return keep(c.opt.LastModel, name)
}

// RememberTheme keeps a choice of colours for the chats to come.
func (c *Chat) RememberTheme(name string) error { return keep(c.opt.LastTheme, name) }

// Theme is the choice of colours that was kept last; "" is none.
func (c *Chat) Theme() string { return kept(c.opt.LastTheme) }

func (c *Chat) last() string { return kept(c.opt.LastModel) }

func keep(file, name string) error {
	if file == "" || name == "" {
		return nil
	}
	if err := atomicfile.Write(file, []byte(name+"\n"), 0o600); err != nil {
		return fmt.Errorf("the choice of %s is not remembered: %w", name, err)
	}
	return nil
}

func kept(file string) string {
	if file == "" {
		return ""
	}
	raw, err := readSmall(file, 1<<10)
	if err != nil {
		return "" // none was chosen yet
	}
	return strings.TrimSpace(string(raw))
}

// maxScript is the largest script of the demo model, in bytes.
const maxScript = 4 << 20

func playScript(file string) (llm.Model, error) {
	text, err := readSmall(file, maxScript)
	if err != nil {
		return nil, fmt.Errorf("model demo:%s: %w", file, err)
	}
	script, err := demo.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("model demo:%s: %w", file, err)
	}
	return demo.Play(file, script, demo.Options{}), nil
}

func readSmall(file string, most int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%d bytes are over the limit of %d", info.Size(), most)
	}
	return os.ReadFile(file)
}

// Choose wires a model to the tools, to what the project says, and to the session
// service.
func (c *Chat) Choose(ctx context.Context, name string, permit Permit) (Chosen, error) {
	c.choosing.Lock()
	defer c.choosing.Unlock()
	model, note, err := c.Model(ctx, name)
	if err != nil {
		return Chosen{}, err
	}
	tools, err := c.tools()
	if err != nil {
		return Chosen{}, err
	}
	said, err := instruct.Read(c.opt.Dir, c.opt.Refuse)
	if err != nil {
		return Chosen{}, err
	}
	if !c.told { // once is enough
		note, c.told = strings.TrimSpace(note+"\n"+said.LeftOut()), true
	}
	opt := agent.Options{History: c.opt.Archive, Tools: c.ownTools(tools), More: tools.More, System: c.role(true) + said.Text, Offer: c.offers, Refuse: c.refuses, Permit: permit, Aside: c.aside}
	if c.opt.CheckTime > 0 && !c.opt.ReadOnly {
		opt.Checker = check.New(check.Options{Confine: tools.Confine, Limit: c.opt.CheckTime, Keep: c.opt.Receipts, Environ: c.opt.Environ, Clock: c.opt.Clock})
	}
	if c.log != nil {
		opt.Recorder = c.log
	}
	with := func(m llm.Model) agent.Runner {
		own := opt
		if c.opt.Window != nil {
			own.Window = c.opt.Window(m.Name())
		}
		if !strings.HasPrefix(m.Name(), "demo") { // it would sum up what it knows by heart
			own.Summarize = summary.Of
		}
		part := own
		part.Tools, part.System = tools.Work(), c.role(false)+said.Text
		own.Tools = append(slices.Clip(own.Tools), agent.Task(m, part))
		return agent.New(c.opt.Service, m, own)
	}
	chosen := Chosen{Runner: with(model), Name: model.Name(), Note: note, Sandbox: tools.Sandbox()}
	if len(c.opt.ByMode) > 0 {
		chosen.Runner = agent.ByMode{
			Models: c.opt.ByMode, Default: chosen.Runner, Session: c.opt.Service.Session, With: with,
			Open: func(ctx context.Context, name string) (llm.Model, error) {
				m, _, err := c.Model(ctx, name)
				return m, err
			},
		}
	}
	return chosen, nil
}

// role is the system prompt without what the project says: of the agent that the person
// talks to, or of one that has a task from it. That one has no todo list and nobody to ask,
// is steered by nobody, and must not be told otherwise.
func (c *Chat) role(main bool) string {
	var out strings.Builder
	said := struct {
		Folder                 string
		Main, Attended, Writes bool
	}{c.opt.Dir, main, !c.opt.Unattended, !c.opt.ReadOnly}
	words := template.Must(template.New("system").Parse(system))
	if err := words.Execute(&out, said); err != nil {
		panic("the system prompt: " + err.Error()) // it is built in, and every branch of it is tested
	}
	return out.String()
}

// ChooseFor chooses the model of a session that is gone on with: the one that is
// named, else the session's own where it is available, else the default. id may be "".
func (c *Chat) ChooseFor(ctx context.Context, id, named string, permit Permit) (Chosen, error) {
	if named == "" && id != "" {
		s, err := c.opt.Service.Session(ctx, id)
		if err != nil {
			return Chosen{}, err
		}
		if s.Model != "" {
			chosen, err := c.Choose(ctx, s.Model, permit)
			if err == nil {
				return chosen, nil
			}
			c.opt.Left(err)
		}
	}
	return c.Choose(ctx, named, permit)
}

// Begin begins a new session of the folder.
func (c *Chat) Begin(ctx context.Context, model string) (trimtab.Session, error) {
	return c.opt.Service.Begin(ctx, trimtab.Info{ID: NewID(c.opt.Clock()), Host: trimtab.OwnHost, Project: c.opt.Dir, Model: model})
}

// NewID is an id for a new session: the time for people, and a few random letters
// against collisions.
func NewID(now time.Time) string {
	return now.UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:6])
}

// Prompt makes a message of what a person wrote, with the pictures that it names, and
// says what of these could not go with it. A command of the person's own goes with the
// text of its file, which nobody typed.
func (c *Chat) Prompt(text string) (m trimtab.Message, left []string) {
	m, left = attach.Images{Dir: c.opt.Dir, Home: c.opt.Home}.Prompt(text)
	cmd, args, ok := usercommand.Match(c.UserCommands(), text)
	switch {
	case !ok:
	case !c.Read(cmd):
		left = append(left, "/"+cmd.Name+" is a command of the project that nobody has read yet, and was not used; give it in the chat, which shows it first")
	default:
		m.Parts = append(m.Parts, trimtab.Text{Text: cmd.Expand(args), By: trimtab.Host})
	}
	return m, left
}

// CheckOwn refuses a session that another agent has: it goes on where it was begun.
func CheckOwn(s trimtab.Session) error {
	if s.Host != trimtab.OwnHost {
		return fmt.Errorf("session %s is one of %s: go on with it there", s.ID, cmp.Or(s.Host, "another agent"))
	}
	return nil
}
