package secret

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

const (
	knownMin  = 4      // the shortest value that is taken out wherever it stands
	knownHead = 64     // so much of a form the filter looks for; the rest is compared
	knownSize = 40_000 // the states of one filter
)

// known are exact values in every form in which they may be written.
type known struct {
	batches []batch
}

// batch is as many forms as fit one filter.
type batch struct {
	filter *filter
	forms  []knownForm
}

type knownForm struct {
	text   string
	base64 bool // the characters beside it hold bits of the value
}

func newKnown(values []string) *known {
	k := &known{}
	var forms []knownForm
	seen := map[string]bool{}
	for _, v := range values {
		if len(v) < knownMin {
			continue
		}
		for _, text := range written(v) {
			if !seen[text] {
				seen[text] = true
				forms = append(forms, knownForm{text, false})
			}
		}
		if len(v) < 6 { // its sure characters in base64 are in many texts
			continue
		}
		for _, f := range base64Forms(v) {
			if !seen[f.text] {
				seen[f.text] = true
				forms = append(forms, knownForm{f.text, true})
			}
		}
	}
	for len(forms) > 0 {
		n, size := 0, 0
		var words []string
		for n < len(forms) && size < knownSize {
			words = append(words, forms[n].text[:min(len(forms[n].text), knownHead)])
			size += len(words[n])
			n++
		}
		if f, ok := newFilter(words); ok { // always: size is far below the limit
			k.batches = append(k.batches, batch{f, forms[:n]})
		}
		forms = forms[n:]
	}
	return k
}

// find adds the places of the values to what was found.
func (k *known) find(text string, found []hit) []hit {
	for _, b := range k.batches {
		b.filter.each(text, func(end int, words []int32) {
			for _, w := range words {
				f := &b.forms[w]
				start := end - min(len(f.text), knownHead)
				to := end
				for to < len(text) && to-start < len(f.text) && text[to] == f.text[to-start] {
					to++
				}
				if f.base64 {
					start, to = spread(text, start, to)
				}
				found = append(found, hit{Finding{"known", start, to}, false})
			}
		})
	}
	return found
}

// spread takes in the characters of base64 on either side that hold some bits
// of the value.
func spread(text string, start, end int) (int, int) {
	if start > 0 && sextet(text[start-1]) >= 0 {
		start--
	}
	if end < len(text) && sextet(text[end]) >= 0 {
		end++
	}
	return start, end
}

// written returns a value in the forms in which programs write it: as it is, in
// JSON once and twice, in URLs, in HTML, for a shell, in hexadecimal.
func written(v string) []string {
	once := inJSON(v, false)
	out := []string{
		v, once, inJSON(once, false), inJSON(v, true), inJSON(inJSON(v, true), true), strings.ReplaceAll(once, "/", `\/`), inASCII(once),
		url.QueryEscape(v), url.PathEscape(v), lowerEscapes(url.QueryEscape(v)), lowerEscapes(url.PathEscape(v)), everyEscape(v),
		html.EscapeString(v), strings.ReplaceAll(v, `'`, `'\''`),
	}
	if len(v) >= 6 {
		out = append(out, hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
	}
	if flat := strings.ReplaceAll(v, "\n", "\r\n"); flat != v {
		out = append(out, flat)
	}
	return out
}

func inJSON(v string, angles bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(angles)
	if enc.Encode(v) != nil {
		return v
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// inASCII writes what is not ASCII as \u and four digits.
func inASCII(v string) string {
	var b strings.Builder
	for _, r := range v {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(v string) string {
	b := []byte(v)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			b[i+1], b[i+2] = lower(b[i+1]), lower(b[i+2])
		}
	}
	return string(b)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// everyEscape escapes all that is not a letter or a digit, as JavaScript's older
// functions and some proxies do.
func everyEscape(v string) string {
	var b strings.Builder
	for i := range len(v) {
		if alnum(v[i]) {
			b.WriteByte(v[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", v[i])
		}
	}
	return b.String()
}
