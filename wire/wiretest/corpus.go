package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire"
)

// Corpus is an API as the suite knows it.
type Corpus struct {
	Name string
	API  fakemodel.Format

	// Encode writes a conversation as a request. How it is written is left to
	// chance, or is as most clients write where tidy.
	Encode func(t Talk, c *Chance, tidy bool) []byte

	// Read is the second reader: the messages of a request.
	Read func(body []byte) ([]Seen, error)

	// Wrap makes a request of one item, given as JSON, behind a first prompt.
	Wrap func(items ...string) string

	// Foreign lists items in which the words were typed by nobody.
	Foreign func(words string) []Placed

	// Typed is an item with texts of a person, and Typed1 one with a single
	// text in its shortest form.
	Typed  func(texts ...string) string
	Typed1 func(text string) string

	// Stream writes a reply as the API streams it, and as one document.
	Stream   func(s Said, c *Chance) []byte
	Document func(s Said) []byte
}

// Placed is an item and where in it the words stand.
type Placed struct{ Where, Item string }

// Seen is an item as the second reader understands it.
type Seen struct {
	Role    string
	Text    string // all prose
	Calls   []Call // Input as JSON
	Results []Result
	Others  int // parts that are none of these
	Model   bool
	Inside  bool // it is part of the reply that the item before began
}

// Said is a reply.
type Said struct {
	Thought, Sign, Text string
	Calls               []Call
	Stop                wire.Stop
	Usage               [4]int // input, output, cache read, cache write
}

// NewSaid makes a reply.
func NewSaid(c *Chance) Said {
	s := Said{Stop: wire.StopEnd, Usage: [4]int{10 + c.N(1000), 1 + c.N(1000), c.N(10000), 0}}
	if c.One(2) {
		s.Thought, s.Sign = c.Words(1+c.N(8)), fmt.Sprint("sig", c.N(1e9), "==")
	}
	if c.One(2) {
		s.Text = c.Words(1 + c.N(40))
	}
	id := 0
	if s.Text == "" || c.One(2) {
		s.Stop = wire.StopCalls
		s.Calls = c.calls(&id)[0].Calls
	}
	for i := range s.Calls {
		s.Calls[i].Plain = false
	}
	if s.Stop == wire.StopEnd && c.One(5) {
		s.Stop = wire.StopLength
	}
	return s
}

// Recorded returns the recorded requests of real clients by their names.
func (c Corpus) Recorded() map[string][]byte {
	all, err := fakemodel.Recordings()
	if err != nil {
		panic(err)
	}
	out := map[string][]byte{}
	for name, r := range all {
		if r.Format == c.API {
			out[name] = r.Body
		}
	}
	return out
}

// decode reads JSON with numbers as they are written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("something behind the end")
	}
	return v, nil
}

// get follows a path of names; nil where it ends.
func get(v any, names ...string) any {
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func text(v any) string { s, _ := v.(string); return s }
func array(v any) []any { a, _ := v.([]any); return a }
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// quote writes a text as JSON.
func quote(s string) string { return encode(s) }

// split cuts a text into pieces at any place between characters.
func split(c *Chance, s string) []string {
	var out []string
	runes := []rune(s)
	piece := max(6, len(runes)/1000)
	for len(runes) > 0 {
		n := min(len(runes), 1+c.N(piece))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

// events writes a stream: names and data, with the ends of lines, comments and
// pings that servers use.
type events struct {
	c   *Chance
	out []byte
	end string
}

func newEvents(c *Chance) *events { return &events{c: c, end: Pick(c, "\n", "\n", "\r\n")} }

func (e *events) put(name string, data any) {
	if e.c.One(10) {
		e.out = append(e.out, ": keep-alive"+e.end+e.end...)
	}
	if name != "" {
		e.out = append(e.out, "event: "+name+e.end...)
	}
	e.out = append(e.out, Pick(e.c, "data: ", "data:")...)
	switch v := data.(type) {
	case string:
		e.out = append(e.out, v...)
	default:
		e.out = plain(e.c).value(e.out, v)
	}
	e.out = append(e.out, e.end+e.end...)
}
