package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/edit"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// chat is the program: what is on the screen and what is under way.
type chat struct {
	ctx  context.Context
	opt  Options
	send func(tea.Msg) // from outside the loop

	program *tea.Program // nil in tests
	pulse   *pulse

	width, height int
	look          look
	page          *page.Page
	text          edit.Text
	menu          menu
	past          past
	dialog        dialog      // nil if none is open
	asks          []*question // of tools, waiting for an answer; the first is shown
	toast         toast
	verbose       bool
	leaving       bool      // Ctrl+C was pressed once
	chord         bool      // Ctrl+X was pressed
	typed         time.Time // when something was last written
	looked        time.Time // when the session was last looked at for the footer
	away          bool      // the terminal said that another window has the keys

	session trimtab.Session // as last seen; no ID before the first prompt
	status  []trimtab.Status
	branch  string
	model   string
	agent   Chosen
	sum     sum
	used    int             // tokens of the next request, as the agent reckons; 0 is not known
	window  int             // that the model takes
	noted   map[string]bool // what was told once
	claim   claim
	asides  []trimtab.Text // what commands of the person brought since the last prompt

	queued   jobQueue
	starting bool   // a prompt is on its way to the agent
	run      *run   // nil while nothing is under way
	runs     group  // all of them, to wait for
	sending  string // the prompt that is
	undone   string // the prompt that the last undo gave back
	given    given
	queue    []string // prompts for when the run is over
	after    []func() tea.Cmd
	paused   bool
	files    files
	jobs     jobBoard
	values   map[string][]string // of arguments, by the command: what lists have shown so far
}

// toast is the line above the editor that says what just happened.
type toast struct {
	text string
	bad  bool
	at   time.Time
}

// toastTime is how long it stays true what was just said: the next key after it takes it away.
const toastTime = 8 * time.Second

func newChat(ctx context.Context, opt Options) *chat {
	c := &chat{ctx: ctx, opt: opt, model: opt.Model, look: newLook(), send: func(tea.Msg) {}, noted: map[string]bool{}}
	c.look.named = opt.Theme
	c.page = page.New(c.look.choose())
	for _, n := range opt.Notices {
		c.page.Notice(n)
	}
	return c
}

// Init asks what the terminal looks like and opens the session to go on with.
func (c *chat) Init() tea.Cmd {
	c.pulse = newPulse(tickerOf(c.program))
	cmds := []tea.Cmd{tea.RequestBackgroundColor, c.findBranch()}
	if c.opt.Session != "" { // its model is chosen when it is there
		return tea.Batch(append(cmds, c.open(c.opt.Session))...)
	}
	cmds = append(cmds, c.choose(c.opt.Model))
	if c.opt.Pick {
		cmds = append(cmds, c.pickSession())
	}
	return tea.Batch(cmds...)
}

// Update takes what happened.
func (c *chat) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c.pulse.beat()
	return c, c.take(msg)
}

func (c *chat) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		c.look.profile = msg.Profile
		c.page.SetTheme(c.look.choose())
	case tea.BackgroundColorMsg:
		c.look.light = !msg.IsDark()
		c.page.SetTheme(c.look.choose())
	case tea.KeyPressMsg:
		return c.key(msg)
	case tea.FocusMsg:
		c.away = false
	case tea.BlurMsg:
		c.away = true
	case tea.PasteMsg:
		return c.paste(msg.Content)
	case tea.MouseWheelMsg:
		c.wheel(msg)
	case tea.MouseClickMsg:
		c.click(msg)
	case batch:
		return c.events(msg)
	case tick:
		return c.tock()
	case done:
		return c.finish(msg)
	case again:
		if msg.try == c.queued.try { // else it was given up in the meantime, or tried
			c.queued.waits = false
			return c.work()
		}
	case tea.QuitMsg, nil:
	default:
		return c.answer(msg)
	}
	return nil
}

// answer takes the results of what the chat asked for.
func (c *chat) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case started:
		return c.begin(msg)
	case renewed:
		c.renew()
	case asked:
		return c.asked(msg)
	case opened:
		return c.opened(msg)
	case seen:
		c.see(msg.session)
	case branch:
		c.branch = string(msg)
	case *question:
		return c.question(msg)
	case listed:
		c.listed(msg)
	case Chosen:
		c.chosen(msg)
	case recalled:
		c.past.add(msg)
	case found:
		return c.found(msg)
	case edited:
		c.edited(msg)
	case rewound:
		return c.rewound(msg)
	case diffed:
		c.diffed(msg)
	case saved:
		return c.saved(msg)
	case told:
		c.tell(msg)
	case jobsSeen:
		return c.jobsSeen(msg)
	case lookAgain:
		c.jobs.asking = false
		return c.lookAtJobs()
	}
	return nil
}

// told is something to show in the conversation.
type told struct {
	text string
	err  error
}

func (c *chat) tell(t told) {
	if t.err != nil {
		c.page.Fault(c.opt.Explain(t.err))
		return
	}
	c.page.Notice(t.text)
}

// say shows a word about what just happened, complain one about what did not.
func (c *chat) say(text string)      { c.toast = toast{termsafe.Line(text), false, c.opt.Clock()} }
func (c *chat) complain(text string) { c.toast = toast{termsafe.Line(text), true, c.opt.Clock()} }

// seen is the session as it is now.
type seen struct{ session trimtab.Session }

// refresh looks at the session again, for the footer.
func (c *chat) refresh() tea.Cmd {
	ctx, id := c.ctx, c.session.ID
	if id == "" {
		return nil
	}
	return func() tea.Msg {
		s, err := c.opt.Service.Session(ctx, id)
		if err != nil {
			return nil // the footer keeps what it had; whoever needs the session will say so
		}
		return seen{s}
	}
}

func (c *chat) see(s trimtab.Session) {
	if s.ID == c.session.ID {
		c.session, c.status = s, c.opt.Service.Engine().Status(s)
	}
}

// claim is the session that this chat has for itself.
type claim struct {
	id      string
	release func()
	taken   bool // else another chat has it, and this one only looks
}

// hold takes a session for this chat, and lets go of the one before.
func (c *chat) hold(id string) {
	if c.opt.Claim == nil || id == c.claim.id {
		return
	}
	if c.claim.release != nil {
		c.claim.release()
	}
	if c.claim = (claim{id: id, taken: true}); id == "" {
		return
	}
	if c.claim.release, c.claim.taken = c.opt.Claim(id); !c.claim.taken {
		c.page.Notice("this session is open in another chat: here it can only be read; /new begins another")
	}
}

// readOnly reports whether the session belongs to another chat.
func (c *chat) readOnly() bool { return c.claim.id != "" && !c.claim.taken }

type branch string

func (c *chat) findBranch() tea.Cmd {
	if c.opt.Branch == nil {
		return nil
	}
	return func() tea.Msg { return branch(c.opt.Branch(c.ctx)) }
}
