package address

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
)

// Local reports whether a base URL leads to this machine.
func Local(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Plan is the base URL of a client, to be written into its settings. A base that has
// a path already, or leads to another machine, is taken as it is. Nothing is stored
// before keep is called: the person may say no.
func (c *Clients) Plan(client, base string) (full string, keep func() error, err error) {
	keep = func() error { return nil }
	if u, err := url.Parse(base); err != nil || !Local(base) || u.Path != "" {
		return base, keep, err
	}
	secret, err := c.Find(client)
	if errors.Is(err, fs.ErrNotExist) {
		secret, err = New(), nil
		keep = func() error { return c.Keep(client, secret) }
	}
	return URL(base, secret), keep, err
}

// Risk says what a fixed port on this machine means where others use it too; "" is
// for an address elsewhere.
func Risk(client, address string) string {
	if !Local(address) {
		return ""
	}
	base, _ := Split(address)
	return fmt.Sprintf("%s sends its key to %s. While trimtab serve does not run, another user of this machine could listen there and would receive the key, the prompts and this address. On a machine that you share, let the service manager hold the port (docs/reference/gateway.md), or use trimtab run %s, which has no fixed port.", client, base, client)
}
