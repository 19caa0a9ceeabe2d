//go:build e2e && unix

package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestH12_SessionsThroughServeAreFoundInTheirFolder runs each real agent, without hooks,
// at an address of trimtab serve; then trimtab status and trimtab mode find its session in
// the folder that it worked in.
func TestH12_SessionsThroughServeAreFoundInTheirFolder(t *testing.T) {
	program, data := built(t), t.TempDir()
	for _, name := range client.Names() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, name)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done here."), Lenient: true})
			agent, err := client.Command(name, serving(ctx, t, program, data, model.URL), "please look at this folder")
			if err != nil {
				t.Fatal(err)
			}
			agent.Home = t.TempDir()
			result, err := agent.Run(ctx, paths)
			if err != nil || !strings.Contains(result.Stdout, "All done here.") {
				t.Fatalf("%v %+v", err, result)
			}
			work := filepath.Join(agent.Home, "work")
			in := func(args ...string) []byte {
				var out []byte
				var err error
				for range 50 { // what steering did is stored a moment after the agent has its reply
					cmd := exec.CommandContext(ctx, program, append(args, "--data", data)...)
					cmd.Dir, cmd.Env = work, []string{"HOME=" + agent.Home}
					if out, err = cmd.CombinedOutput(); err == nil || pause(ctx, 200*time.Millisecond) != nil {
						break
					}
				}
				if err != nil {
					t.Errorf("trimtab %s: %v\n%s", strings.Join(args, " "), err, out)
				}
				return out
			}
			in("mode", "research")
			var r sessiontext.Report
			if err := json.Unmarshal(in("status", "--json"), &r); err != nil || r.Project != work || r.Host != name || len(r.Status) == 0 {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
}

// serving starts trimtab serve and returns an address of it.
func serving(ctx context.Context, t *testing.T, program, data, upstream string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, append(args, "--listen", at, "--data", data)...)
		cmd.Env = []string{"HOME=" + home}
		return cmd
	}
	args := []string{"serve"}
	for _, provider := range []string{"anthropic", "openai", "gemini"} {
		args = append(args, "--upstream", provider+"="+upstream)
	}
	serve := command(args...)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait() // it was killed
	})
	for ctx.Err() == nil {
		reply, err := http.Get("http://" + at + "/healthz")
		if err == nil {
			_ = reply.Body.Close()
			break
		}
		_ = pause(ctx, 100*time.Millisecond)
	}
	out, err := command("serve", "address", "test").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
