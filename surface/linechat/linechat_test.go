package linechat_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/linechat"
)

// echo is an agent that repeats what it hears, and breaks where it hears "break".
type echo struct{}

func (echo) Run(_ context.Context, _ string, prompt trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		text := prompt.Text()
		if text == "break" {
			yield(nil, errors.New("the line is dead"))
			return
		}
		if n, isCount := strings.CutPrefix(text, "rows "); isCount { // a result of so many lines
			call := trimtab.ToolCall{Name: "bash"}
			_ = yield(agent.Returned{Call: call, Result: trimtab.ToolResult{Text: strings.Repeat("row\n", len(n))}}, nil) && yield(agent.Stopped{Reason: agent.Ended}, nil)
			return
		}
		_ = yield(agent.Called{Call: trimtab.ToolCall{Name: "list"}}, nil) &&
			yield(agent.Delta{Text: "you said \x1b[31m" + text}, nil) && yield(agent.Replied{}, nil) && yield(agent.Stopped{Reason: "steps"}, nil)
	}
}

// chat runs a chat on what is typed, and returns what is said on both streams.
func chat(t *testing.T, typed io.Reader) (out, progress string) {
	t.Helper()
	return chatWith(t, typed, false)
}

func chatWith(t *testing.T, typed io.Reader, unsaved bool) (out, progress string) {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, memory.New(), session.Options{Clock: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }})
	begin := func(id string) {
		if _, err := service.Begin(t.Context(), trimtab.Info{ID: id, Host: trimtab.OwnHost}); err != nil {
			t.Fatal(err)
		}
	}
	begin("one")
	lines, end := linechat.ReadLines(t.Context(), typed)
	var said, told strings.Builder
	c := linechat.New(linechat.Options{
		Service: service, Lines: lines, Unsaved: unsaved, Out: &said, Err: &told, Explain: func(err error) string { return "sorry: " + err.Error() },
		Prompt: func(text string) (trimtab.Message, []string) { return trimtab.Prompt(text), nil },
		Begin:  func(context.Context) (string, error) { begin("two"); return "two", nil },
		Status: func(_ context.Context, id string) error { said.WriteString("status of " + id + "\n"); return nil },
	})
	if err := errors.Join(c.Run(t.Context(), echo{}, "one"), end()); err != nil {
		said.WriteString("error: " + err.Error())
	}
	return said.String(), told.String()
}

func TestTheChatAnswersALineAtATime(t *testing.T) {
	out, progress := chat(t, strings.NewReader("hello\n\nbreak\nagain\n"))
	for _, want := range []string{"you said ", "hello\n(the run reached its largest number of steps; say \"go on\" to let it work on)\n", "sorry: the line is dead\n", "again\n", "\nsaved as one\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") || !strings.Contains(progress, "· list") {
		t.Errorf("%q, %q", out, progress)
	}
}

// TestChat_B15_AChatThatIsNotSavedSaysSo, at its beginning and at its end.
func TestChat_B15_AChatThatIsNotSavedSaysSo(t *testing.T) {
	for unsaved, want := range map[bool][2]string{true: {"nothing of this chat is saved", "not saved\n"}, false: {"trimtab --continue comes back", "saved as one\n"}} {
		for _, typed := range []string{"hello\n", "hello\n/quit\n"} {
			out, _ := chatWith(t, strings.NewReader(typed), unsaved)
			if first, _, _ := strings.Cut(out, "\n"); !strings.Contains(first, want[0]) || !strings.HasSuffix(out, want[1]) || unsaved && strings.Contains(out, "saved as") {
				t.Errorf("unsaved %v: %q", unsaved, out)
			}
		}
	}
}

func TestCommands(t *testing.T) {
	out, _ := chat(t, strings.NewReader("/status\n/new\n/mode planning\n/mode nonsense\n/statsu\n/xyz\n/\n/quit\nhello\n"))
	for _, want := range []string{
		"status of one\n", "new session two\n", "[PLANNING", "no command /statsu; did you mean /status?\n", "no command /xyz; /help lists them\n",
		"/quit", "/mode", "saved as two\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "you said") {
		t.Errorf("it goes on after /quit:\n%s", out)
	}
}

func TestAReaderThatFailsIsTold(t *testing.T) {
	if out, _ := chat(t, iotest.ErrReader(errors.New("the terminal is gone"))); !strings.Contains(out, "error: the terminal is gone") {
		t.Errorf("%q", out)
	}
}

