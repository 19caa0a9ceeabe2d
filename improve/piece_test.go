package improve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/race"
	"github.com/trimtab/trimtab/internal/secret"
)

// piecesOf are what a reader is shown of a session.
func piecesOf(t *testing.T, r *tape, bytes int) []improve.Piece {
	t.Helper()
	scanner := secret.New(secret.Options{Private: true})
	f, err := improve.NewReflector(improve.Options{Session: r.id, Pieces: bytes, Redact: func(s string) string { s, _ = scanner.Redact(s); return s }})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.messages {
		f.See(m)
	}
	return f.Pieces()
}

func TestR20_PiecesAreThePersonsWordsRejectionsFailuresAndEnds(t *testing.T) {
	r := record("p").person("Add a mill to the river.").
		bash("go test ./...", "Exit code 1\n--- FAIL: TestMill\n    mill_test.go:3: no water", true).
		bash("cat README.md", "all fine", false).
		use("Bash", map[string]string{"command": "git commit -m x"}, "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nnot yet, lint first", true).
		model("The mill is done.").
		person("it is not, look again").
		host("[Request interrupted by user]").
		person("stop, that is the wrong river")
	var got []string
	for _, p := range piecesOf(t, r, 4000) {
		first, _, _ := strings.Cut(p.Text, "\n")
		got = append(got, fmt.Sprintf("%s %s: %s", p.Message, p.Kind, first))
	}
	want := []string{
		"p-1 person: Add a mill to the river.", "p-3 failure: --- FAIL: TestMill mill_test.go:3: no water", "p-7 rejection: not yet, lint first",
		"p-8 agent: The mill is done.", "p-9 person: it is not, look again", "p-11 interrupt: stop, that is the wrong river",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestR20_PiecesKeepToTheirBudget(t *testing.T) {
	r, n := record("big"), 500
	if race.Enabled {
		n = 50
	}
	for i := range n {
		r.person(fmt.Sprintf("word %d %s", i, strings.Repeat("about the mill ", 100))).bash(fmt.Sprint("make ", i), fmt.Sprintf("Exit code 2\nerror: part %d is missing", i), true).model(strings.Repeat("done ", 500))
	}
	for _, budget := range []int{500, 4000, 24000} {
		sum, kinds := 0, map[improve.PieceKind]int{}
		for _, p := range piecesOf(t, r, budget) {
			sum += len(p.Text)
			kinds[p.Kind]++
		}
		if sum > budget || budget > 4000 && (sum < budget/2 || len(kinds) != 3) {
			t.Errorf("%d bytes of %d, %v", sum, budget, kinds)
		}
	}
	if p := piecesOf(t, r, 0); p != nil {
		t.Errorf("%d pieces that nobody asked for", len(p))
	}
	if p := piecesOf(t, record("ours").person(improve.Mark+" read\n\nYou read").model("ok").person("and?"), 4000); p != nil {
		t.Errorf("our own work is read: %v", p)
	}
}

// Secrets in every field, and at every place where a text is cut.
func TestR20_NoSecretLeavesInAPiece(t *testing.T) {
	key := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for at := 0; at < 9000; at += 211 {
		pad := strings.Repeat("lorem ipsum ", at/12+1)[:at]
		text := pad + " " + key + " and " + pad
		r := record(key).person(text).
			use("Bash "+key, map[string]string{"command": "curl " + text}, "Exit code 1\nerror: "+text, true).
			use("Bash", map[string]string{"command": text}, "The user doesn't want to proceed with this tool use. The tool use was rejected. the user said:\n"+text, true).
			model(text).person("no, " + text)
		for _, p := range piecesOf(t, r, 24000) {
			if strings.Contains(p.Text, key[10:24]) {
				t.Fatalf("secret behind %d bytes: %q", at, p.Text)
			}
		}
	}
}

func TestR20_PiecesOfOddSessions(t *testing.T) {
	for name, r := range map[string]*tape{
		"empty":   record("x"),
		"huge":    record("x").person(strings.Repeat("x", 5<<20)).model(strings.Repeat("é", 3<<20)),
		"no utf8": record("x").person("bad \xff\xfe bytes").model("\xc3").bash("x\x00y", "Exit code 1\n\xff", true),
		"no ids":  {id: "x", messages: []trimtab.Message{trimtab.Prompt("do it"), trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "done"), trimtab.Prompt("no, not so")}},
	} {
		pieces := piecesOf(t, r, 24000)
		for _, p := range pieces {
			if p.Message == "" || p.Text == "" || strings.ToValidUTF8(p.Text, "") != p.Text {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if name != "empty" && len(pieces) == 0 {
			t.Errorf("%s: nothing to read", name)
		}
	}
}
