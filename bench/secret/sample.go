package main

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
)

// sampler writes texts that a regular expression matches.
type sampler struct {
	rand *rand.Rand
}

// of returns a text for an expression, or "" where there is none.
func (s sampler) of(expression string) string {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	s.write(&b, re)
	return b.String()
}

func (s sampler) write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 { // either case; issuers write the small one
			text = strings.ToLower(text)
		}
		b.WriteString(text)
	case syntax.OpCharClass:
		b.WriteRune(s.oneOf(re.Rune))
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[s.rand.IntN(36)])
	case syntax.OpCapture:
		s.write(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s.write(b, sub)
		}
	case syntax.OpAlternate:
		s.write(b, re.Sub[s.rand.IntN(len(re.Sub))])
	case syntax.OpStar:
		s.repeat(b, re.Sub[0], 0, 3)
	case syntax.OpPlus:
		s.repeat(b, re.Sub[0], 1, 12)
	case syntax.OpQuest:
		s.repeat(b, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		high := re.Max
		if high < 0 || high > re.Min+40 {
			high = re.Min + 40
		}
		s.repeat(b, re.Sub[0], re.Min, high)
	default: // anchors and boundaries are left to what stands around
	}
}

func (s sampler) repeat(b *strings.Builder, re *syntax.Regexp, low, high int) {
	for range low + s.rand.IntN(high-low+1) {
		s.write(b, re)
	}
}

// oneOf picks a character of a class: of the ASCII ones that print where it has
// any, letters and digits more often than signs.
func (s sampler) oneOf(ranges []rune) rune {
	var plain, signs []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < 0x7F; r++ {
			switch {
			case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
				plain = append(plain, r)
			case r >= ' ' || r == '\t' || r == '\n':
				signs = append(signs, r)
			}
		}
	}
	if len(plain) > 0 && (len(signs) == 0 || s.rand.IntN(20) > 0) {
		return plain[s.rand.IntN(len(plain))]
	}
	if len(signs) > 0 {
		return signs[s.rand.IntN(len(signs))]
	}
	return ranges[0]
}
