package mcp

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxHint is how much of what a host tells of itself is read, in bytes.
const maxHint = 48 << 10

// clip cuts a text to so many characters, and says so.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// cut cuts a text to so many bytes, and says how many there were.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head := s[:most]
	for !utf8.ValidString(head) && len(head) > most-utf8.UTFMax {
		head = head[:len(head)-1]
	}
	return head + "\n… cut here: " + strconv.Itoa(len(s)) + " bytes"
}
