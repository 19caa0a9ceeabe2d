//go:build e2e && unix

package packaging

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// caddyVersion is near the one of the compose file. Before 2.8, as in Debian, it loses the body
// of a request whose first gateway cannot be reached, and answers with 502.
const caddyVersion = "v2.10.2"

func compose(t *testing.T, env ...string) (*types.Project, error) {
	t.Helper()
	opt, err := cli.NewProjectOptions([]string{"compose/compose.yaml"}, cli.WithEnv(env), cli.WithProfiles([]string{"*"}), cli.WithInterpolation(true))
	if err != nil {
		t.Fatal(err)
	}
	return opt.LoadProject(t.Context())
}

func TestX9_TheComposeFileIsOneAndItsFilesAreThere(t *testing.T) {
	p, err := compose(t, "POSTGRES_PASSWORD=x")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, s := range p.Services {
		names = append(names, name)
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s is open to others on %s unless somebody says so", name, port.Published)
			}
		}
	}
	slices.Sort(names)
	if want := []string{"balancer", "gateway-1", "gateway-2", "grafana", "postgres", "prometheus", "worker"}; !slices.Equal(names, want) {
		t.Errorf("services %q, want %q", names, want)
	}
	if _, err := compose(t); err == nil || !strings.Contains(err.Error(), "set a password") {
		t.Errorf("without a password for the database: %v", err)
	}
}

// Every command line of ours in the file is one that the program takes.
func TestX9_TheComposeFilesCommandsAreTaken(t *testing.T) {
	p, err := compose(t, "POSTGRES_PASSWORD=x", "TRIMTAB_NAME=gateway.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gateway-1", "gateway-2"} {
		args := loopback(t, p.Services[name].Command)
		s := serve(t, trimtab(t, args...))
		get(t, s.url+"/readyz", "", http.StatusOK)
		s.end(t)
	}
	// A worker that waits for work ends when it is asked to; one whose flags are wrong, at once.
	accepted(t, trimtab(t, p.Services["worker"].Command...))
}

// loopback is a command line of serve with a port of this machine in the place of all addresses.
func loopback(t *testing.T, args []string) []string {
	t.Helper()
	args = slices.Clone(args)
	i := slices.Index(args, "--listen")
	if i < 0 || !strings.HasPrefix(args[i+1], "0.0.0.0:") {
		t.Fatalf("%q does not listen for others", args)
	}
	args[i+1] = "127.0.0.1:0"
	return args
}

// accepted runs a command line with --help behind it: flags before it that the program does
// not know are refused all the same.
func accepted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Args = append(cmd.Args, "--help")
	output(t, cmd)
}

