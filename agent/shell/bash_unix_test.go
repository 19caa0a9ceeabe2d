//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/shell"
)

// The counts of random lines which bash itself runs: what make test has, and what
// `make shell` asks for with this variable.
const (
	linesShort = 300
	linesLong  = 3000
	linesName  = "TRIMTABTEST_SHELL_LINES"
)

// D1: bash is the judge of what a line runs. Every command of a random line is a
// name that no program has, so bash hands it to a function that writes the words
// down; each must be a part that the reader named, and no file may appear. Lines
// that the reader calls odd are allowed by no rule and need not be run.
func TestD1_BashRunsNothingThatTheReaderDidNotName(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("not run: there is no bash to compare with")
	}
	want := linesLong
	if testing.Short() {
		want = linesShort
	}
	if text := os.Getenv(linesName); text != "" {
		if want, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	const workers = 2
	var made, ran, commands atomic.Int64
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			o := newOracle(t, bash)
			g := &lines{rand.New(rand.NewPCG(19, uint64(w)))}
			for ran.Load() < int64(want) && !t.Failed() {
				text := g.line()
				made.Add(1)
				line := shell.Parse(text)
				if line.Odd != "" {
					continue
				}
				ran.Add(1)
				commands.Add(int64(o.compare(t, text, line)))
			}
		})
	}
	all.Wait()
	t.Logf("%d random lines, %d of them understood and run by bash: %d commands", made.Load(), ran.Load(), commands.Load())
	if !t.Failed() && commands.Load() < int64(want)/2 {
		t.Errorf("%d lines ran only %d commands: the generator makes nothing of use", ran.Load(), commands.Load())
	}
}

// D1: the lines of the report, and what was found since, by name.
func TestD1_LinesThatOnceHidACommand(t *testing.T) {
	allow := rules(t, "ls *", "echo *", "cat *")
	for _, text := range []string{
		"ls `ls 'x`; id > pwned; `'`",
		"echo \"`echo 'x`\"; id; echo \"`'`\"",
		"ls `ls \"x`\nid\n`\"`",
		"echo evil >&1`echo redirected`",
		"echo evil 2>/dev/null`echo x`",
		"echo ${x:-$(id)}",
		"echo ${x@P}",
		"echo $[a[$(id)]]",
		"echo {fd}>/dev/null",
		"{ls,x}",
		"echo a\\\n`id`",
		"echo 'a\\\n' `id`",
	} {
		if shell.Parse(text).Allowed(allow...) {
			t.Errorf("%q is allowed by ls *, echo *, cat *", text)
		}
	}
}

// oracle runs lines with bash.
type oracle struct {
	bash, log, dir string
	env            []string
}

// recorder is what bash reads first: what it does with a name that it does not know.
// A command is one line, and so one write, since commands may run at the same time.
const recorder = `command_not_found_handle() { local IFS=$'\x1f'; local words="$*"; printf '%s\n' "${words//$'\n'/$'\x1e'}" >>"$TRIMTABTEST_LOG"; printf 'out of %s' "$1"; }
`

func newOracle(t *testing.T, bash string) *oracle {
	home := t.TempDir()
	o := &oracle{bash: bash, log: filepath.Join(home, "log"), dir: filepath.Join(home, "dir")}
	start := filepath.Join(home, "start")
	if err := os.WriteFile(start, []byte(recorder), 0o600); err != nil {
		t.Error(err)
	}
	if err := os.Mkdir(o.dir, 0o700); err != nil {
		t.Error(err)
	}
	o.env = []string{"BASH_ENV=" + start, "PATH=/nonexistent", "TRIMTABTEST_LOG=" + o.log, "HOME=/nonexistent", "X=one two", "Y=-y"}
	return o
}

// compare runs a line and returns how many commands bash ran.
func (o *oracle) compare(t *testing.T, text string, line shell.Line) int {
	if err := os.WriteFile(o.log, nil, 0o600); err != nil {
		t.Error(err)
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.bash, "-c", text+"\nwait")
	cmd.Dir, cmd.Env = o.dir, o.env
	out, err := cmd.CombinedOutput() // an exit code means nothing here
	if ctx.Err() != nil {
		t.Errorf("%q never ended: %v %s", text, err, out)
	}
	log, err := os.ReadFile(o.log)
	if err != nil {
		t.Error(err)
	}
	found := 0
	for command := range strings.Lines(string(log)) {
		found++
		words := strings.Split(strings.ReplaceAll(strings.TrimSuffix(command, "\n"), "\x1e", "\n"), "\x1f")
		if !slices.ContainsFunc(line.Parts, func(p shell.Part) bool { return fits(p.Words, words) }) {
			t.Errorf("bash ran %q, which the reader did not see in\n%q\nbut %s", words, text, spell(line))
		}
	}
	left, err := os.ReadDir(o.dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%q left files: %v, %v", text, left, err)
	}
	return found
}

// fits reports whether a part may have become these words: an open word stands for
// any number of them.
func fits(part []shell.Word, words []string) bool {
	switch {
	case len(part) == 0:
		return len(words) == 0
	case part[0].Open:
		for n := range len(words) + 1 {
			if fits(part[1:], words[n:]) {
				return true
			}
		}
		return false
	}
	return len(words) > 0 && words[0] == part[0].Text && fits(part[1:], words[1:])
}

// lines makes random command lines of names that no program has.
type lines struct{ *rand.Rand }

