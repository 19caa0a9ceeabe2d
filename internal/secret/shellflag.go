package secret

import "strings"

// flagPasswords are programs that take a password behind a flag of one letter, and
// whether it may stand behind a blank.
var flagPasswords = []struct {
	program, flag string
	apart         bool
}{
	{"mysql", "-p", false}, // and mysqldump, mysqladmin, mysqlimport
	{"mariadb", "-p", false},
	{"sshpass", "-p", true},
	{"mongo", "-p", true}, // and mongosh, mongodump
	{"docker login", "-p", true},
	{"podman login", "-p", true},
	{"registry login", "-p", true},
	{"redis-cli", "-a", true},
	{"ldapsearch", "-w", true},
	{"ldapmodify", "-w", true},
	{"ldapadd", "-w", true},
	{"kinit", "-w", true},
}

// flagWords begin such a flag.
func flagWords() []string { return []string{" -p", " -a", " -w"} }

// flagBack is how far from its flag the program's name may stand, on the same line.
const flagBack = 200

// flagPassword finds the password of `mysql -u root -pPASSWORD` and of
// `sshpass -p PASSWORD`. The word " -p" is in many commands, so the line before it is
// looked at for a program that means a password by it.
func flagPassword(p *pass, start, end int) (int, int, bool) {
	line := p.text[max(0, start-flagBack):start]
	if n := strings.LastIndexByte(line, '\n'); n >= 0 {
		line = line[n+1:]
	}
	for _, f := range flagPasswords {
		if p.text[start+1:end] != f.flag || !strings.Contains(line, f.program) {
			continue
		}
		i := end
		if f.apart {
			for i < len(p.text) && i < end+3 && (p.text[i] == ' ' || p.text[i] == '=') {
				i++
			}
		}
		from, to, value := shellWord(p.text, i)
		return from, to, len(value) >= 4 && !placeholder(value) && !strings.HasPrefix(value, "-")
	}
	return 0, 0, false
}

// shellWord reads a word of a command, quoted or not.
func shellWord(text string, i int) (from, to int, value string) {
	quote, open := byte(0), 0
	if i < len(text) {
		if c, width := at(text, i); quoteByte(c) {
			quote, open = c, width
			i += width
		}
	}
	from = i
	for i < len(text) && i-from < valueMax {
		c, width := at(text, i)
		if quote != 0 && c == quote && width <= open || text[i] == '\n' || quote == 0 && (c <= ' ' || quoteByte(c) || strings.IndexByte(";|&<>)", c) >= 0) {
			break
		}
		i += width
	}
	to = min(i, len(text))
	return from, to, text[from:to]
}

// said finds a password that a sentence tells: "the admin password is hunter2". A word
// that may be any word of the language is left alone.
func said(p *pass, _, end int) (int, int, bool) {
	i := end
	for i < len(p.text) && i < end+3 && (p.text[i] == ' ' || p.text[i] == ':') {
		i++
	}
	from, _, value := shellWord(p.text, i)
	value = strings.TrimRight(value, ".,!?:")
	to := from + len(value)
	m := classesOf(value)
	if len(value) < 5 || m.lower+m.upper == 0 || placeholder(value) || reference(value) || pathLike(value) || m.other && !quoteBefore(p.text, from) {
		return 0, 0, false
	}
	low := strings.ToLower(value)
	for _, word := range []string{"sha", "md5", "base64", "utf", "bcrypt", "argon2", "pbkdf2", "scrypt", "oauth", "ascii"} {
		if strings.HasPrefix(low, word) {
			return 0, 0, false
		}
	}
	strange := strings.ContainsAny(value, "!#$%^&*+~?@=")
	return from, to, m.digit > 0 && changes(value) > 0 || strange || scrambled(value, m)
}

func quoteBefore(text string, i int) bool { return i > 0 && quoteByte(text[i-1]) }

// saidWords are the ways in which a sentence tells a password.
func saidWords() []string {
	var out []string
	for _, name := range []string{"password", "Password", "passphrase", "Passphrase", "passwd", "passwort", "Passwort", "PIN"} {
		for _, verb := range []string{" is ", " was ", " ist ", " will be "} {
			out = append(out, name+verb)
		}
	}
	return out
}

// phrase reports several words with a dash or an underline between them, as people
// are told to choose passwords.
func phrase(v string) bool {
	words := strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' })
	if len(words) < 3 || len(v) < 12 {
		return false
	}
	for _, w := range words {
		if m := classesOf(w); len(w) < 3 || m.lower != len(w) && m.upper != len(w) {
			return false
		}
	}
	return true
}

// spacedPassword reports a password with blanks in it: between quotes, behind the name
// of a variable. What reads like a message to a person is none.
func (a *assignment) spacedPassword() bool {
	v := a.plain
	if a.class != strong || !a.quoted || a.comma || a.name != strings.ToUpper(a.name) || len(v) < 6 || len(v) > 100 || !strings.Contains(v, " ") {
		return false
	}
	if m := classesOf(strings.ReplaceAll(v, " ", "")); m.other || placeholder(v) {
		return false
	}
	low := " " + strings.ToLower(v) + " "
	for _, word := range []string{"password", "passwort", "passphrase", " your ", " please ", " must ", " invalid ", " wrong ", " missing ", " required ", " enter ", " the ", " not "} {
		if strings.Contains(low, word) {
			return false
		}
	}
	return true
}

// discordWords are how the number of a bot begins in base64: two digits, and so much
// of the third as is known.
func discordWords() []string {
	var out []string
	for _, first := range []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"} {
		for _, second := range "AEIMQUYcgk" {
			out = append(out, first+string(second))
		}
	}
	return out
}
