package deliberate

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/speech"
)

// Tool is what the researcher may use.
type Tool struct {
	llm.Tool
	Run func(ctx context.Context, input json.RawMessage) (string, error)
}

//go:embed researcher.md
var researcher string

// notDone begins an answer that is none.
const notDone = "Not looked up: "

// study is a request that is being looked up while somebody else speaks.
type study struct {
	request Request
	done    chan struct{} // closed when there is a finding
	finding finding
}

// finding is what the researcher brings.
type finding struct {
	text  string
	usage trimtab.Usage
	model string
	calls []trimtab.ToolCall
	err   error // the run was cut short: the request stays open
}

// leave waits for what is being looked up. The run's context is over, so it ends.
func (d *Debate) leave() {
	if d.study != nil {
		<-d.study.done
		d.study = nil
	}
}

// research looks up what was asked, one thing at a time. It begins at once and the
// next speaker does not wait for it; its answer comes before the one after, so
// that the order of messages depends on nobody's speed.
func (r *run) research() (brought bool, err error) {
	req := r.table.pending()
	if req == nil {
		return false, nil
	}
	if why := r.refuse(*req); why != "" {
		return true, r.bring(*req, finding{text: notDone + why})
	}
	if r.study == nil {
		r.study = &study{request: *req, done: make(chan struct{})}
		r.emit(Looking{*req})
		s := r.study
		work := r.lookup(*req)
		go func() {
			defer close(s.done)
			s.finding = work(r.ctx)
		}()
	}
	if !r.spokenSince(*req) && !r.last() {
		return false, nil // the next one speaks meanwhile
	}
	s := r.study
	<-s.done
	r.study = nil
	if s.finding.err != nil {
		return false, s.finding.err
	}
	return true, r.bring(s.request, s.finding)
}

// spokenSince reports whether somebody had a turn after the request.
func (r *run) spokenSince(req Request) bool {
	for _, u := range r.table.Said[min(req.at+1, len(r.table.Said)):] {
		if u.By != You && u.By != Researcher {
			return true
		}
	}
	return false
}

// last reports whether nobody else is about to speak.
func (r *run) last() bool {
	_, ok := r.floor()
	return !ok || r.spare() < 0
}

// refuse says why a request is over the limits, or nothing.
func (r *run) refuse(req Request) string {
	q, all, topic := r.goal.Research, 0, 0
	for _, o := range r.table.Requests {
		if o.At == 0 || o.Failed {
			continue
		}
		all++
		if speech.Slug(o.Topic) == speech.Slug(req.Topic) {
			topic++
		}
	}
	switch {
	case strings.TrimSpace(req.Topic) == "":
		return "the request names no topic; write it as [RESEARCH: topic]."
	case q.Max > 0 && all >= q.Max:
		return fmt.Sprintf("all %d research requests of this debate are used; work with what there is.", q.Max)
	case q.PerTopic > 0 && topic >= q.PerTopic:
		return fmt.Sprintf("this was asked %d times already; work with what there is.", topic)
	}
	return ""
}

// bring puts an answer on the table. It is by a tool: nothing in it marks or decides
// anything.
func (r *run) bring(req Request, f finding) error {
	m := trimtab.Message{Role: trimtab.RoleUser, Model: f.model, Parts: []trimtab.Part{trimtab.Text{Text: f.text, By: trimtab.Tool, From: Researcher}}}
	if f.usage != (trimtab.Usage{}) {
		m.Usage = &f.usage
	}
	if _, err := r.say(m); err != nil {
		return err
	}
	done := *r.table.Requests[req.N-1]
	r.emit(Found{done, f.calls})
	return nil
}
