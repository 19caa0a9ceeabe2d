package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// The files that are ours as a whole: programs that a host loads, and plugins. Each says
// near its beginning whose it is and of which version; a change in one is a version more.
//
//go:embed all:plugin
var plugins embed.FS

const (
	codeSpace  = "__PROGRAM__" // in a program: the command as a list of words
	codeBefore = "const program = "
	fromPath   = "trimtab hook " // in a plugin: as it is called where nothing is known of this machine
	markWithin = 600             // bytes
)

var markPattern = lazyregexp.Pattern(`trimtab-plugin: [a-z]+ ([0-9]+)`)

// codeVersion reads the mark of a file of ours.
func codeVersion(text []byte) (version int, ours bool) {
	m := markPattern().FindSubmatch(text[:min(len(text), markWithin)])
	if m == nil {
		return 0, false
	}
	version, err := strconv.Atoi(string(m[1]))
	return version, err == nil
}

// pluginFiles are the files of the host's plugin, where it has one, as they would lie in
// its home.
func (p Place) pluginFiles() (all []string) {
	if p.how.Plugin == "" {
		return nil
	}
	root := "plugin/" + p.Host
	_ = fs.WalkDir(plugins, root, func(name string, d fs.DirEntry, err error) error { // embedded: it cannot fail
		if err == nil && !d.IsDir() {
			all = append(all, p.env.path(p.how, path.Join(p.how.Plugin, strings.TrimPrefix(name, root))))
		}
		return err
	})
	return all
}

// template is the text of a file of ours as it is in this version.
func (p Place) template(file string) ([]byte, error) {
	if p.how.Code != "" && file == p.Files[0] {
		return plugins.ReadFile("plugin/" + p.how.Code)
	}
	name, err := filepath.Rel(p.env.path(p.how, p.how.Plugin), file)
	if err != nil {
		return nil, err
	}
	return plugins.ReadFile("plugin/" + p.Host + "/" + filepath.ToSlash(name))
}

// codeText is a file of ours, which calls the given program.
func (p Place) codeText(file string, w Want) ([]byte, error) {
	text, err := p.template(file)
	if err != nil {
		return nil, err
	}
	words, err := json.Marshal(w.Args) // a list of strings is the same in JavaScript
	if err != nil {
		return nil, err
	}
	text = bytes.Replace(text, []byte(codeSpace), words, 1)
	if filepath.Ext(file) == ".json" && w.Hooks != "" {
		quoted := written(w.Hooks+" ", "", 0)
		text = bytes.ReplaceAll(text, []byte(fromPath), []byte(quoted[1:len(quoted)-1]))
	}
	return p.named(file, text, w), nil
}

// named puts the path of the program where a plugin names it as it is found on PATH: in
// its MCP server and its slash commands.
func (p Place) named(file string, text []byte, w Want) []byte {
	n := len(w.Server) - 1
	if n < 0 || strings.Contains(w.Server[0], `\`) { // in a command it would be an escape
		return text
	}
	if filepath.Ext(file) == ".json" {
		text = bytes.Replace(text, []byte(`"command": "trimtab"`), []byte(`"command": `+quote(w.Server[0])), 1)
		return bytes.Replace(text, []byte(`"args": ["mcp"]`), []byte(`"args": `+written(w.Server[1:], "", 0)), 1)
	}
	var words []string
	for _, word := range w.Server[:n] {
		words = append(words, shellWord(word))
	}
	for _, verb := range []string{" mode", " status", " automata"} {
		text = bytes.ReplaceAll(text, []byte("trimtab"+verb), []byte(strings.Join(words, " ")+verb))
	}
	return text
}

// code is the file as it shall be; nil leaves it as it is.
func (p Place) code(file string, now []byte, w Want) ([]byte, error) {
	switch {
	case p.how.Code == "" && !w.Plugin:
		return nil, nil
	case len(w.Args) == 0 || w.Hooks == "":
		return nil, errors.New("no program is named that it could call")
	case now != nil:
		if _, ours := codeVersion(now); !ours {
			return nil, errors.New("there is a file of that name already that is not ours; rename it first")
		}
	}
	text, err := p.codeText(file, w)
	if err != nil || bytes.Equal(text, now) {
		return nil, err
	}
	return text, nil
}

// oneWay refuses a plugin beside hooks in the settings: each event would be told twice.
func (p Place) oneWay(w Want) error {
	if !w.Plugin {
		return nil
	}
	st, err := p.State()
	if err == nil && len(st.Commands) > 0 && st.Plugin == "" {
		err = fmt.Errorf("its hooks are in %s already, and each event would be told twice: trimtab uninstall %s first", p.Files[0], p.Host)
	}
	return err
}

// pluginState says where the plugin is, "" where it is not, what it calls, and whether it is
// of an earlier version.
func (p Place) pluginState() (dir string, ours []string, old bool) {
	for _, file := range p.extra {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		version, isOurs := codeVersion(text)
		if !isOurs {
			continue
		}
		dir, old = p.env.path(p.how, p.how.Plugin), old || p.older(file, version)
		if filepath.Base(file) == "hooks.json" {
			found, _ := commands(text, p.Host) // one that cannot be read has none
			for _, e := range p.events() {
				if c, ok := found[e.Name]; ok {
					ours = append(ours, c)
				}
			}
		}
	}
	return dir, ours, old
}

// older reports whether this trimtab has a later version of a file.
func (p Place) older(file string, version int) bool {
	text, err := p.template(file)
	if err != nil {
		return false
	}
	newest, _ := codeVersion(text)
	return version < newest
}

// codeState says how a program of ours stands.
func (p Place) codeState(text []byte) State {
	st := State{Found: true}
	version, ours := codeVersion(text)
	if !ours {
		return st
	}
	var args []string
	for line := range strings.Lines(string(text)) {
		if words, ok := strings.CutPrefix(line, codeBefore); ok && json.Unmarshal([]byte(words), &args) == nil {
			break
		}
	}
	for i := range args {
		args[i] = shellWord(args[i])
	}
	if len(args) > 0 {
		st.Commands = []string{strings.Join(args, " ") + " " + p.Host}
	}
	st.Old = p.older(p.Files[0], version)
	return st
}
