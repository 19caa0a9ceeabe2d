//go:build e2e && unix

package packaging

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs is the folder with trimtab and trimtab-hook, built as a release builds them.
var programs string

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	dir, err := os.MkdirTemp("", "trimtab-packaging-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // users that tests change to run what is in it
		fmt.Fprintln(os.Stderr, err)
		return
	}
	programs = filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", programs+"/", "./cmd/trimtab", "./cmd/trimtab-hook")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return
	}
	code = m.Run()
}

// trimtab is the program with arguments, and with nothing of whoever runs the tests.
func trimtab(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "trimtab"), args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	return cmd
}

// output runs a command that must succeed.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// fails runs a command that must not succeed, and returns what it says.
func fails(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("%s: %v, and it should have been refused:\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// tool finds a program that a test needs, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// fetched is a Go program in the version that script/tool builds once.
func fetched(t *testing.T, pkg, version string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "../script/tool", pkg, version)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s %s cannot be built here: %v", pkg, version, err)
	}
	return strings.TrimSpace(string(out))
}

var listening = regexp.MustCompile(`listening on (https?://\S+)`)

// server is a trimtab serve that runs.
type server struct {
	cmd  *exec.Cmd
	url  string
	mu   sync.Mutex
	said bytes.Buffer
	done chan struct{} // all that it says was read
}

// serve starts a command that listens, and waits until it does. It is ended with the test.
func serve(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", strings.Join(cmd.Args, " "), err)
	}
	s := &server{cmd: cmd, done: make(chan struct{})}
	url := make(chan string, 1)
	go func() {
		defer close(s.done)
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			s.mu.Lock()
			fmt.Fprintln(&s.said, lines.Text())
			s.mu.Unlock()
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				url <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			<-s.done
			_ = cmd.Wait()
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", strings.Join(cmd.Args, " "), s.told())
		}
	})
	select {
	case s.url = <-url:
	case <-s.done:
		t.Fatalf("%s ended: %s", strings.Join(cmd.Args, " "), s.told())
	}
	return s
}

func (s *server) told() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// end asks the server to end and waits for it.
func (s *server) end(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	<-s.done
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(s.cmd.Args, " "), err, s.told())
	}
}

// get asks an address until it answers with a status, for a minute at most.
func get(t *testing.T, url, bearer string, want int) string {
	t.Helper()
	var last string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err.Error()
			continue
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		_ = resp.Body.Close()
		if err == nil && resp.StatusCode == want {
			return string(body)
		}
		last = fmt.Sprintf("%s: %s", resp.Status, body)
	}
	t.Fatalf("%s does not answer with %d: %s", url, want, last)
	return ""
}

// unverified asks servers of these tests as a kubelet asks a pod: without a look at who answers.
var unverified = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
