package subprocess

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Lookup finds a variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// passed are the variables that any program may need and that open nothing: where
// programs are, the language, the way to the network, the tools of a language.
var passed = []string{
	"LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMFILES", "PROGRAMDATA", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
	"GOROOT", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOFLAGS", "GOTOOLCHAIN", "JAVA_HOME", "DOTNET_ROOT",
}

// kept are the folders in which the tools of a language keep what they fetched,
// below the person's home. A private home would hide them.
var kept = []struct{ name, dir string }{
	{"GOMODCACHE", "go/pkg/mod"},
	{"RUSTUP_HOME", ".rustup"},
	{"CARGO_HOME", ".cargo"},
	{"GRADLE_USER_HOME", ".gradle"},
	{"PYENV_ROOT", ".pyenv"},
	{"NVM_DIR", ".nvm"},
	{"DENO_DIR", ".cache/deno"},
	{"MIX_HOME", ".mix"},
	{"HEX_HOME", ".hex"},
	{"MISE_DATA_DIR", ".local/share/mise"},
	{"COREPACK_HOME", ".cache/node/corepack"},
}

// quiet keeps programs from colours, pagers, editors and questions, and git from
// any credential that it would find by itself.
var quiet = []string{
	"TERM=dumb", "NO_COLOR=1", "CI=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=true", "EDITOR=true",
	"GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GCM_INTERACTIVE=never", "GH_PROMPT_DISABLED=1",
	"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=credential.helper", "GIT_CONFIG_VALUE_0=", "GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null",
}

// forges are the names of variables that open a forge or a repository. They are
// passed to nobody, whoever asks for them.
var forges = lazyregexp.Pattern(`(?i)^((GH|GITHUB|GITLAB|GITEA|FORGEJO|CODEBERG|BITBUCKET|CI_JOB|AZURE_DEVOPS|SYSTEM_ACCESS|GL|HOMEBREW_GITHUB_API|GITHUB_ENTERPRISE|GH_ENTERPRISE)_?(TOKEN|PAT|API_TOKEN|PRIVATE_TOKEN|ACCESS_TOKEN|ACCESSTOKEN|OAUTH_TOKEN|PASSWORD|EXT_PAT)|GIT_ASKPASS|SSH_ASKPASS|SSH_AUTH_SOCK|GPG_AGENT_INFO|GIT_SSH|GIT_SSH_COMMAND|GIT_CONFIG_PARAMETERS)$`)

// Forge reports whether a variable of this name opens a forge or a repository.
func Forge(name string) bool { return forges().MatchString(name) }

// withPassword is a URL that has one.
var withPassword = lazyregexp.Pattern(`://[^/\s@]*:[^/\s@]+@`)

// Environ is a clean environment: what every program needs, with the home given,
// and of the rest only the variables named in more. Nothing that opens a forge is
// in it, whatever more says.
func Environ(lookup Lookup, home string, more ...string) []string {
	env := []string{"PATH=" + absolute(value(lookup, "PATH"))}
	for _, name := range passed {
		v, ok := lookup(name)
		proxy := strings.HasSuffix(strings.ToUpper(name), "_PROXY") // the way out may have a password
		if ok && v != "" && (proxy || !withPassword().MatchString(v)) {
			env = append(env, name+"="+v)
		}
	}
	env = append(env, "HOME="+home)
	if _, windows := lookup("SYSTEMROOT"); windows {
		env = append(env, "USERPROFILE="+home, "APPDATA="+filepath.Join(home, "AppData", "Roaming"), "LOCALAPPDATA="+filepath.Join(home, "AppData", "Local"))
	}
	env = append(env, caches(lookup, home)...)
	env = append(env, quiet...)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(more))) {
		if v, ok := lookup(name); ok && v != "" && !Forge(name) {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// caches names the folders of the tools of a language where the home is another
// one than the person's.
func caches(lookup Lookup, home string) []string {
	real := value(lookup, "HOME")
	if real == "" {
		real = value(lookup, "USERPROFILE")
	}
	var out []string
	for _, k := range kept {
		dir := value(lookup, k.name)
		if dir == "" && real != "" && real != home {
			dir = filepath.Join(real, filepath.FromSlash(k.dir))
			if k.name == "GOMODCACHE" {
				if first := filepath.SplitList(value(lookup, "GOPATH")); len(first) > 0 {
					dir = filepath.Join(first[0], "pkg", "mod")
				}
			}
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			out = append(out, k.name+"="+dir)
		}
	}
	return out
}

func value(lookup Lookup, name string) string {
	v, _ := lookup(name)
	return v
}

// absolute leaves out the places of a PATH that depend on the folder.
func absolute(path string) string {
	var keep []string
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			keep = append(keep, dir)
		}
	}
	return strings.Join(keep, string(os.PathListSeparator))
}
