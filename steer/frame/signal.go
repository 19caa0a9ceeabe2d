package frame

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// Work is what was gathered of one frame as its messages passed.
type Work struct {
	Recent   Signals  `json:"recent,omitzero"`
	Bytes    int      `json:"bytes,omitempty"`
	Messages int      `json:"messages,omitempty"`
	Files    []string `json:"files,omitempty"`   // changed
	Known    int      `json:"known,omitempty"`   // so many of them when the person's newest prompt came
	Wins     []string `json:"wins,omitempty"`    // what showed success, the newest last
	Won      int      `json:"won,omitempty"`     // how often
	Results  []string `json:"results,omitempty"` // the newest of its tools' results
	Said     string   `json:"said,omitempty"`    // the model's newest words
	Prompt   string   `json:"prompt,omitempty"`  // the person's newest words
	Prior    string   `json:"prior,omitempty"`   // and those before them
	Calls    []uint32 `json:"calls,omitempty"`   // made before, to see what is new
	Broken   string   `json:"broken,omitempty"`  // the tool whose last run failed
	Clean    bool     `json:"clean,omitempty"`   // nothing changed or failed since the last win
}

// Signals are counted since the last boundary: a frame opened, ended or taken up
// again.
type Signals struct {
	Messages int      `json:"messages,omitempty"`
	Bytes    int      `json:"bytes,omitempty"`
	Errors   int      `json:"errors,omitempty"`   // tool calls that failed
	Failures int      `json:"failures,omitempty"` // those, and runs whose output says so
	Idle     int      `json:"idle,omitempty"`     // replies without progress
	Moved    bool     `json:"moved,omitempty"`    // progress since the last reply
	Files    []string `json:"files,omitempty"`
}

// call is a tool call under way.
type call struct {
	ID    string   `json:"id"`
	Seq   int      `json:"seq,omitempty"`
	Name  string   `json:"name,omitempty"`
	Files []string `json:"files,omitempty"`
	New   bool     `json:"new,omitempty"`   // not made before in this frame
	Shows []uint32 `json:"shows,omitempty"` // files, by fileKey
	Whole bool     `json:"whole,omitempty"` // it shows all of them
	Seals bool     `json:"seals,omitempty"` // it commits
}

const maxOpen, maxTorn, maxWins, maxResults, maxCalls = 128, 64, 8, 3, 48

// gather takes a message into the work of the active frame. It costs what the
// message costs.
func (m Memory) gather(t trimtab.Turn, said trimtab.Message) Memory {
	size := said.Size()
	m = m.follow(t.At)
	m.Bytes += size
	m.Tail += size
	if said.From != "" {
		return m.settleTail(t.At)
	}
	w := m.Work
	if said.Role == trimtab.RoleAssistant {
		m.Seam = "" // what ended before it is over
		w = m.reply(w, said)
		m = m.abandon()
		if said.Usage != nil {
			m.Sent = said.Usage.Context() + said.Usage.Output
		}
	}
	if len(m.Open) == 0 {
		m = m.start(t.At)
	}
	if said.Role == trimtab.RoleAssistant && m.Asked.Seq > 0 && m.Asked.Next.Seq == 0 {
		m.Asked.Next = t.At
	}
	for _, p := range said.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			m, w = m.calling(w, p, t.At.Seq)
		case trimtab.ToolResult:
			m, w = m.result(w, p, t.At.Seq)
		}
	}
	if said.IsPrompt() {
		if typed := oneLine(said.Typed()); typed != "" {
			w.Prior, w.Prompt, w.Recent.Moved, w.Known = w.Prompt, trimtab.Clip(typed, 600), true, len(w.Files)
			m.Seam = seamPrompt
		}
	}
	w.Recent.Moved = w.Recent.Moved || t.Todos.Wrote
	if t.Todos.Wrote && slices.ContainsFunc(t.Todos.Items, func(it trimtab.Todo) bool { return it.Since == t.Step && it.Status != trimtab.Pending }) {
		m.Seam = seamTodo
	}
	w.Messages++
	w.Recent.Messages++
	w.Recent.Bytes += size
	m.Work = w
	return m.settleTail(t.At)
}

// settleTail moves the whole point on if no call is open.
func (m Memory) settleTail(at trimtab.Ref) Memory {
	if len(m.Open) == 0 {
		m = m.keepSeen()
		m.Whole = at
		m.Work.Bytes += m.Tail
		m.Tail = 0
	}
	return m
}

// start notes the first message of the active frame.
func (m Memory) start(at trimtab.Ref) Memory {
	if i := m.index(m.Active); i >= 0 && m.Frames[i].First.Seq == 0 {
		m.Frames = slices.Clone(m.Frames)
		m.Frames[i].First = at
	}
	return m
}

// reply counts a step of the model: one without progress since the last is idle.
func (m Memory) reply(w Work, said trimtab.Message) Work {
	if w.Recent.Moved {
		w.Recent.Idle = 0
	} else if w.Recent.Messages > 0 {
		w.Recent.Idle++
	}
	w.Recent.Moved = false
	if text := trimtab.Clip(said.Text(), 800); strings.TrimSpace(text) != "" {
		w.Said = short(oneLine(text), 600)
	}
	return w
}

