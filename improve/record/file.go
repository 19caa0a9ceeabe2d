package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// pattern is a pattern in the form of other tools: its samples are texts, and it has no
// key that they do not know.
type pattern struct {
	improve.Pattern
	Samples     []string `json:"samples"`
	Fingerprint *string  `json:"fingerprint,omitempty"`
	Score       *int     `json:"score,omitempty"`
}

func patternOf(p improve.Pattern) pattern {
	out := pattern{Pattern: p, Samples: []string{}}
	for _, s := range p.Samples {
		out.Samples = append(out.Samples, s.Excerpt)
	}
	return out
}

// entry is a request in the form of other tools.
type entry struct {
	improve.Request
	Pattern pattern `json:"source_pattern"`
}

// result is a reflection in the form of other tools, with what became of it.
type result struct {
	Session     string           `json:"session_id"`
	Timestamp   time.Time        `json:"timestamp"`
	Patterns    []pattern        `json:"patterns"`
	Metrics     *improve.Metrics `json:"metrics"`
	Suggestions []string         `json:"suggestions"`
	Priority    improve.Priority `json:"automation_priority"`
	Workflow    string           `json:"workflow_id"`
	Why         string           `json:"why"`
}

// files brings the files in the project up to an item's state.
func (r *Recorder) files(it improve.Item) {
	err := r.inProject(it, func(root *os.Root) error {
		switch it.State {
		case improve.Queued:
			return r.putJSON(root, queueFile(it.ID), entry{it.Request, patternOf(it.Request.Pattern)})
		case improve.Failed:
			return setAside(root, it.ID)
		case improve.Manual:
			return errors.Join(r.review(root, it), setAside(root, it.ID))
		case improve.Done, improve.Rejected, improve.Cancelled:
			return gone(root.Remove(queueFile(it.ID)))
		case improve.Awaiting, improve.Running: // what waits for approval is not for other tools to begin
		}
		return nil
	})
	if err != nil {
		r.failed(it.ID, err)
	}
}

func queueFile(id string) string {
	return filepath.Join(filepath.FromSlash(improve.SpoolFolder), id+".json")
}

// gone is an error but for that of a file that is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// setAside moves the entry of an item out of the queue, for a person to look at.
func setAside(root *os.Root, id string) error {
	folder := filepath.Join(filepath.FromSlash(improve.SpoolFolder), "failed")
	if _, err := root.Lstat(queueFile(id)); err != nil {
		return gone(err)
	}
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return root.Rename(queueFile(id), filepath.Join(folder, id+".json"))
}

// review leaves what was found for a person to go on with.
func (r *Recorder) review(root *os.Root, it improve.Item) error {
	p := it.Request.Pattern
	out := result{
		Timestamp: it.Created.UTC(), Patterns: []pattern{patternOf(p)}, Metrics: it.Metrics, Suggestions: []string{p.Suggestion},
		Priority: improve.PriorityOf(p.Score), Workflow: it.ID, Why: it.Why,
	}
	if len(it.Sessions) > 0 {
		out.Session = it.Sessions[0]
	}
	name := fmt.Sprintf("reflection_%s.json", r.opt.Now().UTC().Format("20060102_150405"))
	name = filepath.Join(filepath.FromSlash(improve.ReviewFolder), name)
	if _, err := root.Lstat(name); err == nil { // two in one second
		name = filepath.Join(filepath.FromSlash(improve.ReviewFolder), fmt.Sprintf("reflection_%s_%s.json", r.opt.Now().UTC().Format("20060102_150405"), it.ID))
	}
	return r.putJSON(root, name, out)
}

// putJSON writes a file whole or not at all.
func (r *Recorder) putJSON(root *os.Root, name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	temp := name + ".new"
	if err := root.WriteFile(temp, []byte(r.opt.Redact(string(raw))+"\n"), 0o600); err != nil {
		return err
	}
	return root.Rename(temp, name)
}
