package server_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/surface/server"
)

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	const outside = "only loopback addresses, as in 127.0.0.1:8787, are listened on"
	for address, want := range map[string]string{
		"127.0.0.1:0":      "",
		"127.8.9.1:80":     "",
		"localhost:0":      "",
		"[::1]:0":          "",
		":8787":            outside, // every address of the machine
		"0.0.0.0:8787":     outside,
		"[::]:8787":        outside,
		"192.168.1.2:8787": outside,
		"example.com:8787": outside,
		"127.0.0.1":        "missing port",
	} {
		err := server.CheckLoopback(address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", address, err, want)
		}
		if want == "" {
			continue
		}
		if l, err := server.Listen(t.Context(), address); err == nil {
			t.Errorf("%s is listened on", address)
			_ = l.Close()
		}
	}
}

// D11: clients leave ":80" out.
func TestD11_PortEightyIsLeftOut(t *testing.T) {
	got := server.AllowedHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	for _, name := range []string{"127.0.0.1:80", "127.0.0.1", "localhost", "[::1]"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not served: %q", name, got)
		}
	}
}

func TestAllowedHosts(t *testing.T) {
	got := server.AllowedHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 99})
	if want := []string{"127.0.0.2:99", "127.0.0.1:99", "localhost:99", "[::1]:99"}; !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}
