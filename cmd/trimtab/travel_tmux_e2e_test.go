//go:build e2e && unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pane is a program on a terminal of tmux, which answers all that a real agent asks
// its terminal.
type pane struct {
	ctx    context.Context
	socket string
}

// The window: wide enough that no prompt and no answer of the script wraps.
const paneWidth, paneHeight = 160, 50

// startPane runs a command. The test ends the server, and with it all in it.
func startPane(ctx context.Context, t *testing.T, cmd *exec.Cmd) *pane {
	t.Helper()
	dir, err := os.MkdirTemp("", "tt") // not t.TempDir: the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{ctx: ctx, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		out, err := exec.Command("tmux", "-S", p.socket, "display-message", "-p", "#{pane_dead} #{pane_pid}").Output()
		if pid, alive := strings.CutPrefix(strings.TrimSpace(string(out)), "0 "); err == nil && alive { // some agents outlive their terminal
			if n, err := strconv.Atoi(pid); err == nil && n > 1 {
				_ = syscall.Kill(-n, syscall.SIGKILL)
			}
		}
		_ = exec.Command("tmux", "-S", p.socket, "kill-server").Run() // it may have ended
		_ = os.RemoveAll(dir)
	})
	var script strings.Builder
	fmt.Fprintf(&script, "cd %s || exit 99\nexec env -i", shellWord(cmd.Dir))
	for _, e := range cmd.Env {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "TERM", "CI", "NO_COLOR": // those of a run without a terminal
		default:
			script.WriteString(" " + shellWord(e))
		}
	}
	script.WriteString(` TERM="$TERM"`)
	for _, a := range append([]string{cmd.Path}, cmd.Args[1:]...) {
		script.WriteString(" " + shellWord(a))
	}
	file := filepath.Join(dir, "run")
	if err := os.WriteFile(file, []byte(script.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, "tmux", "-S", p.socket, "-f", "/dev/null",
		"set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "escape-time", "0", ";",
		"new-session", "-d", "-x", fmt.Sprint(paneWidth), "-y", fmt.Sprint(paneHeight), "sh "+shellWord(file)).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	return p
}

func (p *pane) tmux(args ...string) (string, error) {
	out, err := exec.CommandContext(p.ctx, "tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// text is what is seen now.
func (p *pane) text() string {
	out, err := p.tmux("capture-pane", "-p")
	if err != nil {
		return err.Error()
	}
	return out
}

// write types text as it is.
func (p *pane) write(text string) error {
	_, err := p.tmux("send-keys", "-l", "--", text)
	return err
}

// press sends keys by tmux's names for them.
func (p *pane) press(keys ...string) error {
	for _, k := range keys {
		if _, err := p.tmux("send-keys", k); err != nil {
			return err
		}
		if err := pause(p.ctx, 300*time.Millisecond); err != nil { // what comes faster than a person's fingers counts as a paste, and Esc twice as Alt
			return err
		}
	}
	return nil
}

// ended reports whether the program is gone.
func (p *pane) ended() bool {
	out, err := p.tmux("display-message", "-p", "#{pane_dead}")
	return err != nil || strings.TrimSpace(out) == "1"
}

// pause lets a time pass, unless the context ends before.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// shellWord is a text as one word of the shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
