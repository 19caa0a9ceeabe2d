package tui

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/usercommand"
)

// Config is how the chat looks.
type Config struct {
	Theme string `json:"theme" guard:"user" default:"last" enum:"last,auto,dark,light,warm,contrast,basic,plain" doc:"its colours; last is what /theme chose last, auto goes by the terminal's background"`
}

// Named is the theme that the settings name, or the one that was chosen last.
func (c Config) Named(last string) string {
	if c.Theme == "last" {
		return last
	}
	return c.Theme
}

// Service is the part of session.Service that the chat goes through.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Session(ctx context.Context, id string) (trimtab.Session, error)
	Engine() *trimtab.Engine
}

// Runner takes prompts to a model. An agent.Agent is one.
type Runner interface {
	Run(ctx context.Context, session string, prompt trimtab.Message) iter.Seq2[agent.Event, error]
}

// Permit asks the person whether a tool may run.
type Permit func(ctx context.Context, ask tool.Ask) (tool.Reply, error)

// Chosen is a model that can be asked.
type Chosen struct {
	Runner
	Name    string // of the model; the one that was asked for, or that "" stands for
	Note    string // told to the person; may be empty
	Sandbox string // what the footer says of the sandbox; "" says nothing
}

// Item is a line of a list that a person chooses from or reads.
type Item struct {
	Name string // what is shown, and chosen
	Key  string // what is chosen instead; "" is Name
	Text string // one line about it
	Off  string // why it cannot be chosen now; "" if it can
}

// Options are what the chat is given. Service, Begin, Agent and Messages are
// required; what else is missing is not offered, or not shown.
type Options struct {
	Service Service
	Folder  string   // the project
	Home    string   // shown as ~
	Session string   // go on with this one; "" begins a new one with the first prompt
	Pick    bool     // begin with the list of sessions
	Model   string   // its name; "" leaves it to Agent
	Notices []string // told at the beginning
	Editor  string   // the command of the external editor
	Theme   string   // one of page.Named; "" and "auto" go by the terminal

	Begin     func(ctx context.Context, model string) (trimtab.Session, error)
	Agent     func(ctx context.Context, model string, permit Permit) (Chosen, error)
	Messages  func(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error]
	Sessions  func(ctx context.Context, all bool) ([]trimtab.Info, error) // newest first; of this folder, or all
	Models    func(ctx context.Context) ([]Item, error)
	Keep      func(model string) error        // remembers a model that the person chose
	Keys      func() []Item                   // providers whose key can be entered; Key is its name
	SaveKey   func(name, secret string) error // keeps a key that was entered
	Tools     func(s trimtab.Session) []Item  // Off: not offered in the present mode
	Export    func(ctx context.Context, id, file string) (path string, err error)
	Files     func(ctx context.Context) ([]string, error)          // paths of the project that can be named with @; folders end with a slash
	Prompt    func(text string) (m trimtab.Message, left []string) // the message of a prompt, and what could not go with it; nil is the text alone
	Recall    func(ctx context.Context) ([]string, error)          // what was typed in earlier sessions, oldest first
	Branch    func(ctx context.Context) string                     // of the folder's repository
	Cost      func(model string, u trimtab.Usage) (dollars float64, known bool)
	Window    func(model string) int                                                     // tokens that the model takes; 0 is unknown
	Shell     func(command string) (agent.Runner, error)                                 // runs a command of the person
	Claim     func(id string) (release func(), taken bool)                               // takes a session for this chat alone
	Rewind    func(ctx context.Context, id string, seq int, force bool) (Rewound, error) // takes turns back from a prompt on
	Redo      func(ctx context.Context, id string, force bool) (Rewound, error)          // brings back what was taken back last
	Diff      func(id string, seq int) (string, error)                                   // what changed in files since a prompt
	Changes   func(id string) map[string][]tool.FileChange                               // what each call of a session changed
	TakenBack func(s trimtab.Session) []trimtab.Fold                                     // messages that were taken back
	KeepTheme func(name string) error                                                    // remembers colours that the person chose
	Jobs      func() []tool.Job                                                          // commands in the background
	StopJob   func(id string) error                                                      // ends one
	LostJobs  func(session string) string                                                // what ran in the background when an earlier program ended; "" is nothing
	Explain   func(err error) string                                                     // an error in a person's words

	UserCommands func() []usercommand.Command        // prompts from files
	Read         func(cmd usercommand.Command) bool  // the person has read it, where that is asked for
	TakeCommand  func(cmd usercommand.Command) error // the person has read it now

	Clock func() time.Time // nil is time.Now
	In    io.Reader        // nil is the terminal
	Out   io.Writer        // nil is the terminal
	Env   []string         // nil is the environment
}

func (o Options) ready() (Options, error) {
	if o.Service == nil || o.Begin == nil || o.Agent == nil || o.Messages == nil {
		return o, errors.New("the chat needs a Service, Begin, Agent and Messages")
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Explain == nil {
		o.Explain = func(err error) string { return err.Error() }
	}
	return o, nil
}
