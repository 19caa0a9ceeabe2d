//go:build e2e && unix

package forgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Real is a real Gitea, built from its own source, with the accounts ada and bob.
type Real struct {
	URL    string
	Folder string            // all that it stores
	Tokens map[string]string // by account
}

// RealGitea runs one until the test ends, as another user where we are root: it
// refuses to be root. Script is script/gitea, which builds it.
func RealGitea(t testing.TB, script string) Real {
	t.Helper()
	out, err := exec.Command("sh", script).Output()
	if err != nil {
		t.Fatalf("script/gitea: %v", err)
	}
	built := strings.TrimSpace(string(out))
	folder, err := os.MkdirTemp("", "gitea")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.CopyFS(filepath.Join(folder, "built"), os.DirFS(built)); err != nil {
		t.Fatal(err)
	}
	s := Real{Folder: folder, Tokens: map[string]string{}}
	command := s.settle(t)
	if out, err := command("migrate").CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v: %s", err, out)
	}
	for _, login := range []string{"ada", "bob"} {
		out, err := command("admin", "user", "create", "--username", login, "--random-password", "--email", login+"@example.com",
			"--access-token", "--access-token-scopes", "all", "--must-change-password=false").CombinedOutput()
		if err != nil {
			t.Fatalf("user %s: %v: %s", login, err, out)
		}
		words := strings.Fields(string(out))
		s.Tokens[login] = words[len(words)-1]
	}
	web := command("web")
	if err := web.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = web.Process.Kill()
		_ = web.Wait()
	})
	s.ready(t)
	return s
}

// settle writes the settings, and returns how to run the program with them.
func (s *Real) settle(t testing.TB) func(args ...string) *exec.Cmd {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.URL = "http://" + listen.Addr().String()
	port := listen.Addr().(*net.TCPAddr).Port
	_ = listen.Close()
	user := "nobody"
	if os.Getuid() != 0 {
		name, err := exec.Command("id", "-un").Output()
		if err != nil {
			t.Fatal(err)
		}
		user = strings.TrimSpace(string(name))
	}
	file := filepath.Join(s.Folder, "app.ini")
	if err := os.WriteFile(file, fmt.Appendf(nil, giteaSettings, user, s.Folder, port), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "-R", user, s.Folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(s.Folder, "built", "gitea"), append([]string{"--config", file, "--work-path", s.Folder}, args...)...)
		cmd.Dir, cmd.Env = s.Folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Folder, "USER=" + user}
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return cmd
	}
}

// ready waits until the server answers.
func (s Real) ready(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("gitea does not answer")
		}
	}
}

// Found makes a repository of an account.
func (s Real) Found(t testing.TB, login, name string) {
	t.Helper()
	s.Ask(t, login, http.MethodPost, "/user/repos", map[string]any{"name": name, "default_branch": "main"}, nil)
}

// Ask asks it something, past all that is tested.
func (s Real) Ask(t testing.TB, login, method, path string, in, out any) {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1"+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+s.Tokens[login])
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode < 300 && out != nil {
		err = json.Unmarshal(body, out)
	}
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %v", method, path, resp.Status, err)
	}
}

const giteaSettings = `RUN_MODE = prod
RUN_USER = %[1]s
WORK_PATH = %[2]s
[server]
STATIC_ROOT_PATH = %[2]s/built
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[3]d
ROOT_URL = http://127.0.0.1:%[3]d/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %[2]s/gitea.db
[repository]
ROOT = %[2]s/repos
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
[log]
MODE = console
LEVEL = error
[cron]
ENABLED = false
[actions]
ENABLED = false
`
