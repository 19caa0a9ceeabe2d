//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// nobody is the other user.
const nobody = 65534

// secondUser is what the other user does: it says everything that it got, a line each.
// Its arguments are the person's folder, the address that the server listens on, the
// server's process and a word of the person's session.
func secondUser() {
	dir, server, pid, word := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // closed, as it should be
		}
		if raw, err := os.ReadFile(name); err == nil {
			fmt.Printf("read %s: %.80q\n", name, raw)
		}
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			_ = f.Close()
			fmt.Printf("may write %s\n", name)
		}
		return nil
	})
	if f, err := os.CreateTemp(dir, "planted"); err == nil {
		fmt.Printf("planted %s\n", f.Name())
	}
	for _, what := range []string{"environ", "mem", "maps", "fd/0", "cwd/trimtab.db"} {
		if raw, err := os.ReadFile(filepath.Join("/proc", pid, what)); err == nil {
			fmt.Printf("read %s of the server: %d bytes\n", what, len(raw))
		}
	}
	if line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline")); err == nil && strings.Contains(string(line), "/k/") {
		fmt.Printf("the command line of the server: %q\n", line)
	}
	if n, err := strconv.Atoi(pid); err == nil && syscall.Kill(n, 0) == nil {
		fmt.Println("may signal the server")
	}
	ask := func(method, path string, header http.Header) {
		r, err := http.NewRequest(method, "http://"+server+path, strings.NewReader(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"automata"}]}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		r.Header = header
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer reply.Body.Close()
		text, _ := io.ReadAll(reply.Body)
		if reply.StatusCode < 400 || strings.Contains(string(text), word) {
			fmt.Printf("%s %s: %d %.200s\n", method, path, reply.StatusCode, text)
		}
	}
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/k/" + strings.Repeat("a", 32) + "/v1/messages", "/k//v1/messages", "/k/../v1/messages", "/trimtab/api/sessions", "/trimtab/", "/mcp", "/trimtab/api/sessions?token=", "/../token", "/debug/pprof/"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			ask(method, path, http.Header{"X-Trimtab-Session": {"claude:1"}, "Authorization": {"Bearer "}})
		}
	}
}

// A second user of the machine gets nothing: no file, no byte of the server's memory or
// environment, no answer of the gateway, the API or the MCP server. It needs a real
// second user, and so root; elsewhere it is not run, and says so.
func TestD2D3_ASecondUserGetsNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not run: only root can be another user")
	}
	dir := t.TempDir()
	for at := dir; at != "/" && at != os.TempDir(); at = filepath.Dir(at) { // the folders above are open, as those of a home may be
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	person := filepath.Join(dir, "person")
	if err := os.Mkdir(person, 0o755); err != nil {
		t.Fatal(err)
	}
	const word = "marlinspike"
	env := append(os.Environ(), "HOME="+person, "TRIMTAB_DATA="+filepath.Join(person, ".local", "share", "trimtab"), "TRIMTAB_CONFIG=", "TRIMTAB_MODELS_DEFAULT=demo", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("trimtab", args...)
		cmd.Dir, cmd.Env = person, env
		return cmd
	}
	for _, args := range [][]string{{"-q", "-p", word + " is the word"}, {"serve", "address"}, {"session", "list"}} {
		if out, err := command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	serve := command("serve", "--listen", "127.0.0.1:0")
	said, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = serve.Process.Signal(os.Interrupt); _ = serve.Wait() }()
	lines := bufio.NewScanner(said)
	address := ""
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "listening on http://")
	}
	if address == "" {
		t.Fatal("the server does not say where it listens")
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "second-user")
	if err := os.WriteFile(program, raw, 0o755); err != nil { // #nosec G306 -- the other user runs it
		t.Fatal(err)
	}
	run := func(uid uint32) string {
		cmd := exec.Command(program, person, address, strconv.Itoa(serve.Process.Pid), word)
		cmd.Dir, cmd.Env = "/", []string{"HOME=/nonexistent", "GOTRACEBACK=none"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("as user %d: %v: %s", uid, err, out)
		}
		return string(out)
	}
	if got := run(nobody); got != "" {
		t.Errorf("the second user got:\n%s", got)
	}
	if got := run(0); !strings.Contains(got, "trimtab.db") || !strings.Contains(got, "environ") { // the test finds what there is to find
		t.Errorf("the person got only:\n%s", got)
	}
}
