//go:build unix

package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/store/sqlite"
)

// live is the real program, serving.
type live struct {
	cmd    *exec.Cmd
	addr   string
	data   string
	stderr *notebook
	ended  chan error
}

// serve builds the program and starts it.
func serve(t *testing.T, up string) *live {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "trimtab")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "github.com/trimtab/trimtab/cmd/trimtab")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l := &live{data: filepath.Join(dir, "data"), stderr: &notebook{}, ended: make(chan error, 1)}
	l.cmd = exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", l.data, "--upstream", "anthropic="+up)
	l.cmd.Env = []string{"HOME=" + dir}
	out, err := l.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // where the test ended before it
	told := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fmt.Fprintln(l.stderr, lines.Text())
			if _, addr, ok := strings.Cut(lines.Text(), "listening on http://"); ok {
				told <- addr
			}
		}
		close(told)
		l.ended <- l.cmd.Wait()
	}()
	var ok bool
	if l.addr, ok = <-told; !ok {
		t.Fatalf("it does not listen: %s", l.stderr)
	}
	return l
}

// TestP12_TheRealProgram: when a client is gone, the provider's request ends; on
// SIGTERM nobody new is let in, the stream under way comes to its end, and what
// it said is stored.
func TestP12_TheRealProgram(t *testing.T) {
	gone, going := make(chan struct{}), make(chan struct{})
	model := &tap{sums: map[string]string{}, Model: fakemodel.New(fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Reply {
		return fakemodel.Reply{Text: strings.Repeat("All is well. ", 500), Before: func(ctx context.Context, event int) {
			switch {
			case event != 1: // the first event has reached the client
			case prompt(r) == "leave":
				<-ctx.Done()
				close(gone)
			default:
				select {
				case <-going:
				case <-ctx.Done():
				}
			}
		}}
	}})}
	up := newProvider(t, model.ServeHTTP)
	l := serve(t, up.URL)
	d := dialects()["anthropic"]
	client := newClient(t)
	out, err := exec.CommandContext(t.Context(), l.cmd.Path, "serve", "address", "test", "--listen", l.addr, "--data", l.data).Output()
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	base := strings.TrimSpace(string(out))
	ask := func(ctx context.Context, words string) *http.Response {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+d.stream, bytes.NewReader(d.ask(words, true)))
		if err != nil {
			t.Fatal(err)
		}
		q.Header = with(d.key, "X-Stream", words, "X-Trimtab-Session", words)
		reply, err := client.Do(q)
		if err != nil {
			t.Fatalf("%v\n%s", err, l.stderr)
		}
		return reply
	}

	ctx, leave := context.WithCancel(t.Context())
	reply := ask(ctx, "leave")
	if _, err := io.ReadFull(reply.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	leave()
	happens(t, "the provider's request ends with the client", gone)
	reply.Body.Close()

	reply = ask(t.Context(), "stay")
	defer reply.Body.Close()
	begin := make([]byte, 10)
	if _, err := io.ReadFull(reply.Body, begin); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until(t, "nobody new is let in", func() bool {
		conn, err := net.Dial("tcp", l.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(going)
	rest, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatalf("the stream was cut: %v", err)
	}
	model.mu.Lock()
	want := model.sums["stay"]
	model.mu.Unlock()
	if sum(append(begin, rest...)) != want {
		t.Error("not what the provider sent")
	}
	if err := <-l.ended; err != nil {
		t.Errorf("it ended badly: %v\n%s", err, l.stderr)
	}
	store, err := sqlite.Open(context.Background(), filepath.Join(l.data, "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for id, steps := range map[string]int{"stay": 1, "leave": 0} {
		if s, err := store.Load(context.Background(), id); err != nil || s.Step != steps {
			t.Errorf("%s: %d steps are stored, want %d: %v", id, s.Step, steps, err)
		}
	}
}
