// Package plural says how many of a thing there are, for people and for models.
//
//	plural.Count(1, "file")               // 1 file
//	plural.Count(3, "file")               // 3 files
//	plural.Irregular(3, "entry", "entries") // 3 entries
//	plural.Grouped(12345, "token")        // 12,345 tokens
package plural

import "strconv"

// Count is a number of things whose plural ends in s.
func Count(n int, one string) string { return Irregular(n, one, one+"s") }

// Irregular is a number of things that have a plural of their own.
func Irregular(n int, one, many string) string { return choose(n, strconv.Itoa(n), one, many) }

// Grouped is like Count, with commas between the thousands.
func Grouped(n int, one string) string { return choose(n, Thousands(n), one, one+"s") }

func choose(n int, number, one, many string) string {
	if n == 1 {
		return number + " " + one
	}
	return number + " " + many
}

// Thousands writes a number with commas between its thousands.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	first := 0 // behind the sign
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
