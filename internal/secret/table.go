package secret

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// gitleaksTable are the forms of tokens that gitleaks knows, made by bench/secret from
// its rules and dated in its first line. A newer gitleaks is a newer file.
//
//go:embed gitleaks.txt
var gitleaksTable string

// withTable adds to our own forms those of the table whose words none of ours begins
// with: ours are wider, and their kinds are those that documents name.
func withTable(own []token) []token {
	var words []string
	for _, t := range own {
		words = append(words, t.words...)
	}
	for line := range strings.Lines(gitleaksTable) {
		t, ok := tableRow(line)
		if !ok {
			continue
		}
		t.words = slices.DeleteFunc(t.words, func(w string) bool {
			return slices.ContainsFunc(words, func(known string) bool { return strings.HasPrefix(w, known) })
		})
		if len(t.words) > 0 {
			own = append(own, t)
		}
	}
	return own
}

// tableRow reads a row. One that cannot be read becomes a token whose form cannot, which
// a test looks for.
func tableRow(line string) (token, bool) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return token{}, false
	}
	fields := strings.Split(line, "\t")
	if len(fields) != 4 {
		return token{kind: "unreadable", words: []string{line}, after: "{"}, true
	}
	bits, err := strconv.ParseFloat(fields[3], 64)
	if err != nil {
		return token{kind: fmt.Sprintf("unreadable: %v", err), words: []string{line}, after: "{"}, true
	}
	return token{kind: fields[0], words: strings.Fields(fields[1]), after: fields[2], edge: true, bits: bits}, true
}
