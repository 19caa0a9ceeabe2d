package tool

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// secretNames are variables that hold what gives access.
var secretNames = lazyregexp.Pattern(`(^|_)(KEY|KEYS|APIKEY|TOKEN|TOKENS|PAT|JWT|COOKIE|COOKIES|CREDS|PASS|PASSPHRASE|DSN|AUTH)($|_)|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY`)

// secretValues are values that do, whatever they are called: a URL with a
// password, or a token that says what it is.
var secretValues = lazyregexp.Pattern(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s@]*:[^/\s@]+@|^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abp]-|AKIA|AIza)[A-Za-z0-9_-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY`)

// steeringNames change what a shell does before it does anything, or are ours.
var steeringNames = lazyregexp.Pattern(`^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|CDPATH|SSH_AUTH_SOCK|GPG_AGENT_INFO|SSH_ASKPASS|GIT_ASKPASS)$|^BASH_FUNC_|^TRIMTAB_`)

// quiet are variables that keep programs from colours, pagers and questions.
var quiet = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// CleanEnv is the environment that a program gets which is not ours: without what
// looks like a secret, but for the names in pass.
func CleanEnv(environ, pass []string) []string {
	var out []string
	plain := plainGit(environ)
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || slices.ContainsFunc(quiet, func(q string) bool { return strings.HasPrefix(q, name+"=") }) {
			continue
		}
		upper := strings.ToUpper(name)
		if gitSetting().MatchString(upper) { // all or none: git takes one without the others for an error
			if plain {
				out = append(out, pair)
			}
			continue
		}
		if !slices.Contains(pass, name) && (secretNames().MatchString(upper) || steeringNames().MatchString(upper) || secretValues().MatchString(value)) {
			continue
		}
		if upper == "PATH" {
			pair = name + "=" + absolutePath(value)
		}
		out = append(out, pair)
	}
	return append(out, quiet...)
}

// gitSetting is a variable with a setting of git.
var gitSetting = lazyregexp.Pattern(`^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+)$`)

// plainGit reports whether no setting of git in the environment can hold a secret.
func plainGit(environ []string) bool {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !gitSetting().MatchString(strings.ToUpper(name)) {
			continue
		}
		if low := strings.ToLower(value); secretValues().MatchString(value) || strings.Contains(low, "extraheader") || strings.Contains(low, "authorization") || strings.Contains(low, "token") || strings.Contains(low, "password") {
			return false
		}
	}
	return true
}

// absolutePath leaves out the places of a PATH that depend on the folder: a
// project could put its own git there.
func absolutePath(value string) string {
	var keep []string
	for _, dir := range filepath.SplitList(value) {
		if filepath.IsAbs(dir) {
			keep = append(keep, dir)
		}
	}
	sep := ":"
	if runtime.GOOS == "windows" {
		sep = ";"
	}
	return strings.Join(keep, sep)
}
