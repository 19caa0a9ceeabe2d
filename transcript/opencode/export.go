package opencode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// maxExport is the largest export that is read, in bytes: it is one value, and held as
// a whole.
const maxExport = 256 << 20

// ReadExport returns the messages of the JSON that "opencode export" writes: one
// session, with the values of the rows that the database holds. It is a
// transcript.Reader; the line of an item is its number in the session.
func ReadExport(in io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Run(opt, func(f *feed.Feed) error {
		raw, err := io.ReadAll(io.LimitReader(in, maxExport+1))
		if err != nil {
			return err
		}
		if len(raw) > maxExport {
			return f.Damage(transcript.Damaged{Text: fmt.Sprintf("it is longer than %d bytes", maxExport)})
		}
		r := &reader{Feed: f}
		err = r.export(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
		var d transcript.Damaged
		if errors.As(err, &d) {
			return f.Damage(d)
		}
		return err
	})
}

// export reads a whole export. Of one that is cut off, what stands there is read.
func (r *reader) export(raw []byte) error {
	revert, err := r.who(jsonscan.FindFirst(raw, "info"))
	if err != nil || r.parent != "" && !r.Opt.Side {
		return err
	}
	c := jsonscan.Object(raw)
	for c.Field() {
		if string(c.Key) != "messages" {
			continue
		}
		list := c.Down('[')
		if err := r.list(&list, revert); err != nil {
			return err
		}
		c.Up(&list)
	}
	if err := c.Err(); err != nil {
		return transcript.Damaged{Line: r.N, Text: err.Error()}
	}
	return nil
}

// who reads whose session it is, and from which message on it was taken back.
func (r *reader) who(info []byte) (revert string, err error) {
	for path, to := range map[string]*string{"id": &r.session, "parentID": &r.parent, "directory": &r.project} {
		if v := jsonscan.FindFirst(info, path); !jsonscan.Null(v) {
			if *to, err = r.Dec.String(v); err != nil {
				return "", transcript.Damaged{Text: fmt.Sprintf("info.%s: %s", path, err)}
			}
		}
	}
	if r.session == "" {
		return "", transcript.Damaged{Text: "it does not say which session it is"}
	}
	if r.Opt.Branches {
		return "", nil
	}
	revert, _ = jsonscan.String(jsonscan.FindFirst(info, "revert", "messageID"))
	return revert, nil
}

// list reads the messages, up to the one from which on they were taken back.
func (r *reader) list(messages *jsonscan.Cursor, revert string) error {
	for messages.Next() {
		r.N++
		gone, err := r.exported(messages.Value, revert)
		var d transcript.Damaged
		if errors.As(err, &d) {
			err = r.Damage(d)
		}
		if err != nil || gone {
			return err
		}
	}
	return nil
}

// exported passes on a message of an export with its parts. The blanks that make an
// export readable are no part of what a model called a tool with.
func (r *reader) exported(data []byte, revert string) (gone bool, err error) {
	var tight bytes.Buffer
	if json.Compact(&tight, data) == nil {
		data = tight.Bytes()
	}
	var info, parts []byte
	c := jsonscan.Object(data)
	for c.Next() {
		switch string(c.Key) {
		case "info":
			info = c.Value
		case "parts":
			parts = c.Value
		}
	}
	if err := c.Err(); err != nil {
		return false, transcript.Damaged{Line: r.N, Text: err.Error()}
	}
	id, _ := jsonscan.String(jsonscan.FindFirst(info, "id"))
	if id != "" && id == revert {
		return true, nil
	}
	if len(data) > r.Opt.MaxLine {
		return false, transcript.Damaged{Line: r.N, Row: id, Text: fmt.Sprintf("it is longer than %d bytes", r.Opt.MaxLine)}
	}
	m := trimtab.Message{ID: id}
	if created, err := jsonscan.Int(jsonscan.FindFirst(info, "time", "created")); err == nil && created > 0 {
		m.At = time.UnixMilli(int64(created)).UTC()
	}
	compacted, err := r.head(&m, info)
	if err != nil {
		return false, transcript.Damaged{Line: r.N, Row: id, Text: err.Error()}
	}
	results, err := r.exportedParts(&m, parts, compacted)
	if err != nil {
		return false, err
	}
	return false, r.pass(m, info, results, compacted)
}

func (r *reader) exportedParts(m *trimtab.Message, parts []byte, compacted bool) (results []trimtab.Part, err error) {
	if jsonscan.Null(parts) {
		return nil, nil
	}
	by := r.author(*m, compacted)
	var d markup.Divider
	c := jsonscan.Array(parts)
	for c.Next() {
		id, _ := jsonscan.String(jsonscan.FindFirst(c.Value, "id"))
		answered, err := r.add(m, &d, id, c.Value, by)
		if err != nil {
			return nil, err
		}
		results = append(results, answered...)
	}
	if err := c.Err(); err != nil {
		return results, r.Damage(transcript.Damaged{Line: r.N, Row: m.ID, Text: "parts: " + err.Error()})
	}
	return results, nil
}
