package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Program is the git program with a harmless environment. The zero Program has
// an empty one.
type Program struct{ env []string }

// passed are the variables that git and what it calls need from outside: where
// programs and settings are, the way to the network, the user's ssh agent.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
	"PROGRAMFILES", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TMPDIR", "TMP", "TEMP", "XDG_CONFIG_HOME",
	"SSH_AUTH_SOCK", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
}

// settings win over what the user, the system and the repository set.
var settings = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.pager=cat",
	"core.askPass=",
	"diff.external=",
	"protocol.ext.allow=never",
	"submodule.recurse=false",
	"push.recurseSubmodules=no",
	"push.gpgSign=false",
	"commit.gpgSign=false",
	"http.followRedirects=false",
	"http.lowSpeedLimit=1", // a server that says nothing for a minute is given up
	"http.lowSpeedTime=60",
	"gc.auto=0",
	"maintenance.auto=false",
	"advice.detachedHead=false",
}

// quiet is what git is told in any case: ask nobody, and take names as they are.
var quiet = []string{
	"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_LITERAL_PATHSPECS=1", "GIT_NO_REPLACE_OBJECTS=1",
}

// New returns the git program with what it needs of an environment.
func New(environ []string) Program {
	var p Program
	for _, v := range environ {
		name, _, ok := strings.Cut(v, "=")
		if ok && slices.Contains(passed, strings.ToUpper(name)) {
			p.env = append(p.env, v)
		}
	}
	return p
}

// In returns a working tree or bare repository.
func (p Program) In(folder string) Tree { return Tree{p, folder} }

// Tree is a working tree or bare repository.
type Tree struct {
	program Program
	Folder  string
}

// Error is a command of git that did not succeed.
type Error struct {
	Command string // "push"
	Folder  string
	Exit    int    // -1: it did not come to an end of its own
	Said    string // what it wrote, without secrets
	Err     error
}

func (e *Error) Error() string {
	said := e.Said
	if said == "" {
		said = e.Err.Error()
	}
	return fmt.Sprintf("git %s in %s: %s", e.Command, e.Folder, said)
}

func (e *Error) Unwrap() error { return e.Err }

// The limits of what is read from git.
const (
	maxOut = 64 << 20
	maxErr = 64 << 10
)

// Run runs one command and returns what it wrote. Arguments that come from
// outside belong behind --end-of-options.
func (t Tree) Run(ctx context.Context, command string, args ...string) (string, error) {
	return t.run(ctx, nil, command, args...)
}

// run runs a command, for a remote with its secret.
func (t Tree) run(ctx context.Context, to *Remote, command string, args ...string) (string, error) {
	line := []string{"--no-pager"}
	for _, s := range settings {
		line = append(line, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(line, []string{command}, args)...) // the program is fixed and no shell is between
	cmd.Dir = t.Folder
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = slices.Concat(t.program.env, quiet)
	hide := func(s string) string { return s }
	if to != nil {
		secret, err := to.secret(ctx)
		if err != nil {
			return "", err
		}
		cmd.Env = append(cmd.Env, secret.env()...)
		hide = secret.hide
	}
	out, complaint := &limited{most: maxOut}, &limited{most: maxErr}
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	switch {
	case err == nil && out.over:
		return "", &Error{Command: command, Folder: t.Folder, Exit: -1, Err: fmt.Errorf("it wrote more than %d MB", maxOut>>20)}
	case err == nil:
		return out.String(), nil
	}
	e := &Error{Command: command, Folder: t.Folder, Exit: -1, Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.Exit = exit.ExitCode()
	}
	if ctx.Err() != nil {
		e.Exit, e.Err = -1, ctx.Err()
	}
	e.Said = hide(plain(complaint.String() + rejections(out.String())))
	return hide(out.String()), e
}

// limited keeps the first bytes of what is written to it.
type limited struct {
	bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	free := l.most - l.Len()
	if len(p) > free {
		l.over = true
		l.Buffer.Write(p[:max(free, 0)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// rejections are the lines in which git push --porcelain says what was refused.
func rejections(out string) string {
	var said []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "!") {
			said = append(said, strings.TrimSpace(line))
		}
	}
	return strings.Join(said, " ")
}

// plain makes one line of what git said, without control characters.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	s = strings.Join(strings.Fields(s), " ")
	return s[:min(len(s), 2000)]
}
