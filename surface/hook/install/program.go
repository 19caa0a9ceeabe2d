package install

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Self is the path of this program, without links.
func Self() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return self, nil
}

// hookCommand is the command line of our hooks, up to the host's name: that of the
// small program where it lies beside self, which is trimtab, else self's. data is the
// data folder, "" where it is the usual one.
func hookCommand(self, data string) string {
	words := hookArgs(self, data)
	for i := range words {
		words[i] = shellWord(words[i])
	}
	return strings.Join(words, " ")
}

// hookArgs is the same, word by word: for those who start programs without a shell.
func hookArgs(self, data string) []string {
	small := filepath.Join(filepath.Dir(self), "trimtab-hook")
	if runtime.GOOS == "windows" {
		small += ".exe"
	}
	var at []string
	if data != "" {
		at = []string{"--data", data}
	}
	if info, err := os.Stat(small); err == nil && info.Mode().IsRegular() {
		return append([]string{small}, at...)
	}
	return append(append([]string{self}, at...), "hook")
}

// mcpCommand is the command line of our MCP server.
func mcpCommand(self, data string) []string {
	if data == "" {
		return []string{self, "mcp"}
	}
	return []string{self, "--data", data, "mcp"}
}

// shellWord makes a path one word of a command line.
func shellWord(path string) string {
	if runtime.GOOS == "windows" {
		if strings.ContainsAny(path, " &()^") {
			return `"` + path + `"`
		}
		return path
	}
	return ShellQuote(path)
}

// ShellQuote makes a word fit to be pasted into a POSIX shell.
func ShellQuote(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n'\"$`\\{}[]()<>|&;*?!#~") {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// gatewayURL refuses what cannot be the address of a gateway, and returns it without a
// slash at its end. Keys go there: in plain text only on this machine.
func gatewayURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q is not a plain http or https address, such as http://127.0.0.1:8787", text)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("%s: keys would go there in plain text; over a network use https", text)
	}
	return strings.TrimSuffix(text, "/"), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Lacks returns what of w is not in the host's own settings already, and says what
// is.
func (p Place) Lacks(w Want) (Want, []string, error) {
	state, err := p.State()
	if err != nil {
		return w, nil, err
	}
	var there []string
	if w.Hooks != "" && len(state.Commands) > 0 {
		there = append(there, fmt.Sprintf("the hooks of %s are in %s already", p.Host, p.Files[0]))
		w.Hooks = ""
	}
	if len(w.MCP) > 0 && len(state.MCP) > 0 {
		there = append(there, fmt.Sprintf("the MCP server of %s is in its settings already", p.Host))
		w.MCP = nil
	}
	return w, there, nil
}
