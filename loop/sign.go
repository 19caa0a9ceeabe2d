package loop

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// act is what a call sets out to do, as far as its name and input tell.
type act uint8

const (
	look  act = iota // find something out
	write            // change the workspace
	run              // run a command
	wait             // let time pass, or ask whether something is done
	todo             // keep the agent's own list
)

// The hosts' names of tools that write files, run commands and wait, in lower
// case and without what only joins words.
var (
	writers = []string{
		"write", "edit", "patch", "multiedit", "notebookedit", "applypatch", "applydiff", "writefile", "writetofile", "replace", "replaceinfile",
		"texteditor", "strreplaceeditor", "strreplacebasededittool", "createfile", "editfile", "insertcontent", "deletefile", "developertexteditor",
	}
	runners = []string{
		"bash", "shell", "execcommand", "localshell", "runshellcommand", "developershell", "executecommand", "runcommand", "terminal", "executebash", "runterminalcmd",
	}
	waiters = []string{"wait", "sleep", "bashoutput", "taskoutput", "agentoutput", "monitor", "writestdin", "killshell"}
)

// actOf reads a call. The command is what a runner runs.
func actOf(c trimtab.ToolCall) (kind act, command string) {
	if trimtab.IsTodoWrite(c.Name) {
		return todo, ""
	}
	name := plain(c.Name)
	switch {
	case slices.Contains(writers, name):
		if v := text(c.Input, 20, "command"); v == "view" {
			return look, ""
		}
		return write, ""
	case slices.Contains(waiters, name):
		return wait, ""
	case slices.Contains(runners, name):
		command = text(c.Input, maxCommand, "command", "cmd", "script", "input")
		switch {
		case waiting(command):
			return wait, command
		case changing(command):
			return write, command
		case reading(command):
			return look, command
		}
		return run, command
	}
	return look, ""
}

const maxCommand = 2000

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(clip(name, 100)))
}

// waiting reports whether a command lets time pass on purpose or asks how
// something that runs elsewhere stands.
func waiting(command string) bool {
	for _, w := range []string{"sleep ", "wait-for", "--wait", "--watch", "gh run ", "gh pr checks", "kubectl get", "kubectl rollout", "docker ps", "docker logs", "squeue", "jobs", "pgrep ", "systemctl status", "ps aux", "ps -", "tail -"} {
		if i := strings.Index(command, w); i == 0 || i > 0 && strings.IndexByte(" ;&|(\n\t", command[i-1]) >= 0 || i > 0 && w[0] == '-' {
			return true
		}
	}
	return false
}

// reading reports whether a command only shows what is there. What it shows may
// tell of errors without being one.
func reading(command string) bool {
	first, rest, _ := strings.Cut(strings.TrimSpace(command), " ")
	if first == "cd" { // … && what counts
		_, after, _ := strings.Cut(rest, "&& ")
		first, rest, _ = strings.Cut(strings.TrimSpace(after), " ")
	}
	if first == "git" {
		first, _, _ = strings.Cut(rest, " ")
		return slices.Contains([]string{"log", "diff", "show", "status", "blame", "grep"}, first)
	}
	return slices.Contains(readers, first)
}

var readers = []string{"cat", "less", "more", "head", "tail", "sed", "awk", "grep", "rg", "ls", "find", "nl", "wc", "tree", "file", "stat", "zcat", "jq", "journalctl", "echo"}

