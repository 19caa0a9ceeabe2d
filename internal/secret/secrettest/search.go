package secrettest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Place is where a canary was found.
type Place struct {
	File   string // "trimtab.db-wal", "logs.zip!run.log"
	Offset int
	Kind   string // of the canary
	Form   string // "plain", "in base64", …
}

// String says it for a person. It does not hold the canary.
func (p Place) String() string {
	return fmt.Sprintf("%s:%d: a %s (%s)", p.File, p.Offset, p.Kind, p.Form)
}

// Search fails the test for each place below root at which a canary stands.
func Search(t testing.TB, root string, canaries []Canary) {
	t.Helper()
	places, err := find(root, canaries)
	if err != nil {
		t.Fatalf("search for canaries: %v", err)
	}
	for _, p := range places {
		t.Errorf("a canary is out: %v", p)
	}
}

// find returns the places below root, a folder or a file, at which canaries
// stand: in every file whatever it is, in names of files, and inside gzip and
// zip.
func find(root string, canaries []Canary) ([]Place, error) {
	s := newSearch(canaries)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		s.bytes(rel+" (name)", []byte(rel), maxDepth)
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s.bytes(rel, raw, 0)
		return nil
	})
	return s.places, err
}

// In returns the places at which canaries stand in a text.
func In(name string, text []byte, canaries []Canary) []Place {
	s := newSearch(canaries)
	s.bytes(name, text, 0)
	return s.places
}

const (
	maxDepth = 3         // an archive in an archive in an archive
	maxInner = 256 << 20 // of one file in an archive
	window   = 8         // bytes by which a place is recognised
)

// piece is what is looked for: a form of a value, or a part of one.
type piece struct {
	text, kind, form string
}

// search looks for all pieces at once: the next eight bytes name the pieces that
// may begin here, after a table of bits has said that there may be some.
type search struct {
	maybe  [1 << 13]uint64
	pieces map[uint64][]piece
	places []Place
	seen   map[Place]bool
}

func newSearch(canaries []Canary) *search {
	s := &search{pieces: map[uint64][]piece{}, seen: map[Place]bool{}}
	for _, c := range canaries {
		for _, p := range forms(c.Value) {
			p.kind = c.Kind
			s.add(p)
		}
		for _, line := range strings.FieldsFunc(c.Value, func(r rune) bool { return r == '\n' || r == '\\' }) {
			// A database may break a value where a page ends, and a key has lines:
			// the last twelve characters tell too, and the twelve before them.
			if n := len(line); n >= 30 {
				s.add(piece{line[n-12:], c.Kind, "its end"})
				s.add(piece{line[n-24 : n-12], c.Kind, "its middle"})
			}
		}
	}
	return s
}

func (s *search) add(p piece) {
	if len(p.text) < window {
		return
	}
	key := binary.LittleEndian.Uint64([]byte(p.text[:window]))
	bit := key&0xFFFF ^ key>>48
	s.maybe[bit>>6&0x1FFF] |= 1 << (bit & 63)
	for _, old := range s.pieces[key] {
		if old.text == p.text && old.kind == p.kind {
			return
		}
	}
	s.pieces[key] = append(s.pieces[key], p)
}

// forms returns a value in the forms in which it may get out.
func forms(v string) []piece {
	quoted, _ := json.Marshal(v) // a string always has a JSON form
	once := strings.Trim(string(quoted), `"`)
	again, _ := json.Marshal(once) // the same
	wide := make([]byte, 0, 2*len(v))
	for i := range len(v) {
		wide = append(wide, v[i], 0)
	}
	out := []piece{
		{text: v, form: "plain"},
		{text: once, form: "in JSON"},
		{text: strings.Trim(string(again), `"`), form: "in JSON in JSON"},
		{text: url.QueryEscape(v), form: "escaped for a URL"},
		{text: url.PathEscape(v), form: "escaped for a path"},
		{text: hex.EncodeToString([]byte(v)), form: "in hexadecimal"},
		{text: string(wide), form: "in UTF-16"},
	}
	for shift, lead := range []int{0, 2, 3} {
		raw := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), v...))
		sure := raw[lead : (shift+len(v))*8/6]
		out = append(out, piece{text: sure, form: "in base64"}, piece{text: strings.NewReplacer("+", "-", "/", "_").Replace(sure), form: "in base64"})
	}
	return out
}

func (s *search) bytes(name string, raw []byte, depth int) {
	for i := 0; i+window <= len(raw); i++ {
		key := binary.LittleEndian.Uint64(raw[i:])
		bit := key&0xFFFF ^ key>>48
		if s.maybe[bit>>6&0x1FFF]&(1<<(bit&63)) == 0 {
			continue
		}
		for _, p := range s.pieces[key] {
			if len(raw)-i >= len(p.text) && string(raw[i:i+len(p.text)]) == p.text {
				s.found(Place{File: name, Offset: i, Kind: p.kind, Form: p.form})
			}
		}
	}
	if depth < maxDepth {
		s.archive(name, raw, depth)
	}
}

func (s *search) found(p Place) {
	if !s.seen[p] {
		s.seen[p] = true
		s.places = append(s.places, p)
	}
}

// archive looks inside gzip and zip. What only begins like one is no archive.
func (s *search) archive(name string, raw []byte, depth int) {
	if bytes.HasPrefix(raw, []byte("\x1f\x8b")) {
		if r, err := gzip.NewReader(bytes.NewReader(raw)); err == nil {
			s.inner(name+"!", r, depth)
		}
		return
	}
	if !bytes.HasPrefix(raw, []byte("PK")) {
		return
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return
	}
	for _, f := range z.File {
		s.bytes(name+"!"+f.Name+" (name)", []byte(f.Name), maxDepth)
		if r, err := f.Open(); err == nil {
			s.inner(name+"!"+f.Name, r, depth)
		}
	}
}

// inner looks at what could be unpacked, also where it ends too early.
func (s *search) inner(name string, r io.ReadCloser, depth int) {
	raw, _ := io.ReadAll(io.LimitReader(r, maxInner)) // what was read is looked at
	_ = r.Close()
	s.bytes(name, raw, depth+1)
}