func TestPermit_TakesOnlyAClearYes(t *testing.T) {
	once, always := tool.Reply{Answer: tool.Once}, tool.Reply{Answer: tool.Always}
	project, user := tool.Reply{Answer: tool.Always, Scope: tool.ForProject}, tool.Reply{Answer: tool.Always, Scope: tool.ForUser}
	for typed, want := range map[string][3]tool.Reply{ // with a rule that lasts, with one, and without
		"y\n": {once, once, once}, "Yes \n": {once, once, once}, "a\n": {always, always}, "p\n": {project}, "u\n": {user},
		"n\n": {}, "\n": {}, "": {}, "perhaps\n": {},
		"n use mv\n": {{Why: "use mv"}, {Why: "use mv"}, {Why: "use mv"}},
		"s\n":        {{Answer: tool.Stop}, {Answer: tool.Stop}, {Answer: tool.Stop}},
	} {
		for i, rule := range []string{"go test", "go test", ""} {
			lines, _ := linechat.ReadLines(t.Context(), strings.NewReader(typed))
			c := linechat.New(linechat.Options{Lines: lines, Out: io.Discard})
			if got, err := c.Permit(t.Context(), tool.Ask{Tool: "bash", Rule: rule, Lasts: i == 0}); got != want[i] || err != nil {
				t.Errorf("%q with rule %q: %v, %v", typed, rule, got, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := linechat.New(linechat.Options{Out: io.Discard}).Permit(ctx, tool.Ask{}); got != (tool.Reply{}) || err == nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestChat_B14_ThePlainChatHasTheSameCommands, a path is no command, and Ctrl+C ends a reply
// and not the program.
func TestChat_B14_ThePlainChatHasTheSameCommands(t *testing.T) {
	out, _ := chat(t, strings.NewReader("/etc/hosts what is in it\n/model large\n/resume two\n/export x.md\n/tools\n/undo\n/redo\n/jobs\n/diff\n/help\n"))
	for _, want := range []string{"you said ", "/etc/hosts what is in it", "/model NAME", "/undo", "/redo", "/jobs", "/diff"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "no command") {
		t.Errorf("a command is missing, or a path is one:\n%s", out)
	}
}

// TestChat_B14_ACommandWithoutItsArgumentSaysHowItIsGiven.
func TestChat_B14_ACommandWithoutItsArgumentSaysHowItIsGiven(t *testing.T) {
	out, _ := chat(t, strings.NewReader("/model\n/resume\n/export\n"))
	for _, want := range []string{"give it as /model NAME: choose the model\n", "give it as /resume ID: go on with an earlier session; trimtab session list shows the ids\n", "give it as /export FILE: "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// TestChat_B14_OneLineIsNotHidden behind a line that says so.
func TestChat_B14_OneLineIsNotHidden(t *testing.T) {
	for typed, want := range map[string]string{"rows xxxxxxx\n": strings.Repeat("    row\n", 7), "rows xxxxxxxx\n": "    (2 lines above)\n" + strings.Repeat("    row\n", 6)} {
		if out, _ := chat(t, strings.NewReader(typed)); !strings.Contains(out, "> "+want) {
			t.Errorf("%q: no\n%s in\n%s", typed, want, out)
		}
	}
}

// waiting is an agent that works until it is stopped.
type waiting struct{ began chan struct{} }

func (w waiting) Run(ctx context.Context, _ string, _ trimtab.Message) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		close(w.began)
		<-ctx.Done()
		yield(agent.Stopped{Reason: agent.Cancelled}, nil)
	}
}

func TestChat_B14_CtrlCEndsAReplyAndTwiceTheChat(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, memory.New(), session.Options{})
	if _, err := service.Begin(t.Context(), trimtab.Info{ID: "one", Host: trimtab.OwnHost}); err != nil {
		t.Fatal(err)
	}
	lines, interrupts := make(chan string), make(chan struct{})
	var out strings.Builder
	c := linechat.New(linechat.Options{
		Service: service, Lines: lines, Interrupt: interrupts, Out: &out, Err: io.Discard,
		Prompt: func(text string) (trimtab.Message, []string) { return trimtab.Prompt(text), nil },
	})
	w, done := waiting{make(chan struct{})}, make(chan error)
	go func() { done <- c.Run(t.Context(), w, "one") }()
	lines <- "go\n"
	<-w.began
	interrupts <- struct{}{} // the reply ends
	interrupts <- struct{}{} // this one warns
	interrupts <- struct{}{}
	if err := <-done; err != nil || !strings.Contains(out.String(), "(interrupted)") || !strings.Contains(out.String(), "Ctrl+C again exits") || !strings.Contains(out.String(), "saved as one") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestChat_B14_CallsAreToldInWords, not as JSON with its escapes.
func TestChat_B14_CallsAreToldInWords(t *testing.T) {
	var out strings.Builder
	for _, call := range []trimtab.ToolCall{
		{Name: "search", Input: []byte(`{"pattern":"^\u003c\u003c","glob":"*.go"}`)}, {Name: "todo_read", Input: []byte(`{}`)},
	} {
		linechat.Progress(&out, agent.Called{Call: call})
	}
	if want := "  · search ^<<\n  · todo_read\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
