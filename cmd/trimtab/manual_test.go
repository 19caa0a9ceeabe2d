package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/manual"
)

// The pages of commands and settings say what the program does.
func TestThePagesOfCommandsAndSettingsAreCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := manual.Markdown(&b, rootCommand(&app{})); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(page) {
		t.Error("docs/reference/commands.md is not what the commands say; make docs writes it")
	}
	b.Reset()
	schema, err := config.Schema[Settings](schemaID)
	if err == nil {
		err = manual.Settings(&b, schema)
	}
	if page, bad := os.ReadFile("../../docs/reference/all-settings.md"); err != nil || bad != nil || b.String() != string(page) {
		t.Errorf("docs/reference/all-settings.md is not what the settings say; make docs writes it: %v", errors.Join(err, bad))
	}
}
