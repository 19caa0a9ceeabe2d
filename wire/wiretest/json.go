package wiretest

import (
	"fmt"
	"strconv"
	"unicode/utf16"
)

// obj is an object whose members have an order, arr an array, lit a value as it
// is to be written.
type (
	obj []mem
	mem struct {
		K string
		V any
	}
	arr []any
	lit string
)

// add appends a member and returns the object.
func (o obj) add(k string, v any) obj { return append(o, mem{k, v}) }

// style is how a client writes JSON.
type style struct {
	*Chance
	space   bool // white space wherever it may stand
	reorder bool // members in any order
	escapes bool // characters that need no escape have one
	names   bool // names are escaped, too
}

func (c *Chance) style() style {
	return style{Chance: c, space: c.One(4), reorder: c.One(4), escapes: c.One(4), names: c.One(40)}
}

// plain writes as most clients do.
func plain(c *Chance) style { return style{Chance: c} }

func (s style) ws(dst []byte) []byte {
	for s.space && !s.One(3) {
		dst = append(dst, " \n\t\r"[s.N(4)])
	}
	return dst
}

func (s style) value(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case lit:
		return append(dst, v...)
	case string:
		return s.text(dst, v, s.escapes)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case arr:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = s.ws(s.value(s.ws(dst), e))
		}
		if len(v) == 0 {
			dst = s.ws(dst)
		}
		return append(dst, ']')
	case obj:
		return s.object(dst, v)
	}
	panic(fmt.Sprintf("no JSON for %T", v))
}

func (s style) object(dst []byte, o obj) []byte {
	if s.reorder {
		o = append(obj(nil), o...)
		shuffle(s.Chance, o)
	}
	dst = append(dst, '{')
	for i, m := range o {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.ws(s.text(s.ws(dst), m.K, s.names && s.One(3)))
		dst = append(dst, ':')
		dst = s.ws(s.value(s.ws(dst), m.V))
	}
	if len(o) == 0 {
		dst = s.ws(dst)
	}
	return append(dst, '}')
}

func (s style) text(dst []byte, text string, escapes bool) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n' && !(escapes && s.One(4)):
			dst = append(dst, `\n`...)
		case r == '\t' && !escapes:
			dst = append(dst, `\t`...)
		case r == '/' && escapes && s.One(2):
			dst = append(dst, `\/`...)
		case r < ' ' || escapes && s.One(12):
			if r > 0xFFFF {
				a, b := utf16.EncodeRune(r)
				dst = fmt.Appendf(dst, `\u%04x\u%04X`, a, b)
			} else {
				dst = fmt.Appendf(dst, `\u%04x`, r)
			}
		default:
			dst = append(dst, string(r)...)
		}
	}
	return append(dst, '"')
}
