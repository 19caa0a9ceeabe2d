package tool

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// maxCompared bounds the search for a near miss, in lines compared.
const maxCompared = 1 << 20

// nearMiss says, for the model, what in a text comes closest to what it looked
// for in vain, and in what it differs.
func nearMiss(text, old string) string {
	have, want := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\n"), "\n")
	lean, sought := squeeze(have), squeeze(want)
	at, most, left := -1, 0, maxCompared
	for i := range have {
		n := 0
		for n < len(want) && i+n < len(have) && left > 0 && lean[i+n] == sought[n] {
			n++
			left--
		}
		if left--; left <= 0 {
			break
		}
		if n > most && !blank(want[:n]) {
			at, most = i, n
		}
	}
	switch {
	case at < 0 && strings.Contains(strings.ToLower(text), strings.ToLower(old)):
		return "it does with other upper and lower case letters; read the file and copy the text exactly"
	case at < 0:
		return "not even its first line; read the file and copy the text exactly"
	case most == len(want):
		for n := range want {
			if strings.TrimRight(have[at+n], "\r") != want[n] {
				return fmt.Sprintf("line %d differs in white space only: the file has %q, old_text has %q", at+n+1, trimtab.Clip(have[at+n], 120), trimtab.Clip(want[n], 120))
			}
		}
		return fmt.Sprintf("its lines stand at line %d, but not alone on them, or with another line end", at+1)
	case at+most >= len(have):
		return fmt.Sprintf("it begins at line %d, but the file ends after line %d", at+1, len(have))
	}
	return fmt.Sprintf("it begins at line %d, but line %d is another: the file has %q, old_text has %q", at+1, at+most+1, trimtab.Clip(have[at+most], 120), trimtab.Clip(want[most], 120))
}

// squeeze takes out what often goes wrong in copying: white space.
func squeeze(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Join(strings.Fields(l), " ")
	}
	return out
}

func blank(lines []string) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return false
		}
	}
	return true
}
