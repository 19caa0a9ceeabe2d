package secret

import "strings"

// class says how much a name tells of its value.
type class int

const (
	strong   class = iota // password: nearly anything is one
	middling              // secret, token: what is no word
	weak                  // key, auth, access: what looks made by chance
	vendor                // the name of a vendor: the same
)

const (
	nameMax  = 50  // of a name before its word
	restMax  = 20  // of a name after its word, blanks among it
	valueMax = 512 // what is looked at to judge; a longer value is taken whole
	nestMax  = 16  // names in a value that are looked at for themselves
)

// assigned makes the rule for values beside a name: NAME=value, "name": "value",
// name := `value`, --name value, <name>value</name>, f("name", "value").
func assigned(c class) func(p *pass, start, end int) (int, int, bool) {
	return func(p *pass, start, end int) (int, int, bool) {
		a := assignment{text: p.text, class: c}
		if !a.separator(start, end) || p.nested(start) || !a.value() {
			return 0, 0, false
		}
		p.nestTo = max(p.nestTo, a.to)
		if !a.judge() {
			return 0, 0, false
		}
		return a.from, p.whole(a.from, a.to), true
	}
}

// assignment is a name and its value while they are read.
type assignment struct {
	text     string
	class    class
	name     string
	tight    bool // nothing stands between the name, the separator and the value
	comma    bool // the separator is the comma of a call
	i        int  // how far it was read
	from, to int  // the value
	quoted   bool
	plain    string // the value as it was meant
}

// separator reads the rest of a name and what parts it from its value.
func (a *assignment) separator(start, end int) bool {
	text := a.text
	i := end
	for i < len(text) && i < end+2*restMax && nameByte(text[i]) {
		i++
	}
	first := start
	for first > 0 && start-first < nameMax && nameByte(text[first-1]) {
		first--
	}
	a.name = text[first:i]
	if strings.HasPrefix(a.name, "--") && i < len(text) && text[i] == ' ' {
		a.i = i + 1
		return true
	}
	tight := i
	for i < len(text) && i < end+restMax && (nameByte(text[i]) || text[i] == ' ' || text[i] == '\t') {
		i++
	}
	quote := false
	for n := 0; n < 4 && i < len(text); n++ {
		c, width := at(text, i)
		if !quoteByte(c) && c != ']' && (!space(c) || a.class == strong && (c != ' ' || width > 1)) {
			break
		}
		quote = quote || !space(c)
		i += width
	}
	if i >= len(text) {
		return false
	}
	a.tight = i == tight
	c, width := at(text, i)
	i += width
	switch c {
	case '=', ':':
		for n := 0; n < 2 && i < len(text); n++ {
			if c, width = at(text, i); c != '=' && c != '>' && c != ':' {
				break
			}
			i += width
		}
	case '|', '?', '-':
		if i >= len(text) || text[i] != '|' && text[i] != '=' && text[i] != '>' {
			return false
		}
		i++
	case '>':
		if a.class == strong && (first == 0 || text[first-1] != '<') {
			return false
		}
	case '(': // client = cohere.Client("key")
		if a.class != vendor || i >= len(text) {
			return false
		}
		if c, _ := at(text, i); !quoteByte(c) {
			return false
		}
	case ',':
		if a.class == strong && !quote {
			return false
		}
		a.comma = true
	default:
		return false
	}
	a.i = i
	return true
}

func nameByte(c byte) bool { return alnum(c) || c == '_' || c == '.' || c == '-' }

// value reads the value after the separator.
func (a *assignment) value() bool {
	text, i := a.text, a.i
	quote, open := byte(0), 0
	for n := 0; n < 6 && i < len(text); n++ {
		c, width := at(text, i)
		switch {
		case quoteByte(c):
			quote, open = c, width
		case quote == 0 && c != '=' && space(c) && (a.class != strong || c == ' ' && width == 1):
		case quote == 0 && c == '=' && n > 0:
		case quote == 0 && strings.IndexByte("brfuL@$", c) >= 0 && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\''): // the kind of a string in Python, C and C#
		default:
			n = 6
			continue
		}
		i += width
		a.tight = a.tight && quote != 0
	}
	if i >= len(text) {
		return false
	}
	if a.quoted = quote != 0; a.quoted {
		a.readQuoted(i, quote, open)
	} else if !a.comma {
		a.readBare(i)
	}
	return a.to > a.from
}

