package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// pen writes a session as one host does, a line for each thing that happens.
type pen interface {
	begin()
	prompt(text string)
	reply(r reply)
	result(call, text string, failed bool)
}

// reply is what a model said in one go.
type reply struct {
	thought, text        string
	call, tool, argument string
}

// out is where a pen writes. It numbers lines and counts bytes.
type out struct {
	w    *bufio.Writer
	n    int // lines
	size int
	err  error
}

// line writes a line. Of its arguments, strings are quoted as JSON.
func (o *out) line(format string, args ...any) {
	o.n++
	k, err := fmt.Fprintf(o.w, format+"\n", args...)
	o.size += k
	if o.err == nil {
		o.err = err
	}
}

// quote makes a JSON string as JavaScript does.
func quote(s string) string { return string(jsonscan.AppendQuote(nil, s)) }

// id is an id in the usual form, the nth of its file.
func id(n int) string { return fmt.Sprintf("%08x-5760-4f50-8000-%012x", n*2654435761&0xffffffff, n) }

// write writes a session of about the given size.
func write(w io.Writer, host string, size int, seed uint64) error {
	o := &out{w: bufio.NewWriterSize(w, 1<<20)}
	t := newText(seed)
	p := pens(host, o, t)
	if p == nil {
		return fmt.Errorf("no sessions are made up for %q", host)
	}
	p.begin()
	for turn := 0; o.size < size && o.err == nil; turn++ {
		if turn%15 == 0 {
			p.prompt("please look at " + t.sentence())
		}
		call := fmt.Sprintf("toolu_%08d", turn)
		r := reply{call: call, tool: []string{"Bash", "Read", "Grep", "Edit"}[t.IntN(4)], argument: "sed -n '1,200p' internal/" + t.word() + ".go"}
		if turn%2 == 0 {
			r.thought = t.sentence()
		}
		if turn%3 != 0 {
			r.text = t.sentence() + " " + t.sentence()
		}
		p.reply(r)
		p.result(call, t.output(), t.IntN(12) == 0)
	}
	p.reply(reply{text: "Done."})
	if err := o.w.Flush(); o.err == nil {
		o.err = err
	}
	return o.err
}

// create writes a session to a file.
func create(path, host string, size int, seed uint64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	return write(f, host, size, seed)
}
