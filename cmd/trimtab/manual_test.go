package main

import (
	"os"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/manual"
)

// The page of commands says what the commands say.
func TestThePageOfCommandsIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := manual.Markdown(&b, rootCommand(&app{})); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(page) {
		t.Error("docs/commands.md is not what the commands say; make docs writes it")
	}
}
