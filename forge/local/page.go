package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// page is a file: some facts on top, then a text. Facts are JSON, or plain words
// where a person wrote them.
type page struct {
	Title   string
	Author  string
	State   string
	Labels  []string
	Created time.Time
	Merged  time.Time
	Head    string
	Base    string
	Commit  string
	Draft   bool
	Review  bool
	Body    string
}

const (
	fence   = "---"
	maxPage = 8 << 20
	maxTop  = 64 << 10
)

// write returns the file.
func (p page) write() []byte {
	var b strings.Builder
	b.WriteString(fence + "\n")
	fact := func(name string, v any, have bool) {
		if have {
			raw, _ := json.Marshal(v) // texts and truths can always be written
			fmt.Fprintf(&b, "%s: %s\n", name, raw)
		}
	}
	fact("title", p.Title, p.Title != "")
	fact("author", p.Author, true)
	fact("state", p.State, p.State != "")
	fact("labels", p.Labels, len(p.Labels) > 0)
	fact("head", p.Head, p.Head != "")
	fact("base", p.Base, p.Base != "")
	fact("commit", p.Commit, p.Commit != "")
	fact("draft", true, p.Draft)
	fact("review", true, p.Review)
	fact("created", p.Created.UTC().Format(time.RFC3339Nano), true)
	fact("merged", p.Merged.UTC().Format(time.RFC3339Nano), !p.Merged.IsZero())
	b.WriteString(fence + "\n\n" + p.Body + "\n")
	return []byte(b.String())
}

// readPage reads a file. Facts that it does not know are passed over.
func readPage(raw []byte) (page, error) {
	if len(raw) > maxPage {
		return page{}, fmt.Errorf("the file is larger than %d MB", maxPage>>20)
	}
	var p page
	rest := string(raw)
	for n := 0; ; n++ {
		line, after, more := strings.Cut(rest, "\n")
		line = strings.TrimRight(line, "\r \t")
		switch {
		case n == 0 && line != fence:
			return page{}, errors.New("the file does not begin with a line of ---")
		case n > 0 && line == fence:
			after = strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
			p.Body = strings.TrimSuffix(after, "\n")
			return p, p.check()
		case !more || len(raw)-len(after) > maxTop:
			return page{}, errors.New("the facts on top do not end with a line of ---")
		case n > 0:
			if err := p.set(line); err != nil {
				return page{}, err
			}
		}
		rest = after
	}
}

// set reads a fact.
func (p *page) set(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		return fmt.Errorf("%.60q is not a fact; write it as name: value", line)
	}
	value = strings.TrimSpace(value)
	texts := map[string]*string{"title": &p.Title, "author": &p.Author, "state": &p.State, "head": &p.Head, "base": &p.Base, "commit": &p.Commit}
	times := map[string]*time.Time{"created": &p.Created, "merged": &p.Merged}
	truths := map[string]*bool{"draft": &p.Draft, "review": &p.Review}
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case texts[name] != nil:
		if json.Unmarshal([]byte(value), texts[name]) != nil {
			*texts[name] = value
		}
	case truths[name] != nil:
		*truths[name] = value == "true"
	case name == "labels":
		if json.Unmarshal([]byte(value), &p.Labels) != nil {
			p.Labels = nil
			for _, l := range strings.Split(strings.Trim(value, "[]"), ",") {
				if l = strings.TrimSpace(l); l != "" {
					p.Labels = append(p.Labels, l)
				}
			}
		}
	case times[name] != nil:
		at, err := time.Parse(time.RFC3339Nano, strings.Trim(value, `"`))
		if err != nil {
			return fmt.Errorf("%s: invalid time %.40q; write it as 2026-11-15T10:15:00Z", name, value)
		}
		*times[name] = at
	}
	return nil
}

func (p page) check() error {
	switch p.State {
	case "", "open", "closed", "merged":
		return nil
	}
	return fmt.Errorf("invalid state %.40q; write open, closed or merged", p.State)
}
