package secret

import (
	"encoding/base64"
	"slices"
)

// wrapped are the words that are looked for in base64 too: the secrets that
// people meet most, and what stands beside a secret in a file.
func wrapped() []string {
	return []string{
		"-----BEGIN", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-", "hooks.slack.com",
		"sk-ant-", "sk-proj-", "sk-svcacct-", "sk-or-v1-", "AIza", "GOCSPX-", "sk_live_", "sk_test_", "rk_live_", "whsec_", "npm_", "pypi-AgE", "dop_v1_",
		"hf_", "gsk_", "hvs.", "SG.", "shpat_", "dckr_pat_", "AGE-SECRET-KEY-1", "eyJ", "eyJhbGci", "eyJ0eXAi", "password", "PASSWORD", "Password", "passwd",
		"secret", "SECRET", "Secret", "_authToken", "token", "TOKEN", "AccountKey", "api_key", "API_KEY", "apiKey", "Bearer ",
	}
}

type form struct {
	phase int
	text  string
}

// lead is how many characters of a group stand before those that a word alone
// decides, for a word that begins with the first, second or third byte of it.
var lead = [3]int{0, 2, 3}

// base64Forms returns the characters that a word gives wherever it stands in
// base64, whatever stands around it: one form a phase, two where the alphabets
// of files and of URLs differ. A form of fewer than four characters is left out.
func base64Forms(w string) []form {
	var out []form
	for phase := range 3 {
		padded := append(make([]byte, phase), w...)
		sure := len(padded) * 8 / 6 // characters without a bit of what follows
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			f := form{phase, enc.EncodeToString(padded)[:sure][lead[phase]:]}
			if len(f.text) >= 4 && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// The window of base64 that is looked into at once, in characters.
const (
	windowBack  = 512
	windowAhead = 16 << 10
	wrapWidth   = 60 // a shorter line is not one that was broken for its length
)

// unwrap looks into the base64 around a word of it.
func (p *pass) unwrap(start, phase int) {
	if p.depth > 1 || start < lead[phase] {
		return
	}
	from := start - lead[phase]
	class := from & 3
	if start < p.decoded[class] {
		return
	}
	for n := 0; n < windowBack && from >= 4 && sextets(p.text[from-4:from]); n += 4 {
		from -= 4
	}
	inside, places := p.decode(from)
	p.inside(string(inside), func(start, end int) (int, int) {
		return places[start/3*4], places[min((end-1)/3*4+3, len(places)-1)] + 1
	})
}

// inside looks at a text that this one holds in another form. Where its findings
// stand in this one is told by place.
func (p *pass) inside(text string, place func(start, end int) (int, int)) {
	in := &pass{text: text, rules: p.rules, depth: p.depth + 1}
	in.run()
	for _, h := range in.found {
		h.Start, h.End = place(h.Start, h.End)
		p.found = append(p.found, h)
	}
}

// decode reads base64 from a place on, over the ends of lines that were broken
// for their length, and returns the place of each character it read.
func (p *pass) decode(from int) (inside []byte, places []int) {
	var bits uint32
	i, line := from, 0
	p.decoded[from&3] = max(p.decoded[from&3], from)
	class := from & 3
	for i < len(p.text) && len(places) < windowAhead {
		v := sextet(p.text[i])
		if v < 0 {
			next := lineEnd(p.text, i)
			if next == i || line < wrapWidth || next == len(p.text) || sextet(p.text[next]) < 0 {
				break
			}
			i, line = next, 0
			class = (i - len(places)) & 3
			continue
		}
		places = append(places, i)
		bits = bits<<6 | uint32(v) // 0 to 63
		if len(places)&3 == 0 {
			inside = append(inside, byte(bits>>16), byte(bits>>8), byte(bits))
			bits = 0
		}
		i, line = i+1, line+1
		p.decoded[class] = max(p.decoded[class], i)
	}
	switch len(places) & 3 {
	case 2:
		inside = append(inside, byte(bits>>4))
	case 3:
		inside = append(inside, byte(bits>>10), byte(bits>>2))
	}
	return inside, places
}

// lineEnd returns where the text goes on after the end of a line at i, plain or
// escaped, and its indentation; i where none is there.
func lineEnd(text string, i int) int {
	j := i
	for j < len(text) && j < i+40 {
		c, width := at(text, j)
		if !space(c) {
			break
		}
		j += width
	}
	return j
}

func sextets(s string) bool {
	for i := range len(s) {
		if sextet(s[i]) < 0 {
			return false
		}
	}
	return true
}

// sextet returns the value of a character of either alphabet, or -1.
func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}
