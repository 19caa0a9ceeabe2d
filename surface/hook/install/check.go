package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"
)

// errNotOnlyOurs is a text that we would write and in which a parser would read something
// else of the person's. It is never written.
var errNotOnlyOurs = errors.New("ours cannot be told apart from what is there as it is written; it is left alone")

// onlyOurs checks what we are about to write as the host will read it: the settings with
// and without us say the same but for what is ours. An edit of text that went wrong is
// noticed here and not by the host.
func (p Place) onlyOurs(path string, without, with []byte) error {
	if filepath.Ext(path) == ".toml" || p.isCode(path) {
		return nil // TOML has a check of its own, and a program is ours alone
	}
	if _, ours := p.also(path); ours {
		return nil
	}
	a, err1 := document(without)
	b, err2 := document(with)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	p.strip(a) // an entry of ours that was there before may have another program
	p.strip(b)
	if !reflect.DeepEqual(a, b) {
		return errNotOnlyOurs
	}
	return nil
}

// document is what a parser reads of settings.
func document(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	_, body := splitMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		return doc, nil
	}
	standard, err := hujson.Standardize(bytes.Clone(body))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(standard))
	d.UseNumber()
	return doc, d.Decode(&doc)
}

// strip takes ours out of a document, and what is empty then or was before.
func (p Place) strip(doc map[string]any) {
	if hooks, ok := doc["hooks"].(map[string]any); ok {
		for event, groups := range hooks {
			list, ok := groups.([]any)
			if !ok {
				continue
			}
			list = slices.DeleteFunc(list, func(group any) bool {
				g, _ := group.(map[string]any)
				handlers, ok := g["hooks"].([]any)
				if !ok {
					return false
				}
				rest := slices.DeleteFunc(slices.Clone(handlers), func(h any) bool {
					fields, _ := h.(map[string]any)
					command, _ := fields["command"].(string)
					return isOurs(command, p.Host, event)
				})
				g["hooks"] = rest
				return len(rest) == 0 && len(handlers) > 0
			})
			if hooks[event] = list; len(list) == 0 {
				delete(hooks, event)
			}
		}
	}
	if servers, ok := doc[serversKey].(map[string]any); ok {
		if entry, ok := servers[serverName].(map[string]any); ok {
			raw, _ := json.Marshal(entry)
			var s server
			if json.Unmarshal(raw, &s) == nil && s.ours() {
				delete(servers, serverName)
			}
		}
	}
	if env, ok := doc[envKey].(map[string]any); ok && env[hintKey] == hintValue {
		delete(env, baseKey)
		delete(env, hintKey)
	}
	for _, name := range []string{"hooks", serversKey, envKey} {
		if o, ok := doc[name].(map[string]any); ok && len(o) == 0 {
			delete(doc, name)
		}
	}
}
