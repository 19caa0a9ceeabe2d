package demo

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// Player is a model that plays a script.
type Player struct {
	speaker
	script Script
}

var _ llm.Model = (*Player)(nil)

// Play returns a model that plays a script. It is called "demo:" and the name.
func Play(name string, script Script, opt Options) *Player {
	return &Player{speaker{"demo:" + name, opt.Delay}, script}
}

// Name returns "demo:" and the script's name.
func (p *Player) Name() string { return p.name }

// Stream plays the reply that is next after those in the request.
func (p *Player) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.speak(ctx, r, p.script.next(r.Messages))
}

// playID is the form of the ids of scripted calls: which reply, which call. It
// shows where the script stands even where earlier replies were folded away.
const playID = "script-%d-%d"

// next returns the reply to a conversation. It plays the script along with it:
// each reply in it was the next that fitted the prompt of its time.
func (s Script) next(messages []trimtab.Message) reply {
	at, prompt := 0, "" // replies played, or left out
	waiting := false    // for a reply
	for _, m := range messages {
		if m.IsPrompt() {
			if i := s.find(at, prompt); waiting && i >= 0 && s.lines[i].fail != "" {
				at = i + 1 // it failed, so the conversation does not have it
			}
			prompt = strings.ToLower(m.Typed())
		}
		waiting = m.Role != trimtab.RoleAssistant && (waiting || m.IsPrompt() || m.Role == trimtab.RoleTool)
		if m.Role != trimtab.RoleAssistant {
			continue
		}
		if i := s.find(at, prompt); i >= 0 {
			at = i + 1
		}
		for _, c := range llm.Calls(m) {
			var n, k int
			if got, _ := fmt.Sscanf(c.ID, playID, &n, &k); got == 2 {
				at = min(max(n, 0), len(s.lines))
			}
		}
	}
	i := s.find(at, prompt)
	switch {
	case i >= 0:
		return s.reply(i)
	case at >= len(s.lines):
		return reply{text: "The script is over: it has no more replies."}
	}
	return reply{text: "No reply that is left in the script fits this prompt."}
}

// find returns the first reply from at on that fits a prompt, or -1.
func (s Script) find(at int, prompt string) int {
	for i := at; i < len(s.lines); i++ {
		if strings.Contains(prompt, s.lines[i].when) {
			return i
		}
	}
	return -1
}

func (s Script) reply(i int) reply {
	rep := s.lines[i].reply
	rep.calls = append([]trimtab.ToolCall(nil), rep.calls...)
	for k := range rep.calls {
		rep.calls[k].ID = fmt.Sprintf(playID, i+1, k+1)
	}
	return rep
}
