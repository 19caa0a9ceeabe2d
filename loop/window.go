package loop

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
)

// entry is one text that was seen: its exact hash, a second number of whoever
// keeps it, and its sketch.
type entry struct {
	exact, tag uint64
	sketch
}

// window is the newest entries of a stream. It is a value: adding to it leaves
// the old one as it was, and costs a block of entries rather than all of them.
type window struct {
	full [][]entry // whole blocks, never written to again
	last []entry   // the block that is being filled
}

const block = 32

// add returns the window with one more entry, and without whole blocks that are
// no longer among the newest size.
func (w window) add(e entry, size int) window {
	w.last = append(slices.Clip(w.last), e)
	if len(w.last) == block {
		w.full, w.last = append(slices.Clip(w.full), w.last), nil
	}
	for len(w.full) > 0 && w.len()-block >= size {
		w.full = w.full[1:]
	}
	return w
}

func (w window) len() int { return len(w.full)*block + len(w.last) }

// each calls f with the newest size entries, the newest first, until it is false.
func (w window) each(size int, f func(*entry) bool) {
	for b := len(w.full); b >= 0; b-- {
		entries := w.last
		if b < len(w.full) {
			entries = w.full[b]
		}
		for i := len(entries) - 1; i >= 0; i-- {
			if size--; size < 0 || !f(&entries[i]) {
				return
			}
		}
	}
}

// MarshalJSON writes the entries as one short text. What can be computed again is
// left out.
func (w window) MarshalJSON() ([]byte, error) {
	var raw []byte
	put := func(e *entry) {
		raw = binary.LittleEndian.AppendUint64(raw, e.exact)
		raw = binary.LittleEndian.AppendUint64(raw, e.tag)
		n := byte(len(e.hash)) << 1
		if e.part {
			n |= 1
		}
		raw = append(raw, n)
		for _, h := range e.hash {
			raw = binary.LittleEndian.AppendUint32(raw, h)
		}
	}
	for _, b := range append(slices.Clip(w.full), w.last) {
		for i := range b {
			put(&b[i])
		}
	}
	return json.Marshal(base64.RawStdEncoding.EncodeToString(raw))
}

// UnmarshalJSON reads what MarshalJSON writes and refuses anything else.
func (w *window) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	var next window
	for len(raw) > 0 {
		if len(raw) < 17 {
			return fmt.Errorf("window: %w: %d bytes left over", trimtab.ErrDamaged, len(raw))
		}
		e := entry{exact: binary.LittleEndian.Uint64(raw), tag: binary.LittleEndian.Uint64(raw[8:])}
		n := int(raw[16] >> 1)
		e.part = raw[16]&1 == 1
		if raw = raw[17:]; n > sketchSize || len(raw) < 4*n {
			return fmt.Errorf("window: %w: a sketch of %d hashes in %d bytes", trimtab.ErrDamaged, n, len(raw))
		}
		for range n {
			h := binary.LittleEndian.Uint32(raw)
			if len(e.hash) > 0 && h <= e.hash[len(e.hash)-1] {
				return fmt.Errorf("window: %w: hashes out of order", trimtab.ErrDamaged)
			}
			e.hash, raw = append(e.hash, h), raw[4:]
		}
		e.seal()
		next = next.add(e, maxWindow)
	}
	*w = next
	return nil
}

// IsZero lets an empty window be left out of the JSON.
func (w window) IsZero() bool { return w.len() == 0 }

const maxWindow = 1000
