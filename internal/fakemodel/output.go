package fakemodel

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// output writes one answer, with the delays and cuts that the script asks for.
type output struct {
	w       http.ResponseWriter
	ctx     context.Context
	format  Format
	n       int
	headers http.Header
	before  func(context.Context, int)

	limited bool
	left    int // bytes until the cut
	gone    bool
}

// begin writes the status and the headers.
func (o *output) begin(status int, contentType string) {
	h := o.w.Header()
	h.Set("Content-Type", contentType)
	switch o.format {
	case Anthropic:
		h.Set("Request-Id", fmt.Sprintf("req_fake%d", o.n))
	case Chat, Responses:
		h.Set("X-Request-Id", fmt.Sprintf("req_fake%d", o.n))
	}
	for k, v := range o.headers {
		h[http.CanonicalHeaderKey(k)] = v
	}
	o.w.WriteHeader(status)
}

// write sends bytes at once, up to the cut, and reports whether more may follow.
func (o *output) write(b []byte) bool {
	if o.gone {
		return false
	}
	cut := o.limited && len(b) >= o.left
	if cut {
		b = b[:o.left]
	}
	if o.limited {
		o.left -= len(b)
	}
	_, err := o.w.Write(b)
	if err == nil {
		err = http.NewResponseController(o.w).Flush()
	}
	if cut {
		o.cut()
	}
	o.gone = o.gone || err != nil
	return !o.gone
}

// cut breaks the connection in the middle of the answer.
func (o *output) cut() {
	o.gone = true
	conn, _, err := http.NewResponseController(o.w).Hijack()
	if err != nil { // no connection of our own: the answer just ends here
		return
	}
	_ = conn.Close() // breaking it is the point
}

func (o *output) wait(event int) {
	if o.before != nil {
		o.before(o.ctx, event)
	}
}

// fail writes an error answer.
func (o *output) fail(r *Refusal) {
	o.wait(0)
	o.once(r.Status, r.Body())
}

// whole writes an answer in one piece.
func (o *output) whole(status int, body object) {
	o.wait(0)
	o.once(status, []byte(text(body)))
}

// once writes a body whose length is known, so that a cut can be seen.
func (o *output) once(status int, body []byte) {
	o.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	o.begin(status, "application/json")
	o.write(body)
}

// stream writes server-sent events. Gemini ends its lines with CR LF.
func (o *output) stream(events []event) {
	end := "\n"
	if o.format == Gemini {
		end = "\r\n"
	}
	o.w.Header().Set("Cache-Control", "no-cache")
	for i, e := range events {
		o.wait(i)
		if i == 0 {
			o.begin(http.StatusOK, "text/event-stream; charset=utf-8")
		}
		var b strings.Builder
		if e.name != "" {
			b.WriteString("event: " + e.name + end)
		}
		b.WriteString("data: " + e.json() + end + end)
		if o.ctx.Err() != nil || !o.write([]byte(b.String())) {
			return
		}
	}
}

// array writes the events as Gemini does without alt=sse: as one JSON array that
// grows.
func (o *output) array(events []event) {
	for i, e := range events {
		o.wait(i)
		lead := ",\r\n"
		if i == 0 {
			o.begin(http.StatusOK, "application/json; charset=UTF-8")
			lead = "["
		}
		if o.ctx.Err() != nil || !o.write([]byte(lead+e.json())) {
			return
		}
	}
	o.write([]byte("]"))
}

func (e event) json() string {
	if e.raw != "" {
		return e.raw
	}
	return text(e.data)
}
