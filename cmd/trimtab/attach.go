package main

import (
	"cmp"
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

// prompt makes a message of what a person wrote. A picture that is named in it, as
// in "what is wrong in @shot.png?", goes with it; one that cannot is said in left.
func (t *talk) prompt(text string) (m trimtab.Message, left []string) {
	m = trimtab.Prompt(text)
	for _, word := range strings.Fields(text) {
		name, named := strings.CutPrefix(strings.TrimRight(word, ".,;:!?)\"'"), "@")
		if !named || !picture(name) {
			continue
		}
		if len(m.Parts) > maxPictures {
			left = append(left, fmt.Sprintf("%s was left out: at most %d pictures go with a prompt", name, maxPictures))
			continue
		}
		image, err := t.picture(name)
		if err != nil {
			left = append(left, fmt.Sprintf("%s was left out: %s", name, err))
			continue
		}
		m.Parts = append(m.Parts, trimtab.Opaque{Kind: "image", By: trimtab.Person, Raw: image.Anthropic()})
	}
	return m, left
}

// picture tells by its name whether a file may be one.
func picture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// picture reads a picture, which a person named.
func (t *talk) picture(name string) (normalize.Image, error) {
	path := name
	if rest, home := strings.CutPrefix(name, "~/"); home {
		path = filepath.Join(cmp.Or(t.getenv("HOME"), t.getenv("USERPROFILE")), rest)
	} else if !filepath.IsAbs(name) {
		path = filepath.Join(t.dir, name)
	}
	f, err := os.Open(path)
	if err != nil {
		return normalize.Image{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return normalize.Image{}, errors.Join(errors.New("it is no file"), err)
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
