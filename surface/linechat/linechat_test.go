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
		_ = yield(agent.Called{Call: trimtab.ToolCall{Name: "list"}}, nil) &&
			yield(agent.Delta{Text: "you said \x1b[31m" + text}, nil) && yield(agent.Replied{}, nil) && yield(agent.Stopped{Reason: "steps"}, nil)
	}
}

// chat runs a chat on what is typed, and returns what is said on both streams.
func chat(t *testing.T, typed io.Reader) (out, progress string) {
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
		Service: service, Lines: lines, Out: &said, Err: &told, Explain: func(err error) string { return "sorry: " + err.Error() },
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
	for _, want := range []string{"you said ", "hello\n(steps)\n", "sorry: the line is dead\n", "again\n", "\nsaved as one\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") || !strings.Contains(progress, "· list") {
		t.Errorf("%q, %q", out, progress)
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
	for typed, want := range map[string][2]tool.Answer{ // with a rule, and without
		"y\n": {tool.Once, tool.Once}, "Yes \n": {tool.Once, tool.Once}, "a\n": {tool.Always, tool.Refuse},
		"n\n": {tool.Refuse, tool.Refuse}, "\n": {tool.Refuse, tool.Refuse}, "": {tool.Refuse, tool.Refuse}, "perhaps\n": {tool.Refuse, tool.Refuse},
	} {
		for i, rule := range []string{"go test", ""} {
			lines, _ := linechat.ReadLines(t.Context(), strings.NewReader(typed))
			c := linechat.New(linechat.Options{Lines: lines, Out: io.Discard})
			if got, err := c.Permit(t.Context(), tool.Ask{Tool: "bash", Rule: rule}); got != want[i] || err != nil {
				t.Errorf("%q with rule %q: %v, %v", typed, rule, got, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := linechat.New(linechat.Options{Out: io.Discard}).Permit(ctx, tool.Ask{}); got != tool.Refuse || err == nil {
		t.Errorf("%v, %v", got, err)
	}
}
