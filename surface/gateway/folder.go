package gateway

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/wire"
)

// looked is in how many requests of a session its folder is looked for.
const looked = 4

// folder is the folder that the agent says it works in, where nobody else said it: for
// people to find the session by, and nothing else. No file is touched for it. Only words
// that the host wrote count: what was typed and what tools said may name any folder.
func (g *Steerer) folder(from client, l *ledger, f wire.Format, b *wire.Body) string {
	if g.opt.Project != "" || l.state.Project != "" || len(from.Folder) == 0 || l.number >= looked {
		return ""
	}
	if b.System.End > b.System.Start {
		if dir := folderIn(from.Folder, jsonText(b.Bytes(b.System))); dir != "" {
			return dir
		}
	}
	begun := false
	for i := range b.Items {
		switch it := &b.Items[i]; {
		case it.Role == trimtab.RoleAssistant:
			begun = true
		case it.Role == trimtab.RoleSystem, it.Role == trimtab.RoleUser && !begun:
			if dir := folderIn(from.Folder, hostText(f.Message(b, i))); dir != "" {
				return dir
			}
		}
	}
	return ""
}

// jsonText is the text of a system prompt: a string, or parts with one.
func jsonText(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	var all []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, part := range v {
				collect(part)
			}
		case map[string]any:
			collect(v["text"])
			collect(v["parts"])
		}
	}
	collect(v)
	return strings.Join(all, "\n")
}

// hostText is what the host wrote of a message.
func hostText(m trimtab.Message) string {
	var all []string
	var d markup.Divider
	for _, p := range m.Parts {
		t, ok := p.(trimtab.Text)
		switch {
		case !ok:
		case m.Role == trimtab.RoleSystem || t.By == trimtab.Host:
			all = append(all, t.Text)
		default:
			for _, p := range d.Divide(t.Text) {
				if t := p.(trimtab.Text); t.By == trimtab.Host {
					all = append(all, t.Text)
				}
			}
		}
	}
	return strings.Join(all, "\n")
}

// folderIn finds the first folder in a text that stands where a host puts it; a prompt may
// also speak of the place.
func folderIn(places []host.Between, text string) string {
	for _, p := range places {
		for _, rest := range strings.Split(text, p.Before)[1:] {
			dir, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
			if p.After != "" {
				dir, _, _ = strings.Cut(dir, p.After)
			}
			dir = strings.TrimSpace(dir)
			if filepath.IsAbs(dir) && len(dir) <= maxFolder && !strings.ContainsFunc(dir, unicode.IsControl) {
				return filepath.Clean(dir)
			}
		}
	}
	return ""
}

// maxFolder is the longest path that is taken for a folder, in bytes.
const maxFolder = 4096
