package shell

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

//go:embed programs.txt
var programsText string

// program is what is known of a program, or of one of its second words.
type program struct {
	widen  bool     // a rule with * may be suggested
	shows  bool     // it only shows what it is given
	danger []string // the options and words that no * covers
}

// programs are the rows of the table, by "git" and "git log".
var programs = sync.OnceValue(func() map[string]program {
	rows := map[string]program{}
	for line := range strings.Lines(programsText) {
		mark, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || mark != "+" && mark != "-" && mark != "=" {
			continue
		}
		name, danger, _ := strings.Cut(rest, "  ")
		rows[name] = program{mark != "-", mark == "=", strings.Fields(danger)}
	}
	return rows
})

// hasSecond reports whether a program is one whose second word says what it does.
func hasSecond(name string) bool { return name == "git" || name == "go" || name == "cargo" }

// dangers are the options and words that no * covers, where a rule spells out so many
// words of a simple command.
func dangers(p Part, spelled int) (tokens []string) {
	name := path.Base(p.Words[0].Text)
	switch {
	case !hasSecond(name):
		return programs()[name].danger
	case spelled > 1:
		return slices.Concat(programs()[name+" *"].danger, programs()[name+" "+p.Words[1].Text].danger)
	}
	for row, known := range programs() {
		if row == name || strings.HasPrefix(row, name+" ") {
			tokens = append(tokens, known.danger...)
		}
	}
	return tokens
}

// dangerous reports whether a simple command, behind the words that a rule spells out,
// has something that a * does not cover.
func dangerous(p Part, spelled int) bool {
	if changers[path.Base(p.Words[0].Text)] {
		return true
	}
	tokens := dangers(p, spelled)
	if len(tokens) == 0 {
		return false
	}
	for _, w := range p.Words[spelled:] {
		// What is not known yet may become an option.
		if w.any || w.Open && strings.HasPrefix(w.Text, "-") {
			return true
		}
		if slices.ContainsFunc(tokens, func(token string) bool { return matches(token, w.Text) }) {
			return true
		}
	}
	script, ok := scripts[path.Base(p.Words[0].Text)]
	return ok && !script(p.Words[1:])
}

// matches reports whether a word is what a token of the table means.
func matches(token, word string) bool {
	option, _, _ := strings.Cut(word, "=")
	switch {
	case token == "=":
		return assignment().MatchString(word)
	case strings.HasPrefix(token, "--"):
		return len(option) > 2 && strings.HasPrefix(option, "--") && strings.HasPrefix(token, option)
	case strings.HasPrefix(token, "-") && len(token) == 2:
		return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, token[1:])
	case strings.HasSuffix(token, "!"):
		return strings.Replace(option, "--", "-", 1)+"!" == token
	case strings.HasSuffix(token, "*"):
		return strings.HasPrefix(strings.Replace(option, "--", "-", 1), strings.TrimSuffix(token, "*"))
	case strings.HasPrefix(token, "-"):
		return strings.Replace(option, "--", "-", 1) == token
	}
	return word == token
}

var assignment = lazyregexp.Pattern(`^[A-Za-z_][A-Za-z0-9_.-]*\s*[:+?!]*=`)

// scripts are programs whose words are programs themselves: what is plainly harmless is
// covered by a *, and nothing else.
var scripts = map[string]func([]Word) bool{"sed": plainSed, "awk": plainAwk, "gawk": plainAwk, "mawk": plainAwk, "tar": plainTar}

// sedScript prints or deletes lines, or replaces without running or writing anything.
var sedScript = lazyregexp.Pattern(`^(\d+|\$)?(,(\d+|\$))?[pdq=]$|^s(/[^/\\\n;]*){2}/[gpI0-9]*$|^s(\|[^|\\\n;]*){2}\|[gpI0-9]*$`)

func plainSed(words []Word) bool {
	script := true // the first word that is no option is the script
	for i, w := range words {
		switch {
		case i > 0 && words[i-1].Text == "-e" || script && !strings.HasPrefix(w.Text, "-"):
			if w.Open || !sedScript().MatchString(w.Text) {
				return false
			}
			script = false
		case strings.HasPrefix(w.Text, "-") && !slices.Contains([]string{"-n", "-E", "-r", "-e", "-u", "-z"}, w.Text):
			return false
		}
	}
	return true
}

// awkRuns are what an awk program runs or writes with.
var awkRuns = []string{"system", "|", ">", "getline", "@", "close"}

func plainAwk(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool {
		return w.Open || slices.ContainsFunc(awkRuns, func(s string) bool { return strings.Contains(w.Text, s) })
	})
}

// plainTar looks at the letters that may stand first without a dash.
func plainTar(words []Word) bool {
	return len(words) == 0 || !strings.ContainsAny(words[0].Text, "IFP")
}

// changers are words of the shell that run what their arguments say, or change what
// the words after them mean: a rule allows them only word by word, and none is suggested.
var changers = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`. source eval exec command builtin trap alias unalias enable hash shopt set export declare typeset local readonly let read
		readarray mapfile unset complete compgen compopt bind fc history jobs getopts wait pushd popd`) {
		set[word] = true
	}
	return set
}()
