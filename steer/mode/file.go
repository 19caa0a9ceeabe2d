package mode

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// Problem is what is wrong with a file, and where.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 is the whole file
	Path string `json:"path,omitempty"` // as in phases[1].maxMessages
	Text string `json:"text"`
}

// Error is the problem in one line.
func (p Problem) Error() string {
	at := p.File
	if p.Line > 0 {
		at += ":" + strconv.Itoa(p.Line)
	}
	if p.Path != "" {
		at += ": " + p.Path
	}
	return at + ": " + p.Text
}

const maxDepth, maxValues = 12, 5000

// Parse reads the file of a mode: one JSON object. Comments are for whoever reads
// files to take out, with spaces in their place so that lines stay what they are. A
// file with a problem makes no mode.
func Parse(file string, data []byte) (Definition, []Problem) {
	one := func(line int, format string, args ...any) (Definition, []Problem) {
		return Definition{}, []Problem{{File: file, Line: line, Text: fmt.Sprintf(format, args...)}}
	}
	if len(data) > MaxFile {
		return one(0, "%d bytes; a mode takes at most %d", len(data), MaxFile)
	}
	if !utf8.Valid(data) {
		return one(0, "it is not UTF-8 text")
	}
	plain := bytes.TrimPrefix(data, []byte("\ufeff"))
	w := &walker{file: file, data: plain, dec: json.NewDecoder(bytes.NewReader(plain)), at: map[string]int{}}
	w.dec.UseNumber()
	if err := w.value("", reflect.TypeFor[Definition](), 0); err != nil {
		return one(w.line(w.offset(err)), "it is not a JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := w.dec.Token(); err != io.EOF {
		return one(w.line(int(w.dec.InputOffset())), "there is more behind the object; a file holds one mode")
	}
	if len(w.problems) > 0 {
		return Definition{}, w.problems
	}
	var d Definition
	if err := json.Unmarshal(plain, &d); err != nil {
		return one(0, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	for _, f := range Check(d) {
		w.problem(f.Path, "%s", f.Text)
	}
	if len(w.problems) > 0 {
		return Definition{}, w.problems
	}
	return d, nil
}

// walker checks that a text has the shape of a type, and keeps where each value
// stands.
type walker struct {
	file     string
	data     []byte
	dec      *json.Decoder
	at       map[string]int // offset by path
	values   int
	problems []Problem
}

func (w *walker) offset(err error) int {
	if s, ok := err.(*json.SyntaxError); ok { //nolint:errorlint // the decoder returns it bare
		return int(s.Offset)
	}
	return int(w.dec.InputOffset())
}

func (w *walker) line(offset int) int {
	return 1 + bytes.Count(w.data[:min(max(offset, 0), len(w.data))], []byte("\n"))
}

// problem reports one at a path, or at the nearest part of it that is written.
func (w *walker) problem(path, format string, args ...any) {
	if len(w.problems) >= 100 {
		return
	}
	p := Problem{File: w.file, Path: path, Line: 1, Text: fmt.Sprintf(format, args...)}
	for up := path; up != ""; up = up[:max(0, strings.LastIndexAny(up, ".["))] {
		if at, ok := w.at[up]; ok {
			p.Line = w.line(at)
			break
		}
	}
	w.problems = append(w.problems, p)
}

// value walks one value of a type.
func (w *walker) value(path string, t reflect.Type, depth int) error {
	if w.values++; depth > maxDepth || w.values > maxValues {
		return fmt.Errorf("it is nested deeper than %d, or holds more than %d values", maxDepth, maxValues)
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	w.at[path] = max(0, int(w.dec.InputOffset())-1)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return w.object(path, t, depth)
		}
		return w.list(path, t, depth)
	default:
		w.plain(path, t, token)
	}
	return nil
}

func (w *walker) object(path string, t reflect.Type, depth int) error {
	if t != nil && t.Kind() != reflect.Struct {
		w.problem(path, "an object is not allowed; give %s", kind(t))
		t = nil
	}
	fields, names := fieldsOf(t)
	seen := map[string]bool{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		key := name
		if path != "" {
			key = path + "." + name
		}
		w.at[key] = max(0, int(w.dec.InputOffset())-1)
		next, known := fields[name]
		switch {
		case seen[name]:
			w.problem(trimtab.Clip(key, 100), "it is given twice")
		case path == "" && (name == "$schema" || name == initialKey):
			next = reflect.TypeFor[string]()
		case t != nil && !known:
			w.problem(trimtab.Clip(key, 100), "there is no such key; give some of %s", strings.Join(names, ", "))
		}
		seen[name] = true
		if path == "" && (name == entryKey && seen[initialKey] || name == initialKey && seen[entryKey]) {
			w.problem(key, "%s and %s are two names of one text; give one", entryKey, initialKey)
		}
		if err := w.value(trimtab.Clip(key, 200), next, depth+1); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

func (w *walker) list(path string, t reflect.Type, depth int) error {
	if t != nil && t.Kind() != reflect.Slice {
		w.problem(path, "a list is not allowed; give %s", kind(t))
		t = nil
	}
	var of reflect.Type
	if t != nil {
		of = t.Elem()
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(fmt.Sprintf("%s[%d]", path, i), of, depth+1); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// plain checks a value that is neither object nor list.
func (w *walker) plain(path string, t reflect.Type, token json.Token) {
	if t == nil {
		return
	}
	ok := false
	switch v := token.(type) {
	case string:
		ok = t.Kind() == reflect.String || t == reflect.TypeFor[Criterion]()
	case bool:
		ok = t.Kind() == reflect.Bool
	case json.Number:
		if t.Kind() == reflect.Int {
			_, err := strconv.Atoi(v.String())
			ok = err == nil
		} else {
			_, err := v.Float64()
			ok = t.Kind() == reflect.Float64 && err == nil
		}
	}
	if !ok {
		w.problem(path, "%s is not allowed; give %s", trimtab.Clip(fmt.Sprintf("%#v", token), 60), kind(t))
	}
}

// fieldsOf returns the keys of an object of a type, in their order too.
func fieldsOf(t reflect.Type) (fields map[string]reflect.Type, names []string) {
	fields = map[string]reflect.Type{}
	if t == nil {
		return fields, nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i).Type
		names = append(names, name)
	}
	return fields, names
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		if t == reflect.TypeFor[Criterion]() {
			return "an id or an object"
		}
		return "an object"
	}
	return "text"
}

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema of a mode's file, for editors that check it while it is
// written. What a schema cannot see, Parse reports: ids that are taken or come
// twice, control characters, and limits that contradict each other.
func Schema() []byte { return slices.Clone(schema) }
