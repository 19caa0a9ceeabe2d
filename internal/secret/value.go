package secret

import (
	"math"
	"strings"
)

// sample is how much of a value is looked at to judge it.
const sample = 256

// entropy returns the bits that a character of s carries, counted on s alone.
func entropy(s string) float64 {
	s = s[:min(len(s), sample)]
	if s == "" {
		return 0
	}
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 1 {
			sum += float64(c) * math.Log2(float64(c))
		}
	}
	return math.Log2(n) - sum/n
}

// example reports what documents write in the place of a secret.
func example(s string) bool {
	for _, w := range []string{"EXAMPLE", "xxxxx", "XXXXX", "*****", ".....", "_____"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// charClasses counts the classes of characters in a value.
type charClasses struct {
	lower, upper, digit, sign int
	hex                       bool // nothing but hexadecimal digits and dashes
	other                     bool // what no key holds: blanks, brackets, control characters
}

func classesOf(s string) (m charClasses) {
	m.hex = true
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z':
			m.lower++
			m.hex = m.hex && c <= 'f'
		case c >= 'A' && c <= 'Z':
			m.upper++
			m.hex = m.hex && c <= 'F'
		case c >= '0' && c <= '9':
			m.digit++
		default:
			m.sign++
			m.hex = m.hex && c == '-'
			m.other = m.other || c <= ' ' || c == 0x7F || strings.IndexByte("(){}[]<>,;\"'`|", c) >= 0
		}
	}
	return m
}

// scrambled reports letters of both cases in an order that no name has: many
// short runs, and hardly a letter twice.
func scrambled(s string, m charClasses) bool {
	if m.upper < 2 || m.lower < 2 || entropy(s) < 0.86*math.Log2(float64(min(len(s), 40))) {
		return false
	}
	odd, run := 0, 0
	for i := range len(s) {
		upper := s[i] >= 'A' && s[i] <= 'Z'
		if i > 0 && upper == (s[i-1] >= 'A' && s[i-1] <= 'Z') {
			run++
			continue
		}
		if i > 0 && (upper && run <= 2 || !upper && run >= 2) { // a short run of small letters ended, or a long one of capitals
			odd++
		}
		run = 1
	}
	return odd*6 >= len(s)
}

// uuid reports the usual form of 8-4-4-4-12 hexadecimal digits.
func uuid(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && classesOf(s).hex
}

// digest reports the length and the letters of a hash in hexadecimal.
func digest(s string, m charClasses) bool {
	if !m.hex || m.sign > 0 || m.upper > 0 && m.lower > 0 {
		return false
	}
	switch len(s) {
	case 32, 40, 56, 64, 96, 128:
		return true
	}
	return false
}

// placeholder reports a value that stands for a secret and is none: a variable,
// a template, a word such as "changeme", one letter again and again.
func placeholder(s string) bool {
	if s == "" || strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "$2") || example(s) {
		return true // $2 begins a bcrypt hash
	}
	switch s[0] {
	case '<', '{', '[', '(':
		return true
	case '%':
		return strings.HasSuffix(s, "%") || len(s) <= 3
	case '@':
		return strings.HasSuffix(s, "@")
	}
	if strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "$(") || strings.Contains(s, "...") {
		return true
	}
	if strings.Trim(s, s[:1]) == "" {
		return true
	}
	return standIn(strings.ToLower(strings.Trim(s, `!"'.,;:`)))
}

func standIn(s string) bool {
	switch s {
	case "password", "passwd", "passphrase", "pass", "pwd", "secret", "token", "apikey", "api_key", "api-key", "key", "changeme", "change-me", "change_me", "changeit",
		"redacted", "hidden", "removed", "masked", "none", "null", "nil", "true", "false", "undefined", "empty", "required", "optional", "example", "sample", "dummy", "fake",
		"test", "testing", "default", "string", "bytes", "value", "placeholder", "todo", "unset", "unknown", "user", "username", "admin", "root", "guest", "foobar",
		"postgres", "mysql", "redis", "localhost", "prompt", "stdin", "auto", "inherit", "mypassword", "mysecret", "mytoken", "yourpassword", "your-password",
		"username:password", "user:pass", "user:password", "test123", "password123", "pass123":
		return true
	}
	for _, lead := range []string{"your", "my_", "my-", "insert", "replace", "enter_", "enter-", "example", "dummy", "fake_", "fake-", "not_a_", "not-a-", "[redacted"} {
		if strings.HasPrefix(s, lead) {
			return true
		}
	}
	return false
}
