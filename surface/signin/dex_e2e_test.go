//go:build e2e

package signin_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/signin"
)

// X5: sign-in works with a provider that others wrote: dex, whose mock connector signs
// everybody in as one person of the group authors.
func TestX5_APersonSignsInWithDex(t *testing.T) {
	out, err := exec.Command("sh", "../../script/dex").Output()
	if err != nil {
		t.Skipf("dex does not build here: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dex := l.Addr().String()
	_ = l.Close()
	srv := httptest.NewUnstartedServer(nil)
	base := "http://" + srv.Listener.Addr().String()
	config := filepath.Join(t.TempDir(), "dex.yaml")
	text := fmt.Sprintf(`issuer: http://%[1]s/dex
storage: {type: memory}
web: {http: %[1]s}
oauth2: {skipApprovalScreen: true}
connectors: [{type: mockCallback, id: mock, name: Mock}]
staticClients:
- {id: trimtab, name: Trimtab, secret: client-secret, redirectURIs: ["%[2]s/trimtab/signin/callback"]}
`, dex, base)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	run := exec.CommandContext(t.Context(), strings.TrimSpace(string(out)), "serve", config)
	run.Stderr, run.Stdout = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	t.Cleanup(func() { _ = run.Process.Kill(); <-ended })
	for up := false; !up; {
		select {
		case err := <-ended:
			t.Fatalf("dex ended: %v\n%s", err, said.String())
		case <-time.After(100 * time.Millisecond):
		}
		if reply, err := http.Get("http://" + dex + "/dex/.well-known/openid-configuration"); err == nil {
			up = reply.StatusCode == http.StatusOK
			_ = reply.Body.Close()
		}
	}
	in, err := signin.New(signin.Options{
		Config:       signin.Config{Issuer: "http://" + dex + "/dex", ClientID: "trimtab", Groups: "groups", Roles: map[string]string{"group:authors": "steer"}},
		ClientSecret: key.New("client-secret", ""), URL: base, Hosts: []string{srv.Listener.Addr().String()}, Files: memory.New().Queue(),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = in.Handler(person.Need(owned.View, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := person.Of(r.Context())
		fmt.Fprintf(w, "%s %s", p.User, p.Role)
	})))
	srv.Start()
	t.Cleanup(srv.Close)
	if status, body := get(t, browser(t), "GET", base+signin.Path); status != 200 || body != "kilgore@kilgore.trout steer" {
		t.Errorf("%d %s", status, body)
	}
}