func quoteByte(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// readQuoted reads to the quote that was opened. One that is escaped more deeply
// belongs to the value.
func (a *assignment) readQuoted(i int, quote byte, open int) {
	var b strings.Builder
	a.from = i
	for i < len(a.text) && i < a.from+valueMax {
		c, width := at(a.text, i)
		if c == quote && width <= open || a.text[i] == '\n' {
			break
		}
		if c == quote { // escaped: a character like any other
			c = '!'
		}
		b.WriteByte(c)
		i += width
	}
	a.to, a.plain = min(i, len(a.text)), b.String()
}

// readBare reads a value without quotes: to a blank, and for all but passwords
// to what no key holds.
func (a *assignment) readBare(i int) {
	var b strings.Builder
	a.from = i
	for i < len(a.text) && i < a.from+valueMax {
		c, width := at(a.text, i)
		if c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || a.class != strong && strings.IndexByte(",;)]}>&|\\", c) >= 0 {
			break
		}
		b.WriteByte(c)
		i += width
	}
	i = min(i, len(a.text))
	a.plain = strings.TrimRight(b.String(), ",;)]}>&|\\.")
	a.to = a.from + len(strings.TrimRight(a.text[a.from:i], ",;)]}>&|\\."))
}

// nested reports that too many names stand in one value to look at each: a text
// that is made of nothing else would be read some hundred times.
func (p *pass) nested(start int) bool {
	if start >= p.nestTo {
		p.nest = 0
		return false
	}
	p.nest++
	return p.nest > nestMax
}

// whole returns the end of a value that is longer than what was looked at: where
// its characters of base64 end. They are read once for all values in them.
func (p *pass) whole(from, to int) int {
	if to-from < valueMax-16 {
		return to
	}
	if from >= p.longFrom && to <= p.longTo {
		return p.longTo
	}
	p.longFrom = from
	for to < len(p.text) && (sextet(p.text[to]) >= 0 || p.text[to] == '=') {
		to++
	}
	p.longTo = to
	return to
}

// judge says whether the value is a secret.
func (a *assignment) judge() bool {
	v := a.plain
	m := classesOf(v)
	if a.spacedPassword() {
		return true
	}
	if len(v) < 5 || m.other || placeholder(v) || pathLike(v) || m.lower+m.upper+m.digit == 0 {
		return false
	}
	if !a.quoted && !a.tight && reference(v) || a.comma && changes(a.name)*4 >= len(a.name) {
		return false
	}
	random := m.digit >= 2 && changes(v)*8 >= len(v) || scrambled(v, m) || digest(v, m) || uuid(v) ||
		len(v) >= 32 && m.upper > 0 && m.lower > 0 && entropy(v) >= 4.3
	switch a.class {
	case strong:
		return a.password(v, m)
	case middling:
		if len(v) < 8 || m.lower+m.upper == 0 || entropy(v) < 2.7 || a.names("hash", "sha256", "sha512", "sha1", "digest", "checksum", "count", "type", "file", "path", "name") {
			return false
		}
		return random || a.tight && a.name == strings.ToUpper(a.name) && m.digit >= 1 && len(v) >= 12
	case weak:
		if len(v) >= 12 && basic(v) && a.names("auth") { // of Docker and npm: a user and a password in base64
			return true
		}
		if len(v) < 8 || len(v) < 10 && !a.telling() || m.lower+m.upper == 0 || !random || entropy(v) < 2.7 || a.harmless() {
			return false
		}
		return a.telling() || changes(v)*5 >= len(v) && !uuid(v) && !digest(v, m) && entropy(v) >= 3.4
	default:
		return len(v) >= 14 && m.lower+m.upper > 0 && random && entropy(v) >= 2.8 && !a.harmless()
	}
}

// password judges the value beside the name of one: letters alone are one only
// where the line sets a variable, or where no word has such letters.
func (a *assignment) password(v string, m charClasses) bool {
	code := !a.quoted && !a.tight && strings.ContainsAny(v, ".(") && m.digit < 2
	if code || len(v) > 200 && !a.quoted || a.names("type", "field", "label", "policy", "reset", "hint", "prompt", "placeholder", "file", "path", "min", "max", "length") {
		return false
	}
	switch {
	case m.digit == 0 && reference(v):
		return false
	case m.digit > 0 && m.lower+m.upper > 0, m.digit >= 6:
		return true
	case m.sign > 0 && m.lower+m.upper > 0 && strings.ContainsAny(v, "!#$%^&*+~?@="):
		return true
	}
	if phrase(v) {
		return true
	}
	variable := a.tight && !a.quoted && a.name == strings.ToUpper(a.name)
	return len(v) >= 6 && variable || len(v) >= 8 && entropy(v) >= 3 && (a.quoted || a.tight) && m.sign == 0
}

// telling reports a name that says its value is a key to something.
func (a *assignment) telling() bool {
	return a.names("apikey", "api_key", "api-key", "secret", "private", "authkey", "auth_key", "auth-key", "accesskey", "access_key", "access-key", "accountkey", "account_key",
		"signing", "encryption", "encrypt", "master", "sharedaccesskey", "_auth", "authtoken", "license", "x-key", "functions-key", "subscription")
}

// harmless reports a name that says its value is none.
func (a *assignment) harmless() bool {
	return a.names("public", "pubkey", "pub_key", "keyid", "key_id", "key-id", "keyname", "key_name", "cache", "primary", "foreign", "sortkey", "fingerprint", "sha1", "sha256",
		"sha512", "hash", "digest", "checksum", "integrity", "version", "etag", "commit", "revision", "author", "monkey", "keyboard", "keycode", "session_id", "tool_use", "uuid", "idempot", "websocket")
}

func (a *assignment) names(words ...string) bool {
	name := strings.ToLower(a.name)
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// pathLike reports a file, a folder or an address.
func pathLike(v string) bool {
	if strings.Contains(v, "://") || strings.Contains(v, ":/") {
		return true
	}
	for _, lead := range []string{"./", "../", "~/", "/bin/", "/dev/", "/etc/", "/home/", "/opt/", "/proc/", "/root/", "/run/", "/tmp/", "/usr/", "/var/", "/Users/", "C:"} {
		if strings.HasPrefix(v, lead) {
			return true
		}
	}
	dot := strings.LastIndexByte(v, '.')
	if dot <= 0 || len(v)-dot > 6 || len(v)-dot < 3 {
		return false
	}
	switch v[dot+1:] {
	case "go", "js", "ts", "py", "rb", "rs", "sh", "md", "txt", "json", "yaml", "yml", "toml", "pem", "key", "crt", "cert", "pub", "html", "css", "png", "jpg", "svg", "java", "com", "org", "net", "io":
		return true
	}
	return false
}

// reference reports a value that names what it stands for, as the variables of a
// program do: testRSA2048PrivateKey.
func reference(v string) bool {
	if changes(v)*4 >= len(v) {
		return false
	}
	v = strings.ToLower(v)
	for _, w := range []string{"key", "token", "secret", "password", "passwd", "credential", "certificate", "auth"} {
		if strings.Contains(v, w) {
			return true
		}
	}
	return false
}

// changes counts where a letter stands beside a digit, or a capital after a
// small letter: words and names have few, what was made by chance has many.
func changes(v string) int {
	kind := func(c byte) int {
		switch {
		case c >= '0' && c <= '9':
			return 1
		case c >= 'a' && c <= 'z':
			return 2
		case c >= 'A' && c <= 'Z':
			return 3
		}
		return 0
	}
	n := 0
	for i := 1; i < len(v); i++ {
		a, b := kind(v[i-1]), kind(v[i])
		if a != b && a != 0 && b != 0 && (a != 3 || b != 2) {
			n++
		}
	}
	return n
}
