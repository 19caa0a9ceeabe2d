package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/trimtab/trimtab/internal/teamtest"
)

// team is the processes of a run.
type team struct {
	dir   string
	model *teamtest.Model
	up    string // its address
	mu    sync.Mutex
	live  []*server
	nginx *exec.Cmd
}

// server is one gateway.
type server struct {
	t      *team
	data   string
	store  string
	listen string
	path   string // the secret part of its address
	cmd    *exec.Cmd
}

func (s *server) base() string { return "http://" + s.listen + s.path }

// begin builds the program and starts the model.
func (t *team) begin(ctx context.Context) error {
	if err := t.build(ctx); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	t.up = "http://" + l.Addr().String()
	srv := &http.Server{Handler: t.model, ReadHeaderTimeout: 30 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends with this program
	return nil
}

// build builds the programs from this tree.
func (t *team) build(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", t.dir+string(filepath.Separator), "./cmd/trimtab", "./cmd/trimtab-hook")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}

// start starts a gateway on a data folder, and on a database server where one is named.
func (t *team) start(ctx context.Context, data, store string) (*server, error) {
	port, err := free()
	if err != nil {
		return nil, err
	}
	s := &server{t: t, data: filepath.Join(t.dir, data), store: store, listen: fmt.Sprint("127.0.0.1:", port)}
	out, err := s.command(ctx, "serve", "address", "--listen", s.listen).Output()
	if err != nil {
		return nil, fmt.Errorf("serve address: %w", err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		if u, err := url.Parse(word); err == nil && u.Host == s.listen {
			s.path = strings.TrimSuffix(u.Path, "/")
		}
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = append(t.live, s)
	return s, nil
}

func (s *server) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.t.dir, "trimtab"), args...)
	c.Env = []string{"HOME=" + s.t.dir, "PATH=" + os.Getenv("PATH"), "TRIMTAB_DATA=" + s.data, "TRIMTAB_GATEWAY_PATIENCE=30000"} // a busy machine is not what is tried
	if s.store != "" {
		c.Env = append(c.Env, "TRIMTAB_STORE_URL="+s.store)
	}
	return c
}

// run starts the process and waits until it answers.
func (s *server) run(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(s.t.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.command(ctx, "serve", "--listen", s.listen, "--upstream", "anthropic="+s.t.up)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	for range 300 {
		if reply, err := http.Get("http://" + s.listen + "/readyz"); err == nil {
			_ = reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(s.t.dir, "log"))
	return fmt.Errorf("a gateway does not come up:\n%s", text)
}

// balance starts nginx in front of the gateways and returns its base URL. It picks one
// at random, and another where that one is gone.
func (t *team) balance(all []*server) (string, error) {
	path, err := exec.LookPath("nginx")
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return "", err
		}
	}
	port, err := free()
	if err != nil {
		return "", err
	}
	var split, again strings.Builder
	for i, s := range all {
		share := fmt.Sprintf("%d%%", 100/len(all))
		if i == len(all)-1 {
			share = "*"
		}
		fmt.Fprintf(&split, "    %s %s;\n", share, s.listen)
		fmt.Fprintf(&again, "    %s %s;\n", s.listen, all[(i+1)%len(all)].listen)
	}
	conf := fmt.Sprintf(`daemon off; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log; worker_processes 1;
events { worker_connections 1024; }
http {
  log_format up '$upstream_addr '; access_log %[1]s/access.log up; client_max_body_size 100m; client_body_buffer_size 16m; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  split_clients "$request_id" $first {
%[3]s  }
  map $first $second {
%[4]s  }
  server {
    listen 127.0.0.1:%[2]d;
    location / {
      proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 600s; proxy_set_header Host $first;
      proxy_pass http://$first; error_page 502 504 = @second;
    }
    location @second {
      proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 600s; proxy_set_header Host $second;
      proxy_pass http://$second;
    }
  }
}
`, t.dir, port, split.String(), again.String())
	file := filepath.Join(t.dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return "", err
	}
	t.nginx = exec.Command(path, "-c", file, "-p", t.dir)
	if err := t.nginx.Start(); err != nil {
		return "", err
	}
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			_ = c.Close()
			return fmt.Sprintf("http://127.0.0.1:%d%s", port, all[0].path), nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", errors.New("nginx does not come up")
}

// killer kills a gateway now and then and starts it again. What it returns ends that and
// says how often.
func (t *team) killer(ctx context.Context, all []*server, every time.Duration) (stop func() int) {
	if every == 0 {
		return func() int { return 0 }
	}
	ctx, cancel := context.WithCancel(ctx)
	kills, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-time.After(every):
			case <-ctx.Done():
				return
			}
			s := all[rand.IntN(len(all))] //nolint:gosec // no secret: which one is killed
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			kills++
			if err := s.run(context.WithoutCancel(ctx)); err != nil {
				fmt.Fprintln(os.Stderr, "team:", err)
				return
			}
		}
	}()
	return func() int { cancel(); <-done; return kills }
}

// kill ends a gateway for good, in the middle of what it does.
func (t *team) kill(s *server) {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = slices.DeleteFunc(t.live, func(one *server) bool { return one == s })
}

// end ends all processes, the gateways as a person would.
func (t *team) end() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all error
	if t.nginx != nil {
		_ = t.nginx.Process.Signal(syscall.SIGTERM)
		_ = t.nginx.Wait()
		t.nginx = nil
	}
	for _, s := range t.live {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, s := range t.live {
		if err := s.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			all = errors.Join(all, err)
		}
	}
	t.live = nil
	return all
}

// free is a port that nobody listens on, near enough.
func free() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
