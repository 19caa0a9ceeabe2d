package tui

import (
	"os"
	"testing"
	"unicode/utf8"
)

// TestChat_A1_APasteThatStallsWithinALetterIsWhole: the library drops half a letter that it
// had to wait for.
func TestChat_A1_APasteThatStallsWithinALetterIsWhole(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	in := input(r)
	text := "a \U0001F1EE\U0001F1F7 می\u200c end"
	go func() {
		defer w.Close()
		for i := range len(text) { // a byte a read is the worst that can be
			_, _ = w.WriteString(text[i : i+1])
		}
	}()
	var got []byte
	for buf := make([]byte, 64); ; {
		n, err := in.Read(buf)
		if err != nil {
			break
		}
		if !utf8.Valid(buf[:n]) {
			t.Fatalf("a read ends within a character: %q", buf[:n])
		}
		got = append(got, buf[:n]...)
	}
	if string(got) != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

// What is no text at all comes through, with the next key at the latest.
func TestBytesThatAreNoTextAreNotHeldForGood(t *testing.T) {
	for _, text := range []string{"\xff", "\xe9x", "\xf0\x9f\x1b[A", "a\x80\x80\x80\x80"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.WriteString(text + "z")
		_ = w.Close()
		in, got := input(r), ""
		for buf := make([]byte, 64); ; {
			n, err := in.Read(buf)
			got += string(buf[:n])
			if err != nil {
				break
			}
		}
		_ = r.Close()
		if got != text+"z" {
			t.Errorf("%q came as %q", text+"z", got)
		}
	}
}
