package loop

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/host"
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

// actOf reads a call. The command is what a runner runs, and the line what it comes to.
func actOf(c trimtab.ToolCall) (kind act, command string, line command.Line) {
	if host.IsTodoTool(c.Name) {
		return todo, "", line
	}
	name := plain(c.Name)
	switch {
	case slices.Contains(writers, name):
		if v := text(c.Input, 20, "command"); v == "view" {
			return look, "", line
		}
		return write, "", line
	case slices.Contains(waiters, name):
		return wait, "", line
	case slices.Contains(runners, name):
		command = text(c.Input, maxCommand, "command", "cmd", "script", "input")
		line = readLine(command)
		switch {
		case waiting(command):
			return wait, command, line
		case changing(command, line):
			return write, command, line
		case reading(command):
			return look, command, line
		}
		return run, command, line
	}
	return look, "", line
}

const maxCommand = 2000

var readLine = command.ReadLine // a line is called command here

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(trimtab.Clip(name, 100)))
}

// waiting reports whether a command lets time pass on purpose or asks how
// something that runs elsewhere stands.
func waiting(command string) bool {
	for _, filter := range []string{"| tail -", "|tail -", "|& tail -"} { // it shortens what another command says
		command = strings.ReplaceAll(command, filter, "| ")
	}
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
	first = first[strings.LastIndexByte(first, '/')+1:]
	if first == "git" {
		first, _, _ = strings.Cut(rest, " ")
		return slices.Contains([]string{"log", "diff", "show", "status", "blame", "grep", "cat-file", "ls-tree", "ls-files", "rev-list", "for-each-ref", "reflog", "branch"}, first)
	}
	return slices.Contains(readers, first)
}

var readers = []string{"cat", "less", "more", "head", "tail", "sed", "awk", "grep", "rg", "ls", "find", "nl", "wc", "tree", "file", "stat", "zcat", "jq", "journalctl", "echo"}

// changing reports whether a command writes to the workspace: by a redirection or a script,
// or by a program that is there to write. What is put aside in a folder for the time being
// changes nothing.
func changing(command string, line command.Line) bool {
	if line.Writes && (len(line.Files) == 0 || slices.ContainsFunc(line.Files, func(f string) bool { return !aside(f) })) {
		return true
	}
	first := true                                     // a word at the head of a command
	if i := strings.IndexByte(command, '\n'); i > 0 { // a script in quotes or behind <<: its words are none of the shell's
		command = command[:i]
	}
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

// aside reports whether a file lies where nothing is kept.
func aside(file string) bool {
	return slices.ContainsFunc([]string{"/tmp/", "/var/tmp/", "/private/tmp/", "/dev/", "$TMP"}, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

var (
	programs = []string{"mv", "cp", "rm", "mkdir", "touch", "ln", "chmod", "chown", "tee", "patch", "dd", "truncate", "unzip", "tar", "wget", "rsync", "install", "kill", "pkill"}
	verbs    = []string{"install", "commit", "checkout", "add", "apply", "merge", "rebase", "reset", "revert", "stash", "init", "clone", "pull", "push", "restart", "start", "stop", "migrate"}
)
