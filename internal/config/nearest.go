package config

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nearest returns the known word that was most likely meant, or "" where none
// is near: one that differs in case only, then the one the fewest slips away (a
// letter wrong, missing, too much, or two swapped), then the only one that
// begins with the word.
func Nearest(word string, known []string) string {
	const longest = 64
	letters := utf8.RuneCountInString(word)
	if letters == 0 || letters > longest {
		return ""
	}
	best, least := "", 1+slips(letters)
	begins, ambiguous := "", false
	low := lower(word)
	for _, k := range known {
		other := lower(k)
		if len(other) > longest {
			continue
		}
		if d := distance(low, other); d < least {
			best, least = k, d
		}
		if letters >= 3 && strings.HasPrefix(string(other), string(low)) {
			ambiguous = begins != ""
			begins = k
		}
	}
	if best == "" && !ambiguous {
		return begins
	}
	return best
}

// slips is how many a word of this length may have.
func slips(letters int) int {
	switch {
	case letters < 2:
		return 0
	case letters <= 4:
		return 1
	case letters <= 8:
		return 2
	}
	return 3
}

func lower(s string) []rune {
	runes := []rune(s)
	for i, r := range runes {
		runes[i] = unicode.ToLower(r)
	}
	return runes
}

// distance counts the slips between two words.
func distance(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
