package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fleet is the processes of a run. The first target is the direct one.
type fleet struct {
	dir     string
	cert    *certificate // of the model; nil where it speaks plain HTTP
	all     []*process
	targets []*target
	left    []string // what is left out, and why
}

// process is a program that was started.
type process struct {
	name string
	cmd  *exec.Cmd
	in   io.Closer
	says *tail
	done chan error
}

// start starts everything. What it started is in the fleet also after an error.
func start(ctx context.Context, o options, dir string) (f *fleet, err error) {
	f = &fleet{dir: dir}
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	scheme, model := "http", []string{"upstream"}
	if !o.plain {
		if f.cert, err = newCertificate(dir); err != nil {
			return f, err
		}
		scheme, model = "https", append(model, f.cert.certFile, f.cert.keyFile)
	}
	upstream, err := f.run(ctx, "direct", "", self, model...)
	if err != nil {
		return f, err
	}
	if f.cert != nil {
		f.targets[0].tls = f.cert.client()
	}
	if _, err := f.run(ctx, "ReverseProxy", "", self, "proxy", scheme+"://"+upstream); err != nil {
		return f, err
	}
	if o.nginx {
		if err := f.nginx(ctx, scheme, upstream); err != nil {
			f.left = append(f.left, "nginx is left out: "+err.Error())
		}
	}
	if o.trimtab == "none" {
		f.left = append(f.left, "trimtab is left out")
		return f, nil
	}
	data := filepath.Join(dir, "data")
	if _, err := f.run(ctx, "trimtab", "", o.trimtab, "serve", "--listen", "127.0.0.1:0", "--data", data, "--upstream", "anthropic="+scheme+"://"+upstream); err != nil {
		return f, err
	}
	out, err := exec.CommandContext(ctx, o.trimtab, "serve", "address", "bench", "--data", data).Output()
	if _, secret, ok := strings.Cut(strings.TrimSpace(string(out)), "/k/"); ok {
		f.targets[len(f.targets)-1].prefix = "/k/" + secret
	} else { // an older one
		f.left = append(f.left, fmt.Sprintf("trimtab gives its clients no addresses: %v", err))
	}
	return f, nil
}

func (f *fleet) nginx(ctx context.Context, scheme, upstream string) error {
	bin, err := exec.LookPath("nginx")
	if err != nil {
		return errors.New("it is not installed")
	}
	dir := filepath.Join(f.dir, "nginx")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	file, address, err := nginxFile(dir, scheme, upstream)
	if err != nil {
		return err
	}
	_, err = f.run(ctx, "nginx", address, bin, "-e", "stderr", "-p", dir, "-c", file)
	return err
}

// build builds the gateway into a folder. It takes a while the first time, and
// counts for no bound of the measurement.
func build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "bin", "trimtab")
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", bin, "github.com/trimtab/trimtab/cmd/trimtab")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/trimtab: %w\n%s", err, out)
	}
	return bin, nil
}

// run starts a program and waits until it says its address or, where that is
// given, until it answers there.
func (f *fleet) run(ctx context.Context, name, address, bin string, args ...string) (string, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return "", err
	}
	p := &process{name: name, cmd: exec.Command(bin, args...), says: &tail{address: make(chan string, 1)}, done: make(chan error, 1)}
	p.cmd.Dir = f.dir
	p.cmd.Env = append(os.Environ(), "HOME="+f.dir, "XDG_CONFIG_HOME="+f.dir, "TRIMTAB_CONFIG=", "TRIMTAB_DATA=")
	if f.cert != nil {
		p.cmd.Env = append(p.cmd.Env, "SSL_CERT_FILE="+f.cert.certFile)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.says, p.says
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return "", err
	}
	if err := p.cmd.Start(); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	f.all = append(f.all, p)
	if address == "" {
		select {
		case address = <-p.says.address:
		case err := <-p.done:
			p.done <- err
			return "", fmt.Errorf("%s ended: %w\n%s", name, err, p.says.String())
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(30 * time.Second):
			return "", fmt.Errorf("%s did not say its address\n%s", name, p.says.String())
		}
	} else if err := p.answers(ctx, address); err != nil {
		return "", err
	}
	f.targets = append(f.targets, &target{name: name, host: address, pids: family(p.cmd.Process.Pid)})
	return address, nil
}

func (p *process) answers(ctx context.Context, address string) error {
	for range 200 {
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
		select {
		case err := <-p.done:
			p.done <- err
			return fmt.Errorf("%s ended: %w: %s", p.name, err, p.says.String())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer at %s", p.name, address)
}

// stop ends every process, the newest first, by its own id, and waits for it.
func (f *fleet) stop() error {
	var errs []error
	for _, t := range f.targets {
		t.hangUp()
	}
	for i := len(f.all) - 1; i >= 0; i-- {
		p := f.all[i]
		_ = p.in.Close()
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			_ = p.cmd.Process.Kill() // it is gone, or this system has no such signal
		}
		select {
		case <-p.done:
		case <-time.After(15 * time.Second):
			errs = append(errs, fmt.Errorf("%s did not end and was killed", p.name), p.cmd.Process.Kill())
			<-p.done
		}
	}
	return errors.Join(errs...)
}

// tail keeps the last of what a process says, and finds its address.
type tail struct {
	mu      sync.Mutex
	text    []byte
	found   bool
	address chan string
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if !t.found {
		if _, rest, ok := bytes.Cut(t.text, []byte("listening on http://")); ok {
			if at := bytes.IndexByte(rest, '\n'); at >= 0 {
				t.found = true
				t.address <- strings.TrimSpace(string(rest[:at]))
			}
		}
	}
	if over := len(t.text) - 4096; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}
