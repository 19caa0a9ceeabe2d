package automata

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestMentionedIsThePattern: what is looked for first must not miss what the pattern
// finds.
func TestMentionedIsThePattern(t *testing.T) {
	pattern := regexp.MustCompile(`(?i)automata`)
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aAuUtToOmMſKé \n")
	found := 0
	for range 20000 {
		var text []rune
		for range r.IntN(12) {
			text = append(text, letters[r.IntN(len(letters))])
		}
		if r.IntN(2) == 0 {
			word := []rune("automata")
			for i := range word {
				if r.IntN(2) == 0 {
					word[i] += 'A' - 'a'
				}
			}
			if r.IntN(3) == 0 {
				word[r.IntN(len(word))] = letters[r.IntN(len(letters))]
			}
			text = append(text, word...)
		}
		for range r.IntN(4) {
			text = append(text, letters[r.IntN(len(letters))])
		}
		want := pattern.MatchString(string(text))
		if want {
			found++
		}
		if got := mentioned(string(text)); got != want {
			t.Fatalf("%q: %v", string(text), got)
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts held the word", found)
	}
}
