package improve

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEndsNamedMissesNoExitCode: what is passed over without a search holds none of the
// ways of telling an exit code, whatever their case.
func TestEndsNamedMissesNoExitCode(t *testing.T) {
	ways := []string{"exit code: ", "Exit Code ", "exited with code ", "<returncode>", "EXIT_CODE\":", "exit status ", "<ReturnCode>"}
	pieces := append([]string{"e", "x", "xit", "exi", "<", "<return", "returncode", "3", " ", "ex", "é"}, ways...)
	r := rand.New(rand.NewPCG(5, 6))
	told := 0
	for range 20000 {
		text := ""
		for range r.IntN(5) {
			text += pieces[r.IntN(len(pieces))]
		}
		low := strings.ToLower(text)
		for _, w := range ways {
			if strings.Contains(low, strings.ToLower(w)) && !endsNamed(text) {
				t.Fatalf("%q is passed over", text)
			}
		}
		if _, ok := exitCode(text); ok {
			told++
		}
	}
	if told < 300 {
		t.Errorf("only %d texts told a code", told)
	}
}
