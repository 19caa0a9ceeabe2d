package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table in internal/secret is what this version of gitleaks makes.
func TestTheTableIsUpToDate(t *testing.T) {
	have, err := os.ReadFile(filepath.Join("..", "..", "internal", "secret", "gitleaks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(have), "\n")
	date := strings.TrimSuffix(first[strings.LastIndex(first, " ")+1:], ".")
	var want bytes.Buffer
	if err := table(&want, date); err != nil {
		t.Fatal(err)
	}
	// A test binary knows no versions; the rows are what counts.
	_, rows, _ := strings.Cut(want.String(), "\n")
	_, written, _ := strings.Cut(string(have), "\n")
	if rows != written {
		t.Errorf("go run . -table DATE > ../../internal/secret/gitleaks.txt makes another table")
	}
}
