package server

import (
	"context"
	"fmt"
	"net"

	"github.com/trimtab/trimtab/internal/home"
)

// CheckLoopback says what is wrong with an address to listen on: the server has no
// encryption and the gateway no token, so neither is for other machines.
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
	_, port, _ := net.SplitHostPort(a.String())
	return []string{a.String(), "127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
}
