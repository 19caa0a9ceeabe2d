package spool

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// MaxInput is the largest input of a hook that is read, in bytes. A host that
// sends more gets no answer to it.
const MaxInput = 16 << 20

// Off reports whether the hooks are switched off in this environment, as they are
// for agents that trimtab itself set to work: those sessions are not steered by
// whoever happens to have hooks installed.
func Off(getenv func(string) string) bool {
	return getenv("TRIMTAB_HOOKS") == "off" || getenv("TRIMTAB_IMPROVE") != ""
}

// Args is the command line that hosts call a hook with.
type Args struct {
	Data        string // --data; "" where it is not named
	Host, Event string
}

// ParseArgs is false where a command line is not [--data DIR] HOST EVENT.
func ParseArgs(args []string) (a Args, ok bool) {
	if len(args) > 1 && args[0] == "--data" {
		a.Data, args = args[1], args[2:]
	}
	if len(args) != 2 {
		return a, false
	}
	a.Host, a.Event = args[0], args[1]
	return a, true
}

// Call is one call of a hook: as much of it as is needed to put it aside.
type Call struct {
	Host    host.Host
	Event   Event
	Input   []byte // as the host wrote it
	Session string // the host's own id
	Agent   string // the sub-agent, if it is one's call
	Mark    uint64 // of the tools and what they were given; 0 where there are none
}

var (
	errTooLong   = errors.New("the hook's input is over " + strconv.Itoa(MaxInput>>20) + " MB; it was left alone")
	errNoObject  = errors.New("the hook's input is no JSON object; is this command called by the host itself?")
	errNoSession = errors.New("the hook's input has no session_id; is this command called by the host itself?")
)

// UnknownHost is a host whose hooks we do not know.
type UnknownHost string

func (u UnknownHost) Error() string {
	text := "no hooks are known for " + strconv.Quote(string(u)) + "; there are"
	for _, h := range Hosts() {
		text += " " + h.Name
	}
	return text
}

// Input reads what a host writes to a hook, up to the limit.
func Input(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, MaxInput+1))
	if err == nil && n > MaxInput {
		err = errTooLong
	}
	return b.Bytes(), err
}

// Read makes a Call of a hook's input.
func Read(name, event string, input []byte) (Call, error) {
	h, e, ok := Find(name, event)
	if !ok {
		return Call{}, UnknownHost(name)
	}
	c := Call{Host: h, Event: e, Input: input}
	if len(input) > MaxInput {
		return c, errTooLong
	}
	if !jsonscan.Valid(input) || !bytes.HasPrefix(bytes.TrimLeft(input, " \t\r\n"), []byte("{")) {
		return c, errNoObject
	}
	var tool, given []byte
	for name, value := range jsonscan.Members(input) {
		switch string(name) {
		case "session_id":
			c.Session, _ = jsonscan.Unquote(value)
		case "agent_id":
			c.Agent, _ = jsonscan.Unquote(value)
		case "tool_name":
			tool = value
		case "tool_input":
			given = value
		case "tool_calls":
			for call := range jsonscan.Elements(value) {
				name, input, _ := jsonscan.Three(call, "tool_name", "tool_input", "")
				c.Mark = mark(c.Mark, name, input)
			}
		}
	}
	if tool != nil {
		c.Mark = mark(c.Mark, tool, given)
	}
	if c.Session == "" {
		return c, errNoSession
	}
	return c, nil
}

// mark adds a tool and its input to a mark. FNV-1a, written out: the package that
// has it would be one more to load.
func mark(h uint64, parts ...[]byte) uint64 {
	if h == 0 {
		h = 14695981039346656037
	}
	for _, p := range parts {
		for _, c := range p {
			h = (h ^ uint64(c)) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}
