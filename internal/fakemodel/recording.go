package fakemodel

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Recording is a request of a real client. Long strings were replaced by their
// length when it was recorded, and all but the first tools left out.
type Recording struct {
	Format  Format
	URL     string
	Headers [][2]string
	Body    json.RawMessage // as the client wrote it
}

//go:embed testdata/requests
var requests embed.FS

// moreTools is the count that stands for the tools that were left out, which the
// client did not send.
var moreTools = regexp.MustCompile(`,\{"…":"[0-9]+ tools total"\}`)

// Recordings returns the recorded requests by their names.
func Recordings() (map[string]Recording, error) {
	files, err := fs.Glob(requests, "testdata/requests/*.json")
	if err != nil {
		return nil, err
	}
	all := map[string]Recording{}
	for _, name := range files {
		raw, err := requests.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var r Recording
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		at, err := url.Parse(r.URL)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		r.Format = routeOf(&http.Request{Method: http.MethodPost, URL: at}).format
		r.Body = moreTools.ReplaceAll(r.Body, nil)
		all[strings.TrimSuffix(path.Base(name), ".json")] = r
	}
	return all, nil
}
