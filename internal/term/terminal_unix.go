//go:build unix

package term

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Terminal is a program on a pty and the screen that it draws.
type Terminal struct {
	tb   testing.TB
	cmd  *exec.Cmd
	file *os.File

	mu      sync.Mutex
	changed *sync.Cond
	screen  *Screen
	raw     bytes.Buffer // all that was written
	ended   bool
	done    chan struct{}
	err     error // how the program ended
}

// patience is how long a test waits for what must come. It is no measure of
// speed: machines are busy.
const patience = 2 * time.Minute

// Start runs a program. The test ends it if nobody else does.
func Start(tb testing.TB, cmd *exec.Cmd, width, height int) *Terminal {
	tb.Helper()
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		tb.Fatalf("start %s: %v", cmd, err)
	}
	t := &Terminal{tb: tb, cmd: cmd, file: file, screen: NewScreen(width, height), done: make(chan struct{})}
	t.changed = sync.NewCond(&t.mu)
	go t.read()
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-t.done
		_ = file.Close()
	})
	return t
}

func (t *Terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := t.file.Read(buf)
		t.mu.Lock()
		t.raw.Write(buf[:n])
		_, _ = t.screen.Write(buf[:n])
		answer := t.screen.Answers()
		t.changed.Broadcast()
		t.mu.Unlock()
		if len(answer) > 0 {
			_, _ = t.file.Write(answer)
		}
		if err != nil { // the program has closed its side
			break
		}
	}
	err := t.cmd.Wait()
	t.mu.Lock()
	t.ended, t.err = true, err
	t.changed.Broadcast()
	t.mu.Unlock()
	close(t.done)
}

// Type sends keys, as a terminal encodes them.
func (t *Terminal) Type(keys string) {
	t.tb.Helper()
	if _, err := t.file.WriteString(keys); err != nil {
		t.tb.Fatalf("type %q: %v\n%s", keys, err, t.Text())
	}
}

// Paste sends text as a bracketed paste.
func (t *Terminal) Paste(text string) { t.tb.Helper(); t.Type("\x1b[200~" + text + "\x1b[201~") }

// Resize changes the window.
func (t *Terminal) Resize(width, height int) {
	t.tb.Helper()
	t.mu.Lock()
	t.screen.Resize(width, height)
	t.mu.Unlock()
	if err := pty.Setsize(t.file, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.tb.Fatal(err)
	}
}

// Text is what is seen now.
func (t *Terminal) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Text()
}

// Raw is all that the program has written.
func (t *Terminal) Raw() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// See calls look with the screen, which does not change meanwhile.
func (t *Terminal) See(look func(s *Screen)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	look(t.screen)
}

// Wait waits until all of these words are on the screen.
func (t *Terminal) Wait(words ...string) {
	t.tb.Helper()
	t.Until(strings.Join(words, " and "), func(s *Screen) bool {
		text := s.Text()
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

// Gone waits until the words are not on the screen.
func (t *Terminal) Gone(words string) {
	t.tb.Helper()
	t.Until("no "+words, func(s *Screen) bool { return !strings.Contains(s.Text(), words) })
}

// Until waits until the screen is as it should be.
func (t *Terminal) Until(what string, holds func(s *Screen) bool) {
	t.tb.Helper()
	late := false
	timer := time.AfterFunc(patience, func() {
		t.mu.Lock()
		late = true
		t.changed.Broadcast()
		t.mu.Unlock()
	})
	defer timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for !holds(t.screen) {
		if late || t.ended {
			t.tb.Fatalf("waited for %s (ended: %v); the screen shows\n%s", what, t.ended, t.screen.Text())
		}
		t.changed.Wait()
	}
}

// Kill ends the program at once, as kill -9 does.
func (t *Terminal) Kill() {
	_ = t.cmd.Process.Signal(syscall.SIGKILL)
	<-t.done
}

// End waits for the program to end by itself and returns how it did.
func (t *Terminal) End() error {
	t.tb.Helper()
	select {
	case <-t.done:
		return t.err
	case <-time.After(patience):
		t.tb.Fatalf("it does not end; the screen shows\n%s", t.Text())
		return nil
	}
}
