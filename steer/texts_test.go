package steer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJ5_EveryNoteSaysWhoSpeaks: whatever is put into a conversation says that it is not
// the person who speaks. The texts of modes are left out, as the seed gives them by the
// letter: who speaks stands behind them (TestJ5_AModeSaysWhoSpeaksAndUntilWhen).
func TestJ5_EveryNoteSaysWhoSpeaks(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*/*.md", "focus/prompt/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 10 {
		t.Fatalf("only %d texts: %v", len(files), files)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if !strings.Contains(text, "Trimtab") {
			t.Errorf("%s does not say who speaks:\n%s", file, text)
		}
		for _, nag := range []string{"MUST", "IMPORTANT", "CRITICAL", "You must", "system"} {
			if strings.Contains(text, nag) {
				t.Errorf("%s has the tone of an order: %q", file, nag)
			}
		}
	}
}
