package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Codex keeps MCP servers and providers in TOML. We read none of it but our own
// blocks, which begin with this line; the keys below it, up to a line that is no
// key of ours, are the block. Codex may add tables behind it: they are its own.
const tomlMark = "# trimtab: put in by trimtab install, taken out by trimtab uninstall"

const (
	tomlServer   = "[mcp_servers.trimtab]"
	tomlProvider = "[model_providers.trimtab]"
	tomlPick     = `model_provider = "trimtab"`
)

// tomlKeys are the keys of our blocks, by their first line.
var tomlKeys = map[string][]string{
	tomlServer:   {"command", "args"},
	tomlProvider: {"name", "base_url", "wire_api", "env_key"},
	tomlPick:     nil,
}

// block is one of ours: the lines from one number to before another, and its
// values as they stand.
type block struct {
	head     string
	from, to int
	values   map[string]string
}

// blocks finds ours.
func blocks(text []byte) (lines []string, all []block) {
	lines = strings.SplitAfter(string(text), "\n")
	line := func(i int) string {
		if i >= len(lines) {
			return ""
		}
		return strings.TrimRight(lines[i], "\r\n")
	}
	for i := 0; i+1 < len(lines); i++ {
		keys, ours := tomlKeys[line(i+1)]
		if line(i) != tomlMark || !ours {
			continue
		}
		b := block{head: line(i + 1), from: i, to: i + 2, values: map[string]string{}}
		for b.to < len(lines) {
			name, value, ok := strings.Cut(line(b.to), " = ")
			if !ok || !contains(keys, name) {
				break
			}
			b.values[name] = value
			b.to++
		}
		all = append(all, b)
		i = b.to - 1
	}
	return lines, all
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func foundTOML(text []byte) (have Want) {
	_, all := blocks(text)
	for _, b := range all {
		switch b.head {
		case tomlServer:
			var command string
			var args []string
			if json.Unmarshal([]byte(b.values["command"]), &command) == nil && json.Unmarshal([]byte(b.values["args"]), &args) == nil {
				have.MCP = append([]string{command}, args...)
			}
		case tomlProvider:
			var url string
			if json.Unmarshal([]byte(b.values["base_url"]), &url) == nil {
				have.Gateway = strings.TrimSuffix(url, "/v1")
			}
		}
	}
	return have
}

// cutTOML takes our blocks out, each with the empty line before it.
func cutTOML(text []byte) []byte {
	lines, all := blocks(text)
	if len(all) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, b := range all {
		from := b.from
		if b.head != tomlPick && from > at && strings.TrimSpace(lines[from-1]) == "" {
			from--
		}
		out.WriteString(strings.Join(lines[at:from], ""))
		at = b.to
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return []byte(out.String())
}

// putTOML adds our blocks to a text that has none of them.
func putTOML(text []byte, w Want) ([]byte, error) {
	if len(w.MCP) == 0 && w.Gateway == "" {
		return text, nil
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	var top, end string
	add := func(lines ...string) string { return strings.Join(append([]string{tomlMark}, lines...), eol) + eol }
	if len(w.MCP) > 0 {
		if hasTable(text, "mcp_servers.trimtab") {
			return nil, errors.New("there is an MCP server called trimtab that is not ours; codex mcp remove trimtab takes it out")
		}
		end += eol + add(tomlServer, "command = "+tomlText(w.MCP[0]), "args = "+tomlList(w.MCP[1:]))
	}
	if w.Gateway != "" {
		if other := topValue(text, "model_provider"); other != "" {
			return nil, fmt.Errorf("model_provider is %s already; take it out first, and name it with gateway.upstreams in the settings of trimtab", other)
		}
		if hasTable(text, "model_providers.trimtab") {
			return nil, errors.New("there is a provider called trimtab that is not ours; take it out first")
		}
		top = add(tomlPick)
		end += eol + add(tomlProvider, `name = "Trimtab"`, "base_url = "+tomlText(strings.TrimSuffix(w.Gateway, "/")+"/v1"), `wire_api = "responses"`, `env_key = "OPENAI_API_KEY"`)
	}
	body := string(text)
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += eol
	}
	if body == "" && top == "" {
		end = strings.TrimPrefix(end, eol)
	}
	return []byte(top + body + end), nil
}

// hasTable reports whether a table is begun or set anywhere.
func hasTable(text []byte, name string) bool {
	for line := range strings.Lines(string(text)) {
		line = strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(line)
		if strings.HasPrefix(line, "["+name+"]") || strings.HasPrefix(line, "["+name+".") || strings.HasPrefix(line, name+".") || strings.HasPrefix(line, name+"=") {
			return true
		}
	}
	return false
}

// topValue is the value of a key that stands before the first table.
func topValue(text []byte, key string) string {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			return ""
		}
		if name, value, ok := strings.Cut(line, "="); ok && strings.Trim(name, ` "'`) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// tomlText is a string of TOML. Its escapes are those of JSON, but for <, > and &,
// which need none, and the delete character, which does.
func tomlText(s string) string {
	return strings.ReplaceAll(written(s, "", 0), "\x7f", `\u007f`)
}

func tomlList(all []string) string {
	var words []string
	for _, s := range all {
		words = append(words, tomlText(s))
	}
	return "[" + strings.Join(words, ", ") + "]"
}
