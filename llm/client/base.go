package client

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/trimtab/trimtab/llm/key"
)

// Base reads the base URL of an API, without a slash at its end. It refuses one
// that would show a secret, or carry a key over a public network in the open.
func Base(raw string, k key.Key) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		return "", errors.New("the base URL cannot be read; write it as https://host/path")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return "", fmt.Errorf("invalid base URL %q; write it as https://host/path", u.Redacted())
	case u.User != nil:
		return "", fmt.Errorf("the base URL of %s holds a name or password; put the key into a variable and name that", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the base URL of %s has a ? or #; leave out what follows", u.Host)
	case u.Scheme == "http" && !k.Empty() && !near(u.Hostname()):
		return "", fmt.Errorf("%s would get the key unencrypted; write its base URL with https", u.Host)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// near reports whether a host is this machine or in the same network, as far as
// its name tells.
func near(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}
