package git

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Address is where a remote leads, whatever way git takes there: the addresses of a
// repository by https, by ssh and as host:path are equal, with or without an account, a
// password, the scheme's own port, ".git" or a slash at the end.
type Address struct {
	Host string // lower case; with its port where a web server has one of its own
	Path string // of the repository, without a slash at either end
}

// maxAddress is the longest text that is read, in bytes.
const maxAddress = 2048

// ports are those that say nothing, whatever the scheme: an address is a name, and one
// who writes the name of http://host:443 down as https means the same.
var ports = []string{"443", "80"}

// sshHosts are further names of forges, for ssh where its port is closed.
var sshHosts = map[string]string{"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}

// foldingHosts take the name of a repository in any case.
var foldingHosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com"}

// ParseAddress reads a remote as git takes it: a URL, or host:path for ssh. It refuses
// paths of this machine, and what no server would have.
func ParseAddress(text string) (Address, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxAddress || !utf8.ValidString(text) || strings.ContainsFunc(text, unreadable) {
		return Address{}, false
	}
	if !strings.Contains(text, "://") {
		host, path, ok := strings.Cut(text, ":")
		if before, _, v6 := strings.Cut(text, "]:"); v6 && strings.Contains(host, "[") { // git@[fe80::1]:path
			host, path = before+"]", text[len(before)+2:]
		}
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 { // a path, also one of Windows
			return Address{}, false
		}
		return address(host, path)
	}
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, false
	}
	switch strings.ToLower(u.Scheme) {
	case "https", "http":
		host := u.Host
		if slices.Contains(ports, u.Port()) || strings.HasSuffix(host, ":") {
			host = strings.TrimSuffix(strings.TrimSuffix(host, u.Port()), ":")
		}
		return address(host, u.Path)
	case "ssh", "git", "git+ssh", "ssh+git": // their ports are not those of the web server
		host := u.Hostname()
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return address(host, u.Path)
	}
	return Address{}, false
}

func unreadable(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// address refuses what is no repository of a server.
func address(host, where string) (Address, bool) {
	where = strings.Trim(strings.ReplaceAll(where, "//", "/"), "/")
	where = strings.TrimRight(strings.TrimSuffix(where, ".git"), "/")
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if known, ok := sshHosts[host]; ok {
		host = known
	}
	if !isHost(host) || where == "" || strings.ContainsFunc(where, unicode.IsControl) || strings.ContainsAny(where, `\?#%`) {
		return Address{}, false
	}
	if path.Clean(where) != where || where == "." || where == ".." || strings.HasPrefix(where, "../") {
		return Address{}, false
	}
	return Address{host, where}, true
}

// isHost reports whether a text is a name or an address of a host, with or without a
// port.
func isHost(text string) bool {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		inner, port, ok := strings.Cut(rest, "]")
		_, err := netip.ParseAddr(inner)
		return ok && err == nil && (port == "" || isPort(port))
	}
	name, port := text, ""
	if at := strings.IndexByte(text, ':'); at >= 0 {
		name, port = text[:at], text[at:]
	}
	plain := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	inside := func(r rune) bool { return plain(r) || r == '.' || r == '-' }
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	return plain(first) && plain(last) && !strings.ContainsFunc(name, func(r rune) bool { return !inside(r) }) && (port == "" || isPort(port))
}

func isPort(text string) bool {
	digits, ok := strings.CutPrefix(text, ":")
	return ok && digits != "" && len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}

// String is the address in one form for all who mean the repository: the name under
// which they find one another.
func (a Address) String() string {
	where := a.Path
	if slices.Contains(foldingHosts, a.Host) {
		where = strings.ToLower(where)
	}
	return a.Host + "/" + where
}
