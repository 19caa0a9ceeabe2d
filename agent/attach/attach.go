// Package attach puts the pictures that a person names into their prompt, as in
// "what is wrong in @shot.png?". It reads only files whose name and content are of a
// picture, up to a size and a number, and says which it left out. Nothing else of a
// prompt is changed.
//
//	message, left := attach.Images{Dir: dir, Home: home}.Prompt(text)
package attach

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm/normalize"
)

// The limits of pictures that go with a prompt.
const (
	maxPicture  = 4 << 20
	maxPictures = 8
)

// Images finds pictures by the names that a person writes.
type Images struct {
	Dir  string // that names are relative to
	Home string // what ~ stands for
}

// Prompt makes a message of what a person wrote. A picture that is named in it goes
// with it; left says of each that cannot, and why.
func (i Images) Prompt(text string) (m trimtab.Message, left []string) {
	m = trimtab.Prompt(text)
	for _, name := range i.named(text) {
		if len(m.Parts) > maxPictures {
			left = append(left, fmt.Sprintf("%s was left out: at most %d pictures go with a prompt", name, maxPictures))
			continue
		}
		image, err := i.read(name)
		if err != nil {
			left = append(left, fmt.Sprintf("%s was left out: %s", name, err))
			continue
		}
		m.Parts = append(m.Parts, trimtab.Opaque{Kind: "image", By: trimtab.Person, Raw: image.Anthropic()})
	}
	return m, left
}

// named finds the pictures that a text names: @shot.png, @"my shot.png", and
// @my shot.png where there is such a file.
func (i Images) named(text string) (names []string) {
	for at := strings.IndexByte(text, '@'); at >= 0; at = strings.IndexByte(text, '@') {
		word := at == 0 || strings.ContainsRune(" \t\n(", rune(text[at-1]))
		text = text[at+1:]
		if !word {
			continue
		}
		if name := i.first(text); name != "" {
			names, text = append(names, name), strings.TrimPrefix(text, name)
		}
	}
	return names
}

// maxWords is how many words a name without quotes may have.
const maxWords = 12

// first is the picture that a text begins with, or "".
func (i Images) first(text string) string {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		name, _, closed := strings.Cut(rest, `"`)
		if closed && isImage(name) && !strings.Contains(name, "\n") {
			return name
		}
		return ""
	}
	line, _, _ := strings.Cut(text, "\n")
	end, short := 0, ""
	for range maxWords {
		n := strings.IndexAny(line[end:], " \t")
		if n < 0 {
			n = len(line) - end
		}
		name := strings.TrimRight(line[:end+n], ".,;:!?)\"'")
		if isImage(name) {
			if end == 0 {
				short = name // what is left out is told by this name
			}
			if info, err := os.Stat(i.path(name)); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		if end += n + 1; end > len(line) {
			break
		}
	}
	return short
}

// isImage tells by its name whether a file may be a picture.
func isImage(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// read reads a picture, which a person named.
func (i Images) read(name string) (normalize.Image, error) {
	f, err := os.Open(i.path(name))
	if err != nil {
		return normalize.Image{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return normalize.Image{}, errors.Join(errors.New("it is not a file"), err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxPicture+1))
	if err != nil {
		return normalize.Image{}, err
	}
	if len(raw) > maxPicture {
		return normalize.Image{}, fmt.Errorf("it is over %d MB", maxPicture>>20)
	}
	media := http.DetectContentType(raw)
	switch media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return normalize.Image{Media: media, Data: base64.StdEncoding.EncodeToString(raw)}, nil
	}
	return normalize.Image{}, fmt.Errorf("it holds %s, not a picture", media)
}

// path is where a named file is.
func (i Images) path(name string) string {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(i.Home, rest)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(i.Dir, name)
}