// vain reports whether a search says that it found nothing.
func vain(result string) bool {
	if len(result) > 200 {
		return false
	}
	low := strings.ToLower(strings.TrimSpace(result))
	if low == "[]" || low == "{}" || low == "null" {
		return true
	}
	for _, w := range []string{"no matches", "no files found", "no results", "0 results", "nothing found", "not found", "no such file", "no match"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// changing reports whether a command writes to the workspace: by a redirection,
// or by a program that is there to write.
func changing(command string) bool {
	for i := 0; i < len(command); i++ {
		if command[i] != '>' {
			continue
		}
		rest := strings.TrimLeft(command[i+1:], ">| ")
		if i > 0 && (command[i-1] == '-' || command[i-1] == '=' || command[i-1] == '2') || strings.HasPrefix(rest, "&") || strings.HasPrefix(rest, "/dev/") || strings.HasPrefix(rest, "=") {
			continue
		}
		return true
	}
	first := true // a word at the head of a command
	for word := range strings.FieldsSeq(command) {
		bare := strings.TrimLeft(word, "(")
		if first && slices.Contains(programs, bare) {
			return true
		}
		if bare == "-i" || bare == "--in-place" || bare == "--fix" || bare == "-w" || bare == "--write" {
			return true
		}
		if slices.Contains(verbs, bare) && !first {
			return true
		}
		first = strings.HasSuffix(word, ";") || word == "&&" || word == "||" || word == "|" || word == "sudo" || strings.Contains(word, "=") && first
	}
	return false
}

var (
	programs = []string{"mv", "cp", "rm", "mkdir", "touch", "ln", "chmod", "chown", "tee", "patch", "dd", "truncate", "unzip", "tar", "wget", "rsync", "install", "kill", "pkill"}
	verbs    = []string{"install", "commit", "checkout", "add", "apply", "merge", "rebase", "reset", "revert", "stash", "init", "clone", "pull", "push", "restart", "start", "stop", "migrate"}
)

// pending reports whether a result says that something is still under way.
func pending(result string) bool {
	if len(result) > 600 { // a status is short, or stands at the end
		result = result[len(result)-600:]
	}
	low := strings.ToLower(result)
	for _, w := range []string{"in_progress", "in progress", "still running", "queued", "pending", "is running", "running…", "running...", "waiting for", "not ready", "status: running", "\"running\"", "containercreating", "not finished", "still building"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// outcome is what a run of tests or a build came to: its counts, as a number that
// differs where they differ. It is 0 where no line tells.
func outcome(result string) uint64 {
	head, tail := ends(result, maxEnds)
	sum := uint64(0)
	for _, part := range []string{head, tail} {
		for line := range strings.SplitSeq(part, "\n") {
			if len(line) > 300 || !counts(line) {
				continue
			}
			h := uint64(7)
			for i := 0; i < len(line); i++ {
				if c := line[i]; '0' <= c && c <= '9' && (i == 0 || line[i-1] != '.') {
					n := uint64(0)
					for i < len(line) && '0' <= line[i] && line[i] <= '9' {
						n = n*10 + uint64(line[i]-'0')
						i++
					}
					if i >= len(line) || line[i] != '.' && line[i] != 's' && line[i] != 'm' { // not a duration
						h = mix(h*31 + n + 1)
					}
				}
			}
			sum = mix(sum*31 + h)
		}
	}
	return sum
}

// counts reports whether a line counts tests, errors or steps.
func counts(line string) bool {
	digit := strings.IndexAny(line, "0123456789") >= 0
	if !digit {
		return false
	}
	for _, w := range []string{"passed", "failed", "passing", "failing", "errors", "error(s)", "warnings", "Tests:", "tests", "failures", "%"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// fault finds what a failed call complains of: a line for a person, and the
// identity of the error. It is "" where nothing specific is told.
func fault(result string) (line string, sign uint64) {
	head, tail := ends(result, maxEnds)
	found := ""
	for _, part := range []string{head, tail} {
		rest := part
		for rest != "" {
			at := rest
			line, rest, _ = strings.Cut(rest, "\n")
			line = strings.TrimSpace(line)
			if len(line) < 8 || len(line) > 500 || !wrong(line) || generic(line) {
				continue
			}
			found = at
			if !exception(line) { // compilers name the first cause first, interpreters the last
				return complaint(found)
			}
		}
	}
	return complaint(found)
}

const complaintLines = 6

// complaint reads the lines in which an error is told. All of them count: a test
// that fails with another value fails otherwise.
func complaint(text string) (line string, sign uint64) {
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		sign = mix(sign*31 + signature(settled(l)))
		if n++; n == 1 || n == 2 && strings.HasPrefix(line, "--- FAIL") {
			line = strings.TrimSpace(line + " " + l)
		}
		if n == complaintLines {
			break
		}
	}
	return line, sign
}

// generic reports whether a line only says that something else went wrong.
func generic(line string) bool {
	for _, w := range []string{"Traceback (most", "During handling of", "exit status", "xit code", "returncode", "dependency resolver", "FAIL\t", "warning:", "Warning:", "WARNING"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

func exception(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsAny(name, " /") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception"))
}

// wrong reports whether a line tells of something that went wrong.
func wrong(line string) bool {
	for _, w := range []string{"rror", "ERR", "FAIL", "ailed", "anic", "atal", "xception", "not found", "o such file", "enied", "ndefined", "annot", "can't", "nvalid", "refused", "imeout", "imed out", "nable to", "xpected", "missing", "does not", "not exist"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// signature is the identity of an error: its words and numbers, without the place
// in the file, times and addresses, which shift with every attempt.
func signature(line string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(line); i++ {
		c := line[i]
		if '0' <= c && c <= '9' && i > 0 && (line[i-1] == ':' || strings.HasSuffix(line[:i], "line ")) {
			for i+1 < len(line) && '0' <= line[i+1] && line[i+1] <= '9' {
				i++
			}
			c = '#'
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return mix(h)
}

// overtime reports whether a call was ended because it took too long.
func overtime(result string) bool {
	head, tail := ends(result, 1200)
	for _, part := range []string{head, tail} {
		i := strings.Index(part, "imed out")
		if i < 0 {
			continue
		}
		for _, w := range []string{"ommand timed out", "imed out after", "imed out and ", "killed", "terminated"} {
			if strings.Contains(part, w) {
				return true
			}
		}
	}
	return false
}

// lost reports whether the output of a command says that it did not succeed,
// though the tool itself did.
func lost(result string) bool {
	head, tail := ends(result, maxEnds)
	for _, part := range []string{head, tail} {
		for _, w := range []string{
			"\nFAIL", "--- FAIL", "Traceback (most recent call last)", "panic: ", "command not found", "No such file or directory", "rror: ", "ERROR", "npm ERR!", "fatal: ", "segmentation fault", "Segmentation fault",
			"exit status ", "xit code: 1", "xit code 1", "exited with code", "AssertionError", "Permission denied", "cannot find", "undefined reference", "<returncode>1", "<returncode>2",
		} {
			if strings.Contains(part, w) {
				return true
			}
		}
	}
	return strings.HasPrefix(head, "FAIL")
}
