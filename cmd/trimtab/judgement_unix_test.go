//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func callsTool(name, input string) fakemodel.Reply {
	return fakemodel.Reply{Calls: []fakemodel.Call{{Name: name, Input: json.RawMessage(input)}}}
}

// holds reports whether the model's nth request has words in it.
func (d *chatEnv) holds(n int, words string) bool {
	return strings.Contains(strings.Join(d.got(n), "\n"), words)
}

// TestJ8_TheChatShowsALoopAndAsks: a model that runs the same failing call is told once,
// then the person is asked, and what they answer is what happens.
func TestJ8_TheChatShowsALoopAndAsks(t *testing.T) {
	d := newChatEnv(t, func(r fakemodel.Request) fakemodel.Reply {
		if strings.Contains(string(r.Body), "look at the README instead") {
			return fakemodel.Reply{Text: "I took another way."}
		}
		return callsTool("read", `{"path":"missing.md"}`)
	})
	c := d.sit(100, 40)
	c.Type("what does missing.md say?" + enter)
	c.Wait("Trimtab paused: going in circles", "Enter goes on")
	n := len(d.model.Main())
	told := 0
	for i := 1; i <= n; i++ {
		if d.holds(i, "Trimtab says this, not the person") {
			told++
		}
	}
	if n > 8 || told == 0 {
		t.Errorf("%d requests until the pause, %d with a note", n, told)
	}
	c.Type(ctrlO) // what the model was told is there for who wants to see it
	c.Wait("what you think the cause is")
	c.Type(ctrlO)
	c.Type("look at the README instead" + enter)
	c.Wait("I took another way.")
	if got := len(d.model.Main()); got != n+1 {
		t.Errorf("%d requests after the answer, want %d: %s", got, n+1, c.Text())
	}
	d.model.NoneRefused(t)
}

// TestJ8_EnterGoesOn: who knows better goes on with one key, and is not asked again for
// the same cause.
func TestJ8_EnterGoesOn(t *testing.T) {
	d := newChatEnv(t, func(r fakemodel.Request) fakemodel.Reply {
		if r.N > 14 {
			return fakemodel.Reply{Text: "It is there now."}
		}
		return callsTool("read", `{"path":"missing.md"}`)
	})
	c := d.sit(100, 40)
	c.Type("wait for missing.md" + enter)
	c.Wait("paused:")
	c.Type(enter)
	c.Wait("It is there now.")
	if n := strings.Count(c.Text(), "paused:"); n != 1 {
		t.Errorf("asked %d times for one cause:\n%s", n, c.Text())
	}
}

// TestJ9_TheChatShowsAnUnprovedFinish: an agent that changed code and says that it is done
// is sent on once, the person sees why, and the second end is an end.
func TestJ9_TheChatShowsAnUnprovedFinish(t *testing.T) {
	step := 0
	d := newChatEnv(t, func(fakemodel.Request) fakemodel.Reply {
		step++
		switch step {
		case 1:
			return callsTool("bash", `{"command":"sh check.sh"}`)
		case 2:
			return callsTool("write", `{"path":"main.go","content":"package main\n\nfunc main() {}\n"}`)
		case 3:
			return fakemodel.Reply{Text: "Done, everything works."}
		}
		return fakemodel.Reply{Text: fmt.Sprintf("I did not run the check; answer %d.", step)}
	})
	c := d.sit(100, 40)
	c.Type("write main.go; make test has to pass" + enter)
	c.Wait("bash asks")
	c.Type("y")
	c.Wait("write asks: main.go")
	c.Type("y")
	c.Wait("I did not run the check; answer 4.")
	if !strings.Contains(c.Text(), "Trimtab sends the agent on: 1 file changed and nothing was run since") {
		t.Errorf("the person is not told why it goes on:\n%s", c.Text())
	}
	if !d.holds(4, "Before you stop: you changed main.go") || !d.holds(4, "Trimtab asks this, not the person") {
		t.Errorf("%s", strings.Join(d.got(4), "\n"))
	}
	d.stored("answer 4", 1)
	if n := len(d.model.Main()); n != 4 {
		t.Errorf("%d requests", n)
	}
}