func (m Memory) calling(w Work, p trimtab.ToolCall, seq int) (Memory, Work) {
	h := fnv.New32a()
	h.Write([]byte(p.Name))
	h.Write([]byte{0})
	h.Write(p.Input)
	key := h.Sum32()
	c := call{ID: p.ID, Seq: seq, Name: trimtab.Clip(p.Name, 100), New: !slices.Contains(w.Calls, key)}
	if c.New {
		w.Calls = append(slices.Clip(w.Calls), key)
		w.Calls = w.Calls[max(0, len(w.Calls)-maxCalls):]
	}
	if writers[p.Name] {
		c.Files = changed(p.Input)
	}
	files, whole := views(p, c.Files)
	for _, f := range files {
		c.Shows = append(c.Shows, fileKey(f))
	}
	c.Whole, c.Seals = whole, runners[p.Name] && commits(p)
	if len(m.Open) == maxOpen || slices.ContainsFunc(m.Open, func(o call) bool { return o.ID == p.ID }) {
		return m.tear(seq), w // which answer is whose can no longer be told
	}
	m.Open = append(slices.Clip(m.Open), c)
	return m, w
}

// abandon gives up the calls that are open: nobody waits for their answers.
func (m Memory) abandon() Memory {
	for _, c := range m.Open {
		m = m.tear(c.Seq)
	}
	m.Open = nil
	return m
}

// tear notes a message that holds half of a pair. No fold may hold it.
func (m Memory) tear(seq int) Memory {
	if slices.Contains(m.Torn, seq) {
		return m
	}
	m.Torn = append(slices.Clip(m.Torn), seq)
	if over := len(m.Torn) - maxTorn; over > 0 {
		m.TornTo = max(m.TornTo, slices.Max(m.Torn[:over]))
		m.Torn = m.Torn[over:]
	}
	return m
}

// torn reports whether a run of messages holds half of a pair.
func (m Memory) torn(first, last trimtab.Ref) bool {
	return first.Seq <= m.TornTo || slices.ContainsFunc(m.Torn, func(seq int) bool { return first.Seq <= seq && seq <= last.Seq })
}

// result closes a call and reads what it shows.
func (m Memory) result(w Work, r trimtab.ToolResult, seq int) (Memory, Work) {
	i := slices.IndexFunc(m.Open, func(c call) bool { return c.ID == r.ID })
	if i < 0 {
		return m.tear(seq), w
	}
	c := m.Open[i]
	m.Open = slices.Concat(m.Open[:i], m.Open[i+1:])
	if text := oneLine(trimtab.Clip(r.Text, 300)); text != "" {
		w.Results = append(slices.Clip(w.Results), short(c.Name+": "+text, 200))
		w.Results = w.Results[max(0, len(w.Results)-maxResults):]
	}
	fails, sign := r.Failed, ""
	if !fails && runners[c.Name] {
		fails, sign = verdict(r.Text)
	}
	switch {
	case fails:
		w.Recent.Failures++
		if r.Failed {
			w.Recent.Errors++
		}
		w.Broken, w.Clean = c.Name, false
		return m, w
	case len(c.Files) > 0:
		m = m.sees(c)
		for _, f := range c.Files {
			w.Files = list(w.Files, f)
			w.Recent.Files = list(w.Recent.Files, f)
		}
		w.Clean = false
	case runners[c.Name]:
		m = m.sees(c)
		won := w.Won
		w = w.win(c.Name, sign)
		switch {
		case c.Seals:
			m.Seam = "a commit"
		case w.Won > won:
			m.Seam = w.Wins[len(w.Wins)-1]
		}
	default:
		m = m.sees(c)
	}
	w.Recent.Moved = w.Recent.Moved || c.New || len(c.Files) > 0
	return m, w
}

// win counts a success. The same green run again, with nothing changed in
// between, shows nothing new.
func (w Work) win(tool, sign string) Work {
	if sign == "" && w.Broken == tool {
		sign = tool + " succeeds after a failure"
	}
	if w.Broken == tool {
		w.Broken = ""
	}
	if sign == "" || w.Clean {
		return w
	}
	w.Wins = append(slices.Clip(w.Wins), sign)
	w.Wins = w.Wins[max(0, len(w.Wins)-maxWins):]
	w.Won++
	w.Clean, w.Recent.Moved = true, true
	return w
}

// others counts the files that were changed since the person's newest prompt and not
// before it; none where there are none to compare with.
func (w Work) others() int {
	if w.Known == 0 {
		return 0
	}
	return max(0, len(w.Files)-w.Known)
}

// gain adds what was counted while another frame was active, lose takes it away.
func (w Work) gain(s Signals) Work {
	w.Bytes += s.Bytes
	w.Messages += s.Messages
	for _, f := range s.Files {
		w.Files = list(w.Files, f)
	}
	return w
}

func (w Work) lose(s Signals) Work {
	w.Bytes = max(0, w.Bytes-s.Bytes)
	w.Messages = max(0, w.Messages-s.Messages)
	return w
}
