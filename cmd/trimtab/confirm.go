package main

import (
	"bufio"
	"strings"
)

// confirm asks a person a question that no answers by default.
func (a *app) confirm(question string) bool {
	_ = cleanf(a.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && line == "" {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
