package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Codex keeps MCP servers and providers in TOML. It is written by lines, so that
// comments and order stay, and decided from the parsed document: a text that we
// would write is parsed again and must say what was there before and ours, else
// nothing is written.
//
// Our blocks begin with this line; the keys below it, up to a line that is no
// key of ours, are the block. Codex may add tables behind it: they are its own.
const tomlMark = "# trimtab: put in by trimtab install, taken out by trimtab uninstall"

const (
	serversTable   = "mcp_servers"
	providersTable = "model_providers"
	providerKey    = "model_provider"

	tomlServer   = "[" + serversTable + "." + serverName + "]"
	tomlProvider = "[" + providersTable + "." + serverName + "]"
	tomlPick     = providerKey + ` = "` + serverName + `"`
)

// tomlKeys are the keys of our blocks, by their first line.
var tomlKeys = map[string][]string{
	tomlServer:   {"command", "args"},
	tomlProvider: {"name", "base_url", "wire_api", "env_key"},
	tomlPick:     nil,
}

// block is one of ours: the lines from one number to before another.
type block struct {
	head     string
	from, to int
}

// blocks finds ours.
func blocks(body []byte) (lines []string, all []block) {
	lines = strings.SplitAfter(string(body), "\n")
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
		b := block{head: line(i + 1), from: i, to: i + 2}
		for b.to < len(lines) {
			name, _, ok := strings.Cut(line(b.to), " = ")
			if !ok || !slices.Contains(keys, name) {
				break
			}
			b.to++
		}
		all = append(all, b)
		i = b.to - 1
	}
	return lines, all
}

// foundTOML is what a text has of ours.
func foundTOML(text []byte) (have Want, err error) {
	_, body := splitMark(text)
	_, all := blocks(body)
	if len(all) == 0 {
		return have, nil
	}
	doc, err := parseTOML(body)
	if err != nil {
		return have, fmt.Errorf("not valid TOML: %w; fix it there, or take ours out with trimtab uninstall", err)
	}
	for _, b := range all {
		switch b.head {
		case tomlServer:
			server, _ := entry(doc, serversTable).(table)
			have.MCP = commandLine(server)
		case tomlProvider:
			provider, _ := entry(doc, providersTable).(table)
			url, _ := provider["base_url"].(string)
			have.Gateway = strings.TrimSuffix(url, "/v1")
		}
	}
	return have, nil
}

// commandLine is how a server is started; nil where we cannot read that.
func commandLine(server table) []string {
	command, ok := server["command"].(string)
	args, isList := server["args"].([]any)
	if !ok || !isList {
		return nil
	}
	line := []string{command}
	for _, a := range args {
		word, ok := a.(string)
		if !ok {
			return nil
		}
		line = append(line, word)
	}
	return line
}

// cutTOML takes our blocks out, each with the empty line before it. It refuses
// where that would change what is not ours: a key that somebody added to a table
// of ours, say, would fall to the table before it.
func cutTOML(text []byte) ([]byte, error) {
	mark, body := splitMark(text)
	lines, all := blocks(body)
	if len(all) == 0 {
		return text, nil
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
	after, err := parseTOML([]byte(out.String()))
	if err != nil {
		return nil, fmt.Errorf("it would not be valid TOML without our lines: %w; fix it, or take them out by hand: each block begins with %q", err, tomlMark)
	}
	// A text that is valid only without our lines was broken by them.
	if before, err := parseTOML(body); err == nil {
		for _, b := range all {
			deleteOurs(before, b.head)
		}
		if !sameTOML(before, after) {
			return nil, fmt.Errorf("something was added to what we put in, and taking our lines out would change it; take both out by hand: each block begins with %q", tomlMark)
		}
	}
	return slices.Concat(mark, []byte(out.String())), nil
}

// putTOML adds our blocks to a text that has none of them.
func putTOML(text []byte, w Want) ([]byte, error) {
	if len(w.MCP) == 0 && w.Gateway == "" {
		return text, nil
	}
	mark, body := splitMark(text)
	doc, err := parseTOML(body)
	if err != nil {
		return nil, fmt.Errorf("not valid TOML, so it is left alone: %w; fix it first", err)
	}
	eol := "\n"
	if bytes.Contains(body, []byte("\r\n")) {
		eol = "\r\n"
	}
	var top, end string
	add := func(lines ...string) string { return strings.Join(append([]string{tomlMark}, lines...), eol) + eol }
	if len(w.MCP) > 0 {
		if entry(doc, serversTable) != nil {
			return nil, fmt.Errorf("there is an MCP server called %s (%s.%[1]s) that is not ours; codex mcp remove %[1]s takes it out", serverName, serversTable)
		}
		if err := extensible(body, doc, serversTable); err != nil {
			return nil, err
		}
		end += eol + add(tomlServer, "command = "+tomlText(w.MCP[0]), "args = "+tomlList(w.MCP[1:]))
		setEntry(doc, serversTable, table{"command": w.MCP[0], "args": anyList(w.MCP[1:])})
	}
	if w.Gateway != "" {
		if other, ok := doc[providerKey]; ok {
			return nil, fmt.Errorf("%s is %#v already; take it out first, and name it with gateway.upstreams in the settings of trimtab", providerKey, other)
		}
		if entry(doc, providersTable) != nil {
			return nil, fmt.Errorf("there is a provider called %s (%s.%[1]s) that is not ours; take it out first", serverName, providersTable)
		}
		if err := extensible(body, doc, providersTable); err != nil {
			return nil, err
		}
		url := strings.TrimSuffix(w.Gateway, "/") + "/v1"
		top = add(tomlPick)
		end += eol + add(tomlProvider, `name = "Trimtab"`, "base_url = "+tomlText(url), `wire_api = "responses"`, `env_key = "OPENAI_API_KEY"`)
		doc[providerKey] = serverName
		setEntry(doc, providersTable, table{"name": "Trimtab", "base_url": url, "wire_api": "responses", "env_key": "OPENAI_API_KEY"})
	}
	before := string(body)
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += eol
	}
	if before == "" && top == "" {
		end = strings.TrimPrefix(end, eol)
	}
	result := []byte(top + before + end)
	after, err := parseTOML(result)
	if err == nil && !sameTOML(doc, after) {
		err = errors.New("keys would change their values")
	}
	if err != nil {
		return nil, fmt.Errorf("our lines cannot be added to it as it is written: %w; it is left alone", err)
	}
	return slices.Concat(mark, result), nil
}

