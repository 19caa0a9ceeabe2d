package main

import (
	"strings"
	"testing"
)

// TestNothingIsListedTwice: what is short for a verb of another command is not
// listed at the top, and nothing is called short that is not there.
func TestNothingIsListedTwice(t *testing.T) {
	a := &app{}
	root := rootCommand(a)
	listed := map[string]bool{}
	for _, c := range root.Commands() {
		listed[c.Name()] = !c.Hidden
		if c.GroupID == "" {
			t.Errorf("%s is in no group", c.Name())
		}
	}
	for short, long := range shortFor {
		shown, there := listed[short]
		if !there || shown {
			t.Errorf("%s: declared %v, listed %v; it is short for %s", short, there, shown, long)
		}
		parent, _, _ := strings.Cut(long, " ")
		if !listed[parent] {
			t.Errorf("%s is short for %s, and %s is not listed", short, long, parent)
		}
	}
}
