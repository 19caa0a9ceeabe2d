package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The programs that hosts load. Each begins with a line that says whose it is, for
// which host and of which version; a change in one is a version more.
//
//go:embed plugin
var plugins embed.FS

const (
	codeMark   = "// trimtab-plugin: "
	codeSpace  = "__PROGRAM__"
	codeBefore = "const program = "
)

// codeVersion reads the first line of a program of ours.
func codeVersion(text []byte) (host string, version int, ours bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	words, ours := strings.CutPrefix(string(line), codeMark)
	if !ours {
		return "", 0, false
	}
	host, rest, _ := strings.Cut(words, " ")
	number, _, _ := strings.Cut(rest, " ")
	version, err := strconv.Atoi(number)
	return host, version, err == nil
}

// codeText is the program of a host, which calls the given one.
func (p Place) codeText(args []string) ([]byte, error) {
	text, err := plugins.ReadFile("plugin/" + p.how.Code)
	if err != nil {
		return nil, err
	}
	words, err := json.Marshal(args) // a list of strings is the same in JavaScript
	if err != nil {
		return nil, err
	}
	return bytes.Replace(text, []byte(codeSpace), words, 1), nil
}

// code is the file as it shall be; nil leaves it as it is.
func (p Place) code(now []byte, w Want) ([]byte, error) {
	if len(w.Args) == 0 {
		return nil, errors.New("no program is named that it could call")
	}
	if now != nil {
		if _, _, ours := codeVersion(now); !ours {
			return nil, errors.New("there is a file of that name already that is not ours; rename it first")
		}
	}
	text, err := p.codeText(w.Args)
	if err != nil || bytes.Equal(text, now) {
		return nil, err
	}
	return text, nil
}

// codeState says how a program of ours stands.
func (p Place) codeState(text []byte) State {
	_, version, ours := codeVersion(text)
	if !ours {
		return State{Found: true, Missing: []string{p.how.Code}}
	}
	st := State{Found: true}
	var args []string
	for line := range strings.Lines(string(text)) {
		if words, ok := strings.CutPrefix(line, codeBefore); ok && json.Unmarshal([]byte(words), &args) == nil {
			break
		}
	}
	quoted := slices.Clone(args)
	for i := range quoted {
		quoted[i] = shellWord(quoted[i])
	}
	if len(args) > 0 {
		st.Commands = []string{strings.Join(quoted, " ") + " " + p.Host}
	}
	current, err := p.codeText(args)
	if err != nil {
		return st
	}
	_, newest, _ := codeVersion(current)
	st.Old = version < newest
	if !st.Old && !bytes.Equal(current, text) {
		st.Missing = append(st.Missing, fmt.Sprintf("what %s was changed from", p.Files[0]))
	}
	return st
}
