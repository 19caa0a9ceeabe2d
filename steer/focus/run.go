package focus

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// checkable returns the command whose success a command line tells: the last of
// those that are strung together, without what only sets it up. Of a pipe nobody
// can tell whose success it was; of one with || or in the background nothing at all.
func checkable(command string) (run string, piped bool) {
	if strings.Contains(command, "||") {
		return "", false
	}
	rest := strings.TrimSpace(command)
	for _, cut := range []string{"&&", ";", "\n"} {
		rest = strings.TrimRight(rest, " ;\n")
		if i := strings.LastIndex(rest, cut); i >= 0 {
			rest = rest[i+len(cut):]
		}
	}
	rest, _, piped = strings.Cut(rest, "|")
	for _, quiet := range []string{"2>&1", ">/dev/null", "> /dev/null", "2>/dev/null"} {
		rest = strings.TrimSpace(strings.ReplaceAll(rest, quiet, ""))
	}
	if strings.ContainsAny(rest, "&!") {
		return "", false
	}
	words := strings.Fields(rest)
	for len(words) > 0 && (words[0] == "time" || strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	return trimtab.Clip(strings.Join(words, " "), maxCommand), piped
}

func spaced(s string) string { return strings.Join(strings.Fields(trimtab.Clip(s, maxRead)), " ") }

var (
	exitCode = lazyregexp.Pattern(`(?i)exit(?:ed)?[ _-]?(?:with )?(?:exit )?(?:code|status)["']?\s*[:=]?\s*(-?\d+)`)
	failLine = lazyregexp.Pattern(`(?m)^(?:--- FAIL|FAIL\b|FAILED\b|Traceback |npm ERR!|panic: |fatal: )`)
)

// saysFailed reports whether the end of a result says that the command failed,
// where the host does not.
func saysFailed(text string) bool {
	const most = 4 << 10
	ends := []string{text}
	if len(text) > 2*most {
		ends = []string{trimtab.Clip(text, most), text[len(text)-most:]}
	}
	for _, part := range ends {
		for _, m := range exitCode().FindAllStringSubmatch(part, -1) {
			if strings.Trim(m[1], "-0") != "" {
				return true
			}
		}
		if failLine().MatchString(part) {
			return true
		}
	}
	return false
}

var writing = lazyregexp.Pattern(`(?:^|[;&|\n]|\b(?:sudo|xargs|cd \S+ &&))\s*(?:tee|mv|rm|cp|patch|truncate|dd|install|git (?:apply|checkout|restore|reset|stash|merge|rebase|pull|revert|am|cherry-pick)|gofmt -w|gofumpt -w|prettier --write|sed (?:-[a-zA-Z]*i|--in-place)|perl -[a-zA-Z]*i)\b`)

// changing reports whether a command writes files: by a program that is there to
// write, or by a redirection to something that is no device.
func changing(command string) bool {
	if writing().MatchString(command) {
		return true
	}
	for rest := command; ; {
		i := strings.IndexByte(rest, '>')
		if i < 0 {
			return false
		}
		to := strings.TrimLeft(rest[i+1:], "> ")
		before := byte(' ')
		if i > 0 {
			before = rest[i-1]
		}
		if before != '-' && before != '=' && to != "" && to[0] != '&' && to[0] != '=' && !strings.HasPrefix(to, "/dev/") {
			return true
		}
		rest = rest[i+1:]
	}
}
