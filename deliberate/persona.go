package deliberate

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Persona is someone at the table.
type Persona struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Short  string   `json:"short,omitempty"` // one line for people
	Model  string   `json:"model,omitempty"` // "" is the model of the debate
	Leads  []string `json:"leads,omitempty"` // words in the ids of the phases that this one opens
	Prompt string   `json:"prompt"`
}

// Line is a persona in one line, for a list.
func (p Persona) Line() string {
	line := fmt.Sprintf("%-12s %s", p.ID, cmp.Or(p.Short, p.Name))
	if p.Model != "" {
		line += " (" + p.Model + ")"
	}
	return line
}

// The names at the table that are no persona's.
const (
	You        = "you"        // the person
	Researcher = "researcher" // who answers research requests
	Moderator  = "deliberate" // the messages of this package itself
)

var reserved = []string{You, Researcher, Moderator, "person", "human", "moderator", "system", "trimtab", "all", "nobody", "everyone"}

// What a persona's file may hold.
const (
	maxPersona = 64 << 10
	maxCast    = 12
)

//go:embed persona/*.md
var built embed.FS

// builtIn are the ids of the built-in personas, in the order in which they sit.
var builtIn = []string{"skeptic", "pragmatist", "analyst", "advocate", "contrarian"}

// BuiltIn returns the five personas that are always there, in the order in which
// they sit.
func BuiltIn() ([]Persona, error) {
	var all []Persona
	for _, id := range builtIn {
		raw, err := built.ReadFile("persona/" + id + ".md")
		if err != nil {
			return nil, err
		}
		p, err := ParsePersona(id+".md", raw)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// LoadPersonas reads the persona files (*.md) of a folder. A bad file is an error
// in errs and hides none of the good ones. A folder that is not there has none.
func LoadPersonas(folder fs.FS) (all []Persona, errs []error) {
	entries, err := fs.ReadDir(folder, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{fmt.Errorf("personas: %w", err)}
	}
	from := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".md" {
			continue
		}
		p, err := loadPersona(folder, e)
		if err == nil && from[p.ID] != "" {
			err = fmt.Errorf("persona %s: the id %q is already that of %s; give it another", e.Name(), p.ID, from[p.ID])
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		from[p.ID] = e.Name()
		all = append(all, p)
	}
	return all, errs
}

func loadPersona(folder fs.FS, e fs.DirEntry) (Persona, error) {
	info, err := e.Info()
	if err != nil {
		return Persona{}, fmt.Errorf("persona %s: %w", e.Name(), err)
	}
	if info.Size() > maxPersona {
		return Persona{}, fmt.Errorf("persona %s: %d bytes are over the limit of %d", e.Name(), info.Size(), maxPersona)
	}
	raw, err := fs.ReadFile(folder, e.Name())
	if err != nil {
		return Persona{}, fmt.Errorf("persona %s: %w", e.Name(), err)
	}
	return ParsePersona(e.Name(), raw)
}

var personaID = lazyregexp.Pattern(`^[a-z][a-z0-9-]{0,31}$`)

// ParsePersona reads a persona's file: Markdown, with a few keys between two lines
// of three dashes in front. file is its name, for errors and for the id.
//
//	---
//	name: The Treasurer
//	short: asks what it costs
//	model: anthropic/claude-opus-5
//	leads: verdict, business-model
//	---
//	You look after the money. …
func ParsePersona(file string, raw []byte) (Persona, error) {
	bad := func(line int, format string, args ...any) (Persona, error) {
		return Persona{}, fmt.Errorf("persona %s:%d: "+format, append([]any{file, line}, args...)...)
	}
	if len(raw) > maxPersona {
		return bad(1, "%d bytes are over the limit of %d", len(raw), maxPersona)
	}
	text := strings.ReplaceAll(string(bytes.TrimPrefix(raw, []byte("\ufeff"))), "\r\n", "\n")
	if line, what := unprintable(text); line > 0 {
		return bad(line, "it holds %s; write it as plain text", what)
	}
	p := Persona{ID: strings.TrimSuffix(path.Base(file), ".md")}
	body, at := text, 1
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		head, after, closed := strings.Cut("\n"+rest, "\n---\n")
		if !closed {
			return bad(1, "the head begins with --- and does not end with such a line")
		}
		body, at = after, 2+strings.Count(head, "\n")+1
		if line, err := p.head(strings.TrimPrefix(head, "\n")); err != nil {
			return bad(line+1, "%w", err)
		}
	}
	p.Prompt = strings.TrimSpace(body)
	switch {
	case !personaID().MatchString(p.ID):
		return bad(1, "invalid id %q: 1 to 32 small letters, digits and dashes, beginning with a letter", trimtab.Clip(p.ID, 40))
	case slices.Contains(reserved, p.ID):
		return bad(1, "the id %q is taken by somebody else at the table; choose another", p.ID)
	case p.Prompt == "":
		return bad(at, "it says nothing; write below the head who this is and how they think")
	}
	if p.Name == "" {
		p.Name = strings.ToUpper(p.ID[:1]) + p.ID[1:]
	}
	return p, nil
}

// head reads the keys. Where one is wrong, line is its number.
func (p *Persona) head(text string) (line int, err error) {
	seen := map[string]bool{}
	for row := range strings.SplitSeq(text, "\n") {
		line++
		key, value, ok := strings.Cut(row, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "" && !ok || strings.HasPrefix(key, "#") {
			continue
		}
		if !ok {
			return line, fmt.Errorf("%q is not a key and value, as in name: The Treasurer", trimtab.Clip(row, 40))
		}
		if seen[key] {
			return line, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = true
		if len(value) > 200 {
			return line, fmt.Errorf("%s is %d bytes long; at most 200 are taken", key, len(value))
		}
		switch key {
		case "id":
			p.ID = value
		case "name":
			p.Name = value
		case "short":
			p.Short = value
		case "model":
			p.Model = value
		case "leads":
			for word := range strings.SplitSeq(value, ",") {
				if word = strings.ToLower(strings.TrimSpace(word)); word != "" {
					p.Leads = append(p.Leads, word)
				}
			}
		default:
			return line, fmt.Errorf("%q is not known; there are id, name, short, model and leads", trimtab.Clip(key, 40))
		}
	}
	return 0, nil
}

// unprintable finds the first thing that is no text, and its line.
func unprintable(text string) (line int, what string) {
	line = 1
	for i, r := range text {
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return line, "a byte that is not UTF-8"
		case r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control):
			return line, fmt.Sprintf("the control character %U", r)
		}
	}
	return 0, ""
}

// Cast picks personas by their ids, in that order. No ids pick the built-in five.
func Cast(all []Persona, ids []string) ([]Persona, error) {
	var names []string
	for _, p := range all {
		names = append(names, p.ID)
	}
	if len(ids) == 0 {
		ids = builtIn
	}
	var cast []Persona
	for _, id := range ids {
		id = strings.TrimSpace(id)
		i := slices.Index(names, id)
		switch {
		case i < 0:
			return nil, fmt.Errorf("no persona %q; there are %s", trimtab.Clip(id, 40), strings.Join(names, ", "))
		case slices.ContainsFunc(cast, func(p Persona) bool { return p.ID == id }):
			return nil, fmt.Errorf("persona %s is named twice", id)
		}
		cast = append(cast, all[i])
	}
	return cast, checkCast(cast)
}

func checkCast(cast []Persona) error {
	if len(cast) < 2 {
		return errors.New("a debate needs at least two personas; name another")
	}
	if len(cast) > maxCast {
		return fmt.Errorf("%d personas are given; at most %d can debate", len(cast), maxCast)
	}
	return nil
}
