package loop

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
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

// actOf reads a call. The command is what a runner runs.
func actOf(c trimtab.ToolCall) (kind act, command string) {
	if host.IsTodoTool(c.Name) {
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
	if first == "git" {
		first, _, _ = strings.Cut(rest, " ")
		return slices.Contains([]string{"log", "diff", "show", "status", "blame", "grep"}, first)
	}
	return slices.Contains(readers, first)
}

var readers = []string{"cat", "less", "more", "head", "tail", "sed", "awk", "grep", "rg", "ls", "find", "nl", "wc", "tree", "file", "stat", "zcat", "jq", "journalctl", "echo"}

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
