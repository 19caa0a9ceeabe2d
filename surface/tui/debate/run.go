package debate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/surface/tui/edit"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// Options are what the view needs beside the debate.
type Options struct {
	Lines chan<- string // where what is typed goes; buffered, for a few lines
	In    io.Reader     // nil is the terminal
	Out   io.Writer     // nil is the terminal
	Env   []string      // nil is that of the process
}

// Show runs a debate and draws it on the whole terminal until it ends, pauses, or the
// person leaves. It returns the last event of the run.
func Show(ctx context.Context, d *deliberate.Debate, opt Options) (deliberate.Event, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &screen{board: NewBoard(d, page.Dark()), opt: opt, stop: cancel}
	options := []tea.ProgramOption{tea.WithoutSignalHandler()}
	if opt.In != nil {
		options = append(options, tea.WithInput(opt.In))
	}
	if opt.Out != nil {
		options = append(options, tea.WithOutput(opt.Out))
	}
	if opt.Env != nil {
		options = append(options, tea.WithEnvironment(opt.Env))
	}
	p := tea.NewProgram(s, options...)
	var last deliberate.Event
	var failed error
	var running sync.WaitGroup
	running.Go(func() {
		for ev, err := range d.Run(ctx) {
			if err != nil {
				failed = err
				break
			}
			last = ev
			p.Send(happened{ev})
		}
		p.Send(over{document(ctx, d, last, failed)})
	})
	_, err := p.Run()
	cancel()
	running.Wait() // what was said is being stored
	if errors.Is(err, tea.ErrProgramPanic) {
		err = fmt.Errorf("the view crashed: %w; the debate is saved up to its last message", err)
	}
	return last, errors.Join(failed, err)
}

// happened is an event of the debate, over its end.
type (
	happened struct{ ev deliberate.Event }
	over     struct{ document string } // "" where there is none to read
)

// document is what came of a debate that ended by itself.
func document(ctx context.Context, d *deliberate.Debate, last deliberate.Event, failed error) string {
	if _, ended := last.(deliberate.Ended); !ended || failed != nil || ctx.Err() != nil {
		return ""
	}
	return d.Outcome(last, "").Markdown()
}

// screen is the program on the terminal.
type screen struct {
	board         *Board
	opt           Options
	stop          context.CancelFunc
	width, height int
	text          edit.Text
	profile       colorprofile.Profile
	light         bool
	notes         bool // every note of steering is shown
	ended         bool // the document is on the page
}

// Init asks the terminal for its background.
func (s *screen) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update takes keys and events.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case tea.ColorProfileMsg:
		s.profile = m.Profile
		s.choose()
	case tea.BackgroundColorMsg:
		s.light = !m.IsDark()
		s.choose()
	case tea.PasteMsg:
		s.text.Insert(strings.ReplaceAll(m.Content, "\n", " "))
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			s.board.page.Scroll(-3)
		} else {
			s.board.page.Scroll(3)
		}
	case tea.KeyPressMsg:
		if s.ended {
			return s, s.reads(m.String())
		}
		s.key(m)
	case happened:
		s.board.Take(m.ev)
	case over:
		if m.document == "" {
			return s, tea.Quit
		}
		s.ended = true
		s.board.page.Clear()
		s.board.page.Close(s.board.page.Reply(), m.document)
		s.board.page.Top()
	}
	return s, nil
}

// reads takes the keys of who reads the document.
func (s *screen) reads(key string) tea.Cmd {
	p := s.board.page
	switch key {
	case "q", "esc", "enter", "ctrl+c", "ctrl+d":
		return tea.Quit
	case "up", "k":
		p.Scroll(-1)
	case "down", "j":
		p.Scroll(1)
	case "pgup":
		p.PageUp()
	case "pgdown", "space":
		p.PageDown()
	case "home", "ctrl+home":
		p.Top()
	case "end", "ctrl+end":
		p.Bottom()
	}
	return nil
}

func (s *screen) choose() {
	theme := page.Dark()
	switch {
	case s.profile <= colorprofile.ASCII:
		theme = page.Plain()
	case s.profile == colorprofile.ANSI:
		theme = page.Basic()
	case s.light:
		theme = page.Light()
	}
	s.board.theme = theme
	s.board.page.SetTheme(theme)
}