// The file of the balancer before two real gateways on one store: requests are answered over
// TLS, through the other one when one is killed, and a gateway that is not ready gets none.
func TestX9_TheBalancerGoesOnWhenAGatewayIsKilled(t *testing.T) {
	caddy := fetched(t, "github.com/caddyserver/caddy/v2/cmd/caddy", caddyVersion)
	store := os.Getenv("TRIMTAB_TEST_POSTGRES")
	if store == "" {
		store = throwaway(t)
	}
	p, err := compose(t, "POSTGRES_PASSWORD=x", "TRIMTAB_NAME=localhost")
	if err != nil {
		t.Fatal(err)
	}
	model := upstream(t)
	data := t.TempDir()
	var gateways []*server
	var addresses []string
	for _, name := range []string{"gateway-1", "gateway-2"} {
		cmd := trimtab(t, append(loopback(t, p.Services[name].Command), "--upstream", "anthropic="+model)...)
		cmd.Env = append(cmd.Env, "TRIMTAB_STORE_URL="+store, "TRIMTAB_DATA="+data)
		s := serve(t, cmd)
		gateways, addresses = append(gateways, s), append(addresses, strings.TrimPrefix(s.url, "http://"))
	}
	create := trimtab(t, "serve", "key", "create", "laptop", "--user", "ann", "--json")
	create.Env = append(create.Env, "TRIMTAB_STORE_URL="+store, "TRIMTAB_DATA="+data)
	var key struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal([]byte(output(t, create)), &key); err != nil || key.Key == "" {
		t.Fatalf("no key: %v", err)
	}

	home := t.TempDir()
	plain, secure := port(t), port(t)
	text, err := os.ReadFile("compose/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	here := filepath.Join(home, "Caddyfile") // the same, for this machine alone
	write(t, here, strings.Replace(string(text), "admin off\n", "admin off\n\tdefault_bind 127.0.0.1\n", 1))
	balancer := exec.CommandContext(t.Context(), caddy, "run", "--adapter", "caddyfile", "--config", here)
	balancer.Env = []string{
		"HOME=" + home, "XDG_DATA_HOME=" + home, "PATH=" + os.Getenv("PATH"), "TRIMTAB_NAME=localhost", "HTTP_PORT=" + plain, "HTTPS_PORT=" + secure,
		"TRIMTAB_GATEWAYS=" + strings.Join(addresses, " "),
	}
	var said bytes.Buffer
	balancer.Stdout, balancer.Stderr = &said, &said
	if err := balancer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = balancer.Process.Kill()
		_ = balancer.Wait()
		if t.Failed() {
			t.Logf("caddy said:\n%s", said.String())
		}
	})
	client := trusting(t, filepath.Join(home, "caddy/pki/authorities/local/root.crt"))
	ask := func(path string) (int, string) {
		const body = `{"model":"claude-opus-5","max_tokens":16,"messages":[{"role":"user","content":"hello"}]}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://localhost:"+secure+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "localhost" // as clients name it on the usual port
		req.Header.Set("X-Api-Key", "the caller's own")
		req.Header.Set("X-Trimtab-Key", key.Key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		var b bytes.Buffer
		_, _ = b.ReadFrom(resp.Body)
		return resp.StatusCode, b.String()
	}
	until(t, "the balancer answers", func() (bool, string) {
		status, text := ask("/v1/messages")
		return status == http.StatusOK, fmt.Sprintf("%d %s", status, text)
	})
	kill(t, gateways[0])
	for i := range 20 {
		if status, text := ask("/v1/messages"); status != http.StatusOK {
			t.Fatalf("request %d after the kill: %d %s", i, status, text)
		}
	}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	if text := get(t, gateways[1].url+"/metrics", strings.TrimSpace(string(token)), http.StatusOK); !strings.Contains(text, "trimtab_") {
		t.Errorf("metrics %q", text)
	}

	// With none left it says so, and no key gets into its log.
	kill(t, gateways[1])
	if status, text := ask("/k/SECRETOFANADDRESS/v1/messages"); status < 500 {
		t.Errorf("without a gateway: %d %s", status, text)
	}
	_ = balancer.Process.Kill()
	_ = balancer.Wait()
	if log := said.String(); !strings.Contains(log, "/v1/messages") {
		t.Error("the log does not tell of the error")
	} else {
		for _, secret := range []string{key.Key, "the caller's own", "SECRETOFANADDRESS"} {
			if strings.Contains(log, secret) {
				t.Errorf("the log of the balancer holds %q", secret)
			}
		}
	}
}

// kill ends a server at once, and waits until it is gone.
func kill(t *testing.T, s *server) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	_ = s.cmd.Wait()
}

// upstream is a provider that answers everything with a short reply.
func upstream(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	})}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + l.Addr().String()
}

// throwaway is a PostgreSQL server for this test, where one can be had.
func throwaway(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("trimtab-packaging-postgres-%d", os.Getpid()))
	out, err := exec.CommandContext(t.Context(), "sh", "../script/postgres.sh", "start", dir).Output()
	t.Cleanup(func() {
		_ = exec.CommandContext(context.Background(), "sh", "../script/postgres.sh", "stop", dir).Run()
	})
	if err != nil {
		t.Skipf("no PostgreSQL server can be started here: %v", err)
	}
	u := strings.TrimSpace(string(out))
	if _, err := url.Parse(u); err != nil {
		t.Fatal(err)
	}
	return u
}

// port is one that is free.
func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, p, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trusting is a client that trusts the authority that the balancer makes for itself.
func trusting(t *testing.T, file string) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	until(t, "the balancer has a certificate", func() (bool, string) {
		pem, err := os.ReadFile(file)
		return err == nil && roots.AppendCertsFromPEM(pem), fmt.Sprint(err)
	})
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// until asks again until something is so, for two minutes at most.
func until(t *testing.T, what string, so func() (bool, string)) {
	t.Helper()
	var last string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		ok, now := so()
		if ok {
			return
		}
		last = now
	}
	t.Fatalf("%s: not within two minutes: %s", what, last)
}
