package improve

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

const (
	maxFold      = 1000 // bytes of a text that are folded
	maxSignature = 200  // bytes of what comes of it
	maxQuote     = 300  // bytes between two quotation marks
)

// Fold takes out of a text what differs from one time to the next: paths,
// numbers, hexadecimal, ids, times, quoted strings, colours, case and space. Two
// errors that fold to the same are the same trouble.
func Fold(text string) string {
	f := folder{in: plainLine(trimtab.Clip(text, maxFold))}
	for f.at < len(f.in) {
		f.next()
	}
	return strings.TrimSpace(trimtab.Clip(strings.TrimSpace(f.out.String()), maxSignature))
}

// Fingerprint is the identity of a trouble: its type with its folded signature.
func Fingerprint(kind, signature string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + signature))
	return hex.EncodeToString(sum[:8])
}

// folder is a text being folded.
type folder struct {
	in  string
	at  int
	out strings.Builder
}

func (f *folder) next() {
	rest := f.in[f.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == ' ':
		f.put(" ", 1)
	case strings.ContainsRune(`'"`+"`", r) && f.quoted():
	case strings.HasPrefix(rest, "[REDACTED:"):
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			end = len(rest) - 1
		}
		f.put("<secret>", end+1)
	case wordly(r) || strings.ContainsRune(`/\.~`, r):
		f.word()
	default:
		f.put(strings.ToLower(string(r)), size)
	}
}

func (f *folder) put(text string, n int) {
	f.out.WriteString(text)
	f.at += n
}

// quoted folds a quoted string. An apostrophe inside a word opens none.
func (f *folder) quoted() bool {
	if before, _ := utf8.DecodeLastRuneInString(f.in[:f.at]); f.at > 0 && wordly(before) {
		return false
	}
	inside := f.in[f.at+1:]
	for from := 0; ; {
		end := strings.IndexByte(inside[from:min(len(inside), maxQuote)], f.in[f.at])
		if end < 0 {
			return false
		}
		end += from
		if after, _ := utf8.DecodeRuneInString(inside[end+1:]); end+1 == len(inside) || !wordly(after) {
			f.put("<str>", end+2)
			return true
		}
		from = end + 1
		if from >= min(len(inside), maxQuote) {
			return false
		}
	}
}

// word folds a run of characters without space: a path, a time, an id, a number,
// or a word that stays.
func (f *folder) word() {
	rest := f.in[f.at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`()[]{}<>|,;=!?*&#@^$", r) })
	if n < 0 {
		n = len(rest)
	}
	chunk := strings.TrimRight(rest[:n], ".:")
	switch {
	case chunk == "":
		f.put(rest[:1], 1)
		return
	case isPath(chunk):
		f.put("<path>", len(chunk))
		return
	case isTime(chunk):
		f.put("<time>", len(chunk))
		return
	case isUUID(chunk):
		f.put("<id>", len(chunk))
		return
	}
	n = strings.IndexFunc(chunk, func(r rune) bool { return !wordly(r) && r != '.' })
	if n < 0 {
		n = len(chunk)
	}
	if n == 0 {
		r, size := utf8.DecodeRuneInString(rest)
		f.put(strings.ToLower(string(r)), size)
		return
	}
	one := strings.TrimRight(chunk[:n], ".")
	if one == "" {
		one = chunk[:n]
	}
	switch {
	case isHex(one):
		f.put("<hex>", len(one))
	case isNumber(one):
		f.put("<n>", len(one))
	case len(one) >= 20 && strings.ContainsAny(one, "0123456789"):
		f.put("<id>", len(one))
	default:
		f.put(strings.ToLower(one), len(one))
	}
}

func wordly(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isPath tells files, folders and addresses, with the place in the file behind.
func isPath(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		return true
	}
	if i := strings.IndexAny(s, `/\`); i >= 0 {
		return len(s) > 1 && strings.IndexFunc(s, unicode.IsLetter) >= 0
	}
	name, _, _ := strings.Cut(s, ":")
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return false
	}
	switch strings.ToLower(name[dot+1:]) {
	case "go", "py", "js", "ts", "tsx", "jsx", "mjs", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "rb", "php", "cs", "swift", "sh", "sql", "txt", "md",
		"json", "jsonl", "yaml", "yml", "toml", "xml", "html", "css", "lock", "log", "mod", "sum", "cfg", "ini", "env", "ex", "exs", "lua", "vue", "proto":
		return true
	}
	return false
}

// isTime tells dates and times of day: digits in at least three groups, or two
// with a colon, and a T or Z between or behind.
func isTime(s string) bool {
	groups, digits, colons := 0, 0, 0
	in := false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
			if !in {
				groups++
			}
			in = true
		case r == ':':
			colons++
			in = false
		case strings.ContainsRune("-T.Z+,", r):
			in = false
		default:
			return false
		}
	}
	return s[0] >= '0' && s[0] <= '9' && (groups >= 3 && digits >= 5 || groups == 2 && colons == 1 && digits <= 4)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, r := range s {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (r == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return false
		}
	}
	return true
}

// isHex tells an address or a hash: at least 7 digits, one of them not a letter
// and one not a plain digit.
func isHex(s string) bool {
	if after, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok && after != "" {
		s = after
	} else if len(s) < 7 || strings.Trim(s, "0123456789") == "" {
		return false
	}
	return strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// isNumber tells a number with the unit behind it.
func isNumber(s string) bool {
	if s[0] < '0' || s[0] > '9' {
		return false
	}
	unit := strings.ToLower(strings.TrimLeft(s, "0123456789._"))
	switch unit {
	case "", "s", "ms", "us", "µs", "ns", "m", "h", "d", "k", "b", "kb", "mb", "gb", "kib", "mib", "gib", "x", "st", "nd", "rd", "th", "px", "sec", "min":
		return true
	}
	// 1m30s, 2h5m
	return strings.Trim(unit, "0123456789.hmsnuµ") == ""
}

// plainLine is a text as one line without colours and control characters.
func plainLine(s string) string {
	s = stripANSI(s)
	var b strings.Builder
	space := true
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError:
			if !space {
				b.WriteByte(' ')
			}
			space = true
		default:
			b.WriteRune(r)
			space = false
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// stripANSI takes out what colours and moves a terminal.
func stripANSI(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		i += escape(s[i+1:])
	}
	return b.String()
}

// escape is the length of an escape sequence behind its ESC.
func escape(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '[':
		for i := 1; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case s[0] == ']':
		for i := 1; i < len(s); i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	return 1
}