func (s *screen) key(k tea.KeyPressMsg) {
	switch k.String() {
	case "ctrl+c":
		if !s.text.Empty() {
			s.text.Clear()
			return
		}
		s.board.paused = "stopping"
		s.stop()
	case "enter":
		s.send()
	case "ctrl+o":
		s.notes = !s.notes
		s.board.page.SetVerbose(s.notes)
	case "pgup":
		s.board.page.PageUp()
	case "pgdown":
		s.board.page.PageDown()
	case "backspace":
		s.text.Backspace()
	case "ctrl+u":
		s.text.KillBefore()
	case "ctrl+w":
		s.text.KillWord()
	case "left":
		s.text.Left()
	case "right":
		s.text.Right()
	case "delete":
		s.text.Delete()
	case "home", "ctrl+a":
		s.text.Home()
	case "end", "ctrl+e":
		s.text.End()
	case "ctrl+k":
		s.text.KillAfter()
	case "ctrl+home":
		s.board.page.Top()
	case "ctrl+end":
		s.board.page.Bottom()
	default:
		if k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModSuper|tea.ModMeta) == 0 {
			s.text.Insert(k.Text)
		}
	}
}

// send hands the line over. The debate takes it when the speaker has ended.
func (s *screen) send() {
	line := strings.TrimSpace(s.text.String())
	if line == "" {
		return
	}
	select {
	case s.opt.Lines <- line:
		s.text.Clear()
		if !strings.HasPrefix(line, "/") {
			s.board.page.Notice("you have the floor after this speaker")
		}
	default:
		s.board.page.Notice("wait a moment: what you said before is not taken yet")
	}
}

// hints say what can be done, the longest first.
var hints = []string{
	"Enter says it to the table · /pause /resume /next /back /end, /help for all · Ctrl+O notes · Ctrl+C stops, --resume goes on",
	"Enter says it to the table · /pause /end, /help for all · Ctrl+O notes · Ctrl+C stops",
	"Enter speaks · /help · Ctrl+O notes · Ctrl+C stops",
	"/help · Ctrl+C stops",
}

// hint is the longest that fits.
func hint(width int) string {
	for _, text := range hints {
		if len([]rune(text)) <= width {
			return text
		}
	}
	return ""
}

// View draws the screen.
func (s *screen) View() tea.View {
	v := tea.View{AltScreen: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: "trimtab deliberate"}
	if s.width < 10 || s.height < 6 {
		return v
	}
	content, x, y := s.lines()
	v.Content = strings.Join(content, "\n")
	if !s.ended {
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// lines is the whole screen, and where the cursor is.
func (s *screen) lines() (out []string, x, y int) {
	b := s.board
	rule := b.paint(b.theme.Dim, strings.Repeat("─", s.width))
	if s.ended {
		b.page.Resize(s.width, s.height-2)
		title := b.paint(b.theme.Strong, " "+short(b.plan.Brief, max(10, s.width-2)))
		keys := b.paint(b.theme.Dim, short(" the debate is over · ↑↓ PageUp PageDown · Enter exits, its files are kept", max(10, s.width-1)))
		return slices.Concat([]string{title}, strings.Split(b.page.View(), "\n"), []string{keys}), 0, 0
	}
	top := append(b.Top(s.width), rule)
	bottom := append([]string{rule}, b.Bottom(s.width)...)
	rows, x, _ := s.text.Rows(max(2, s.width-3), 1)
	prompt := b.paint(b.theme.Prompt, "> ") + rows[0]
	foot := b.paint(b.theme.Dim, hint(s.width))
	talk := s.height - len(top) - len(bottom) - 2
	if talk < 3 { // a small screen shows the talk and the line to type on
		top, bottom, talk = nil, nil, s.height-2
	}
	b.page.Resize(s.width, talk)
	out = slices.Concat(top, strings.Split(b.page.View(), "\n"), bottom, []string{prompt, foot})
	return out, min(x+2, s.width-1), len(out) - 2
}
