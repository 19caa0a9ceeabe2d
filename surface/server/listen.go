package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/home"
)

// CheckLoopback says why an address is not one that only this machine reaches.
func CheckLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("only loopback addresses, as in %s, are listened on", home.Serve)
	}
	return nil
}

// Inherited is the listener that a service manager holds for this process and passes
// on as systemd does, by LISTEN_PID and LISTEN_FDS; nil where there is none. While the
// manager holds the port no other user can listen on it, whether we run or not.
func Inherited(getenv func(string) string) (net.Listener, error) {
	if getenv("LISTEN_FDS") == "" || getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n := getenv("LISTEN_FDS"); n != "1" {
		return nil, fmt.Errorf("the service manager passes on %s sockets; one is served", n)
	}
	const first = 3 // behind stdin, stdout and stderr
	file := os.NewFile(first, "LISTEN_FDS")
	l, err := net.FileListener(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("the socket of the service manager: %w", err)
	}
	return l, nil
}

// Listen listens on a loopback address; port 0 takes a free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	if err := CheckLoopback(address); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", address)
}

// AllowedHosts are the names under which a server on loopback may be called.
func AllowedHosts(a net.Addr) []string {
	host, port, _ := net.SplitHostPort(a.String())
	all := []string{a.String(), "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
	if port == "80" { // clients leave out the port that is meant without one
		all = append(all, host, "127.0.0.1", "localhost", "[::1]")
	}
	return all
}

// Replica names this server among those on one store, the same after a restart: by its
// machine and the address that it listens on.
func Replica(listen string) string {
	name, err := os.Hostname()
	if err != nil {
		name = "localhost"
	}
	return name + "-" + strings.NewReplacer(":", "-", "[", "", "]", "").Replace(listen)
}