func (g *lines) pick(of ...string) string { return of[g.IntN(len(of))] }

// line is either made by the grammar, or made by it and then damaged, since a reader
// goes wrong where things do not end as they should.
func (g *lines) line() string {
	text := g.list(3)
	for g.IntN(3) == 0 {
		text = g.damage(text)
	}
	return text
}

func (g *lines) damage(text string) string {
	at := g.IntN(len(text) + 1)
	bits := []string{
		"'", "\"", "`", "\\", "$", "(", ")", "$(", "{", "}", ",", ";", "&", "|", "<", ">", "\n", " ", "#", "~", "*", "?", "[", "]", "!", "=", "1", "2", "\t", "\\\n", ">&", "<&", "<(", "<<", "<<<",
		"&&", "||", "$'", "$\"", "${", "$((", "))", ">&1", "2>&1", ">/dev/null", "c9 ", ";c9", "`c9`", "$(c9)", "\nc9\n", "if ", "then ", "fi", "! ", "{ ", "[[ ", "]] ", "time ", "in ", "do ", "done",
		"a[0]=", "+=", "@(", "\u00e4", "E\n", "$[", "|&", ";;", "@P}", "function ",
	}
	switch g.IntN(3) {
	case 0:
		if at < len(text) {
			return text[:at] + text[at+1:]
		}
		return text
	case 1:
		to := at + g.IntN(len(text)-at+1)
		return text[:to] + text[at:to] + text[to:]
	}
	return text[:at] + g.pick(bits...) + text[at:]
}

func (g *lines) list(depth int) string {
	text := g.statement(depth)
	for g.IntN(3) == 0 {
		text += g.pick(";", "; ", " && ", "||", " | ", "\n", " & ", "|", "&", "\n\n") + g.statement(depth)
	}
	return text
}

func (g *lines) statement(depth int) string {
	simple := g.command(depth)
	if depth == 0 || g.IntN(12) > 0 {
		return simple
	}
	inner := g.list(depth - 1)
	switch g.IntN(14) {
	case 0:
		return "( " + inner + " )"
	case 1:
		return "{ " + inner + "; }"
	case 2:
		return "if " + inner + "; then " + simple + "; fi"
	case 3:
		return "for x in a b; do " + inner + "; done"
	case 4:
		return "case a in a) " + inner + ";; esac"
	case 5:
		return "c8() { " + inner + "; }; c8"
	case 6:
		return "c7 <<E\n" + g.pick("$(c6)", "`c6`", "text", "E2") + "\nE"
	case 7:
		return "c7 <<'E'\n$(c6)\nE\n" + inner
	case 8:
		return "! " + inner
	case 9:
		return "time " + inner
	case 10:
		return "a=(" + g.word(depth-1) + " " + g.word(depth-1) + ")"
	case 11:
		return "c6 <(" + inner + ")"
	case 12:
		return "alias c5='c6 '; c5"
	}
	return simple + " # " + inner
}

func (g *lines) command(depth int) string {
	text := fmt.Sprintf("c%d", g.IntN(6))
	if g.IntN(10) == 0 {
		text = g.pick("c''1", "\"c1\"", "c\\1", "'c'1", "x=1 c1", "c{1,2}", "$X", "c1\\\n", ">/dev/null c1", "2>&1 c1")
	}
	for g.IntN(3) > 0 {
		text += g.pick(" ", " ", " ", "  ", "\t") + g.word(depth)
	}
	for g.IntN(6) == 0 {
		text += " " + g.pick("2>&1", ">/dev/null", "2>/dev/null", "</dev/null", ">&2", "> /dev/null", ">>/dev/null", "1>&2", "&>/dev/null", "<<<x", ">|/dev/null", "3<&0", "2>&-", "{v}>/dev/null", ">f")
	}
	return text
}

func (g *lines) word(depth int) string {
	text := g.piece(depth)
	for g.IntN(3) == 0 {
		text += g.piece(depth)
	}
	return text
}

func (g *lines) piece(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		inner := g.list(depth - 1)
		switch g.IntN(7) {
		case 0, 1:
			return "$(" + inner + ")"
		case 2:
			return "\"$(" + inner + ")\""
		case 3:
			return "`" + inner + "`"
		case 4:
			return "\"`" + inner + "`\""
		case 5:
			return "${x:-" + inner + "}"
		}
		return "\"a " + inner + " b\""
	}
	return g.pick("a", "b", "-x", "--flag=v", "a.b", "'a b'", "\"a b\"", "'a;c9'", "\"a;c9\"", "\\;", "\\\\", "\\'", "''", "\"\"", "'\"'", "\"'\"", "$X", "\"$X\"", "'$X'", "$Y", "$?", "$$x", "$", "*", "q?", "[ab]", "{a,b}",
		"{1..3}", "~", "a~", "a#b", "=", "a=b", "'\\'", "\"\\\"\"", "\"\\$X\"", "\"\\`\"", "'`c9`'", "\"'$X'\"", "\u00e4", "'a\nc9'", "\"a\nc9\"", "\"\\a\"", "$1", "$@", "\"$@\"", "$#", "${X}", "%", "^", "!", "!!", "a!b", "\"!x\"", "+", ":", "@", ",", "/", "$'a\\'b'", "$\"a\"", "$((1+1))", "\\a", "a\\ b", "\\$X", "\\`", "\\\"", "c9", "in", "if", "}")
}