// extensible says why a table of the name in brackets cannot be added to: an
// inline table takes no more keys, and a list of tables would take them as its last.
func extensible(body []byte, doc table, name string) error {
	_, isTable := doc[name].(table)
	_, err := parseTOML(slices.Concat(body, []byte("\n["+name+"."+serverName+"]\n")))
	if doc[name] == nil || isTable && err == nil {
		return nil
	}
	where := name
	// Where the name was taken already, the parser complains of the first place
	// that uses it; the file begins one line later than in this text.
	taken := toml.Unmarshal(slices.Concat([]byte(name+" = 0\n"), body), &table{})
	if at := (*toml.DecodeError)(nil); errors.As(taken, &at) {
		row, _ := at.Position()
		where = fmt.Sprintf("line %d: %s", row-1, name)
	}
	if !isTable {
		return fmt.Errorf("%s is not a table; fix it first", where)
	}
	return fmt.Errorf("%s is an inline table, { … }, to which TOML lets nothing be added; write each of its entries as a table of its own, [%s.NAME], and install again", where, name)
}

// byteOrderMark may stand before the first character of a file, and nowhere else.
var byteOrderMark = []byte("\uFEFF")

func splitMark(text []byte) (mark, body []byte) {
	if bytes.HasPrefix(text, byteOrderMark) {
		return byteOrderMark, text[len(byteOrderMark):]
	}
	return nil, text
}

// table is a table of a parsed document.
type table = map[string]any

// parseTOML reads a text without its byte-order mark. Errors say where.
func parseTOML(body []byte) (table, error) {
	doc := table{}
	err := toml.Unmarshal(body, &doc)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	return doc, err
}

// entry is the value of our name in a table; nil where there is none.
func entry(doc table, in string) any {
	t, _ := doc[in].(table)
	return t[serverName]
}

func setEntry(doc table, in string, v table) {
	t, ok := doc[in].(table)
	if !ok {
		t = table{}
		doc[in] = t
	}
	t[serverName] = v
}

// deleteOurs takes what a block of ours says out of a document.
func deleteOurs(doc table, head string) {
	switch head {
	case tomlPick:
		delete(doc, providerKey)
	case tomlServer:
		if t, ok := doc[serversTable].(table); ok {
			delete(t, serverName)
		}
	case tomlProvider:
		if t, ok := doc[providersTable].(table); ok {
			delete(t, serverName)
		}
	}
}

// sameTOML reports whether two documents say the same. A table that only our
// header made counts as none when it is empty.
//
// They are compared as printed: fmt prints maps in the order of their keys and
// values with their types and, unlike reflect.DeepEqual, takes one NaN for another.
func sameTOML(a, b table) bool {
	for _, doc := range []table{a, b} {
		for _, name := range []string{serversTable, providersTable} {
			if t, ok := doc[name].(table); ok && len(t) == 0 {
				delete(doc, name)
			}
		}
	}
	return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
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

func anyList(all []string) []any {
	list := []any{}
	for _, s := range all {
		list = append(list, s)
	}
	return list
}
