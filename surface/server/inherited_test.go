//go:build unix

package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/surface/server"
)

// TestH7_APortThatIsHeldForUsIsServed: the listener of another process, passed on as
// systemd passes it.
func TestH7_APortThatIsHeldForUsIsServed(t *testing.T) {
	if os.Getenv("INHERIT") != "" {
		l, err := server.Config{Listen: "127.0.0.1:0"}.Open(t.Context(), func(name string) string {
			if name == "LISTEN_PID" { // systemd sets it between fork and exec
				return fmt.Sprint(os.Getpid())
			}
			return os.Getenv(name)
		}, slog.New(slog.DiscardHandler))
		if err != nil || l == nil {
			fmt.Println("refused:", err)
			os.Exit(0)
		}
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "held") }))
		os.Exit(0)
	}
	for _, c := range []struct{ address, fds, want string }{
		{"127.0.0.1:0", "1", ""},
		{"127.0.0.1:0", "2", "passes on 2 sockets"},
		{"0.0.0.0:0", "1", "can be reached by others"},
	} {
		l, err := net.Listen("tcp", c.address)
		if err != nil {
			t.Fatal(err)
		}
		file, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command(os.Args[0], "-test.run=^TestH7_APortThatIsHeldForUsIsServed$")
		child.Env = append(os.Environ(), "INHERIT=1", "LISTEN_FDS="+c.fds)
		child.ExtraFiles = []*os.File{file}
		if c.want != "" {
			if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %v %s", c, err, out)
			}
			continue
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		reply, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || string(text) != "held" {
			t.Errorf("%q, %v", text, err)
		}
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	none := func(name string) string { return map[string]string{"LISTEN_FDS": "1", "LISTEN_PID": "1"}[name] }
	if l, err := server.Inherited(none); l != nil || err != nil {
		t.Errorf("the socket of another process: %v %v", l, err)
	}
	if l, err := server.Inherited(func(string) string { return "" }); l != nil || err != nil {
		t.Errorf("%v %v", l, err)
	}
}
