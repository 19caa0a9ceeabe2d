//go:build e2e && unix

package gitea_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/gitea"
)

// TestRealGitea runs the suite on a Gitea that is built from its own source.
func TestRealGitea(t *testing.T) {
	s := startGitea(t)
	var repos atomic.Int32
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		name := fmt.Sprintf("ship%d", repos.Add(1))
		s.ask(t, "ada", "POST", "/user/repos", map[string]any{"name": name, "default_branch": "main"})
		s.ask(t, "ada", "PUT", "/repos/ada/"+name+"/collaborators/bob", map[string]any{"permission": "write"})
		return forgetest.World{Forge: s.open(t, "ada", name), Other: s.open(t, "bob", name)}
	})
}

// TestRealGiteaChecks reads statuses that a real Gitea was told.
func TestRealGiteaChecks(t *testing.T) {
	s := startGitea(t)
	s.ask(t, "ada", "POST", "/user/repos", map[string]any{"name": "ship", "default_branch": "main"})
	f := s.open(t, "ada", "ship")
	commit := forgetest.NewWork(t, f).Branch("feat/one", "left\n")
	for _, step := range []struct {
		name, state string
		want        forge.Verdict
	}{{"lint", "success", forge.Passed}, {"test", "pending", forge.Pending}, {"test", "failure", forge.Failed}, {"test", "success", forge.Passed}} {
		s.ask(t, "ada", "POST", "/repos/ada/ship/statuses/"+commit, map[string]any{"context": step.name, "state": step.state})
		checks, err := f.Checks(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if got := checks.Verdict(); got != step.want {
			t.Errorf("after %s %s: %s", step.name, step.state, got)
		}
	}
}

type server struct {
	url    string
	tokens map[string]string
}

func (s server) open(t *testing.T, login, repo string) forge.Forge {
	t.Helper()
	f, err := gitea.New(gitea.Config{URL: s.url, Repo: "ada/" + repo}, gitea.Options{Token: func(context.Context) (string, error) { return s.tokens[login], nil }})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s server) ask(t *testing.T, login, method, path string, in any) {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/api/v1"+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+s.tokens[login])
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
}

// startGitea runs a Gitea in a folder of its own, as another user where we are
// root: it refuses to be root.
func startGitea(t *testing.T) server {
	t.Helper()
	out, err := exec.Command("sh", filepath.Join("..", "..", "script", "gitea")).Output()
	if err != nil {
		t.Fatalf("script/gitea: %v", err)
	}
	built := strings.TrimSpace(string(out))
	folder, err := os.MkdirTemp("", "gitea")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.CopyFS(filepath.Join(folder, "built"), os.DirFS(built)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(folder, "built", "gitea"), 0o755); err != nil {
		t.Fatal(err)
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listen.Addr().(*net.TCPAddr)
	listen.Close()
	user := "nobody"
	if os.Getuid() != 0 {
		name, err := exec.Command("id", "-un").Output()
		if err != nil {
			t.Fatal(err)
		}
		user = strings.TrimSpace(string(name))
	}
	settings := fmt.Sprintf(settingsForm, user, folder, folder, address.Port, address.Port, folder, folder)
	if err := os.WriteFile(filepath.Join(folder, "app.ini"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "-R", user, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(folder, "built", "gitea"), append([]string{"--config", filepath.Join(folder, "app.ini"), "--work-path", folder}, args...)...)
		cmd.Dir, cmd.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "USER=" + user}
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return cmd
	}
	if out, err := command("migrate").CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v: %s", err, out)
	}
	s := server{url: fmt.Sprintf("http://127.0.0.1:%d", address.Port), tokens: map[string]string{}}
	for _, login := range []string{"ada", "bob"} {
		out, err := command("admin", "user", "create", "--username", login, "--random-password", "--email", login+"@example.com",
			"--access-token", "--access-token-scopes", "all", "--must-change-password=false").CombinedOutput()
		if err != nil {
			t.Fatalf("user %s: %v: %s", login, err, out)
		}
		words := strings.Fields(string(out))
		s.tokens[login] = words[len(words)-1]
	}
	web := command("web")
	if err := web.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = web.Process.Kill()
		_ = web.Wait()
	})
	ready(t, s.url)
	return s
}

// ready waits until the server answers.
func ready(t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, "GET", url+"/api/v1/version", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == 200 {
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

const settingsForm = `RUN_MODE = prod
RUN_USER = %s
WORK_PATH = %s
[server]
STATIC_ROOT_PATH = %s/built
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %d
ROOT_URL = http://127.0.0.1:%d/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %s/gitea.db
[repository]
ROOT = %s/repos
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
