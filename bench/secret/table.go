package main

import (
	"fmt"
	"io"
	"regexp/syntax"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/detect"
)

// table writes the rules of gitleaks that know a token by its own form, in the notation
// of internal/secret: a name, the words that the issuer puts first, the form of what
// follows, the least entropy. Rules that know a secret by what stands beside it are left
// out: internal/secret has its own for those. Only facts are taken, which is what a
// token looks like; gitleaks' code and texts stay there.
func table(w io.Writer, date string) error {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "# Forms of tokens, made by bench/secret -table from the rules of gitleaks %s (MIT licence) on %s.\n# Do not edit: our own are in issuer.go. A row is a kind, words, the form behind them, the least entropy.\n", released(), date)
	var rows []string
	for id, r := range d.Config.Rules {
		if r.Regex == nil {
			continue
		}
		words, form, ok := tokenForm(r.Regex.String())
		if !ok {
			continue
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%g", id, strings.Join(words, " "), form, r.Entropy))
	}
	slices.Sort(rows)
	for _, row := range rows {
		fmt.Fprintln(w, row)
	}
	return nil
}

// released is the version of the module that this program was built with.
func released() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/zricethezav/gitleaks/v8" {
				return m.Version
			}
		}
	}
	return "of an unknown version"
}

// The limits of a form that is taken.
const (
	leastWord = 3   // letters of a word
	mostWords = 16  // words of a rule
	leastForm = 16  // characters behind the word
	longForm  = 250 // where a rule has no end
)

// tokenForm reads an expression as words followed by runs of characters.
func tokenForm(expression string) (words []string, form string, ok bool) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, "", false
	}
	parts := flat(re)
	words = []string{""}
	i := 0
	for ; i < len(parts); i++ {
		more, literal := literals(parts[i])
		if !literal || len(more)*len(words) > mostWords {
			break
		}
		var next []string
		for _, w := range words {
			for _, m := range more {
				next = append(next, w+m)
			}
		}
		words = next
	}
	least := 0
	for ; i < len(parts); i++ {
		text, low, ok := charRun(parts[i])
		if !ok {
			if i == len(parts)-1 && least >= leastForm { // what ends the token
				break
			}
			return nil, "", false
		}
		form += text
		least += low
	}
	short := func(w string) bool { return len(w) < leastWord || strings.ContainsAny(w, " \t") }
	return words, form, least >= leastForm && form != "" && !slices.ContainsFunc(words, short)
}

// flat lists what stands one after the other, without captures and boundaries.
func flat(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return flat(re.Sub[0])
	case syntax.OpConcat:
		var out []*syntax.Regexp
		for _, sub := range re.Sub {
			out = append(out, flat(sub)...)
		}
		return out
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEmptyMatch:
		return nil
	}
	return []*syntax.Regexp{re}
}

// literals are the texts that a part may be, where it is nothing but text.
func literals(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 && strings.ToLower(text) != strings.ToUpper(text) {
			return []string{strings.ToLower(text), strings.ToUpper(text)}, true
		}
		return []string{text}, true
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			more, ok := literals(sub)
			if !ok {
				return nil, false
			}
			out = append(out, more...)
		}
		return out, true
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			more, ok := literals(sub)
			if !ok || len(more)*len(out) > mostWords {
				return nil, false
			}
			var next []string
			for _, a := range out {
				for _, b := range more {
					next = append(next, a+b)
				}
			}
			out = next
		}
		return out, true
	case syntax.OpCharClass: // [abc] as three texts, where they are few
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if out = append(out, string(r)); len(out) > 4 {
					return nil, false
				}
			}
		}
		return out, true
	}
	return nil, false
}

// charRun is a part as a run of characters, and how many there are at least.
func charRun(re *syntax.Regexp) (text string, low int, ok bool) {
	low, high := 1, 1
	switch re.Op {
	case syntax.OpRepeat:
		low, high, re = re.Min, re.Max, re.Sub[0]
	case syntax.OpPlus:
		low, high, re = 1, -1, re.Sub[0]
	case syntax.OpStar:
		low, high, re = 0, -1, re.Sub[0]
	case syntax.OpQuest:
		low, high, re = 0, 1, re.Sub[0]
	case syntax.OpLiteral:
		var out string
		for _, r := range re.Rune {
			one, _, ok := class([]rune{r, r})
			if !ok {
				return "", 0, false
			}
			out += one
		}
		return out, len(re.Rune), true
	}
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if high < 0 {
		high = max(low, longForm)
	}
	var set string
	switch re.Op {
	case syntax.OpCharClass:
		set, _, ok = class(re.Rune)
	case syntax.OpLiteral:
		if len(re.Rune) != 1 {
			return "", 0, false
		}
		set, _, ok = class([]rune{re.Rune[0], re.Rune[0]})
	}
	if !ok {
		return "", 0, false
	}
	return fmt.Sprintf("%s{%d,%d}", set, low, high), low, true
}

// class writes a set of ASCII characters that a token may hold.
func class(ranges []rune) (string, int, bool) {
	var b strings.Builder
	b.WriteByte('[')
	dash := false
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		if from == 0x17f || from == 0x212a { // what folding adds to s and k
			continue
		}
		if from <= ' ' || to >= 0x7f || from <= ']' && to >= '[' {
			return "", 0, false
		}
		switch {
		case from == '-' && to == '-':
			dash = true
		case from == to:
			b.WriteRune(from)
		case from < '-' && to > '-' || from == '-':
			for r := from; r <= to; r++ {
				if r == '-' {
					dash = true
				} else {
					b.WriteRune(r)
				}
			}
		default:
			fmt.Fprintf(&b, "%c-%c", from, to)
		}
	}
	if dash {
		b.WriteByte('-')
	}
	b.WriteByte(']')
	return b.String(), b.Len(), b.Len() > 2
}
