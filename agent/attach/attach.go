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
	for _, word := range strings.Fields(text) {
		name, named := strings.CutPrefix(strings.TrimRight(word, ".,;:!?)\"'"), "@")
		if !named || !isImage(name) {
			continue
		}
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
	path := name
	if rest, home := strings.CutPrefix(name, "~/"); home {
		path = filepath.Join(i.Home, rest)
	} else if !filepath.IsAbs(name) {
		path = filepath.Join(i.Dir, name)
	}
	f, err := os.Open(path)
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
