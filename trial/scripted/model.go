package scripted

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// signature is in every note: it says who speaks.
const signature = "trimtab"

// Serve serves a script on loopback for one run. A deaf model heeds no note.
func Serve(s Script, seed uint64, deaf bool) (*fakemodel.Server, error) {
	return fakemodel.Listen(fakemodel.Options{Script: play(s, seed, deaf), Keep: 1})
}

// play returns the model: one run of a script.
func play(s Script, seed uint64, deaf bool) fakemodel.Script {
	rng := rand.New(rand.NewPCG(seed, 0x7363)) // #nosec G404 -- pairs of runs share their chance
	r := &run{script: s, chance: rng, deaf: deaf, now: s.parts[right], said: -1}
	if s.parts[right] == nil || rng.IntN(100) < s.fault {
		r.now = s.parts[fault]
	}
	return r.reply
}

// run is where one run of a script stands.
type run struct {
	mu     sync.Mutex
	script Script
	chance *rand.Rand
	deaf   bool
	now    *part
	at     int
	said   int // replies in the request that was answered last
	last   fakemodel.Reply
}

func (r *run) reply(req fakemodel.Request) fakemodel.Reply {
	if side, ok := fakemodel.AnswerSide(req); ok {
		return side
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	said := 0
	for _, item := range req.Items {
		if item.Role == "assistant" {
			said++
		}
	}
	if said == r.said { // the client asks again, for a reply that it did not get
		return r.last
	}
	r.said = said
	r.listen(news(req.Items))
	r.last = r.next(req.Tools)
	return r.last
}

// news is what the model has not answered yet.
func news(items []fakemodel.Item) []fakemodel.Item {
	last := -1
	for i, item := range items {
		if item.Role == "assistant" {
			last = i
		}
	}
	return items[last+1:]
}

// listen goes on with another part where a note says so.
func (r *run) listen(items []fakemodel.Item) {
	for _, h := range r.now.hears {
		heard := slices.ContainsFunc(items, func(i fakemodel.Item) bool {
			text := strings.ToLower(i.Text)
			return strings.Contains(text, signature) && strings.Contains(text, h.words)
		})
		if heard && !r.deaf && r.chance.IntN(100) < r.script.heed {
			r.now, r.at = r.script.parts[h.to], 0
			return
		}
	}
}

// next is the reply that is due.
func (r *run) next(tools []fakemodel.Tool) fakemodel.Reply {
	for r.at < len(r.now.steps) {
		s := r.now.steps[r.at]
		r.at++
		switch {
		case s.write != "":
			return fakemodel.Reply{Calls: []fakemodel.Call{file(s.write, strings.TrimSpace(s.run)+"\n", tools)}}
		case s.run != "":
			return fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run(strings.TrimSpace(s.run))}}
		case s.say != "":
			return fakemodel.Reply{Text: s.say}
		}
		if call, ok := list(s.todo, tools); ok {
			return fakemodel.Reply{Calls: []fakemodel.Call{call}}
		}
	}
	return fakemodel.Reply{Text: "That is all."}
}

// file is a call that writes a file.
func file(path, text string, tools []fakemodel.Tool) fakemodel.Call {
	if slices.ContainsFunc(tools, func(t fakemodel.Tool) bool { return t.Name == "write" && strings.Contains(string(t.Schema), `"path"`) }) {
		raw, _ := json.Marshal(map[string]string{"path": path, "content": text}) // strings always encode
		return fakemodel.Call{Name: "write", Input: raw}
	}
	return fakemodel.Run("cat > '" + path + "' <<'END'\n" + text + "END")
}

// list is a call that writes the todo list, where the agent has a tool for it.
func list(text string, tools []fakemodel.Tool) (fakemodel.Call, bool) {
	type item struct {
		Content string `json:"content"`
		Status  string `json:"status"`
		Active  string `json:"activeForm,omitempty"`
	}
	for _, name := range []string{"todo_write", "TodoWrite"} {
		if !slices.ContainsFunc(tools, func(t fakemodel.Tool) bool { return t.Name == name }) {
			continue
		}
		var items []item
		for one := range strings.SplitSeq(text, ";") {
			it := item{Content: strings.TrimSpace(one), Status: "pending"}
			for mark, status := range map[string]string{"[x]": "completed", "[>]": "in_progress", "[ ]": "pending"} {
				if rest, ok := strings.CutPrefix(it.Content, mark); ok {
					it.Content, it.Status = strings.TrimSpace(rest), status
					break
				}
			}
			if name == "TodoWrite" {
				it.Active = it.Content
			}
			items = append(items, it)
		}
		raw, err := json.Marshal(map[string]any{"todos": items})
		return fakemodel.Call{Name: name, Input: raw}, err == nil
	}
	return fakemodel.Call{}, false
}
