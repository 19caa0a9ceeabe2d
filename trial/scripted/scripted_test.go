package scripted

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

const small = `# how it fails
fault 50
heed 100
part right
run true
say Done, and it was checked.

part fault
hear check => mend
run
  printf 'a\n' > a.txt

  printf 'b\n' > b.txt
todo [x] a; [ ] b
write c.sh
  echo c
run false
times 3
say All done.

part mend
run sh check.sh
say Now it is done.
`

// talk asks a model until it stops, and says something to it then.
func talk(m fakemodel.Script, said string) string {
	var items []fakemodel.Item
	var out []string
	tools := []fakemodel.Tool{{Name: "todo_write"}}
	for range 20 {
		rep := m(fakemodel.Request{Items: items, Tools: tools})
		if again := m(fakemodel.Request{Items: items, Tools: tools}); again.Text != rep.Text || len(again.Calls) != len(rep.Calls) {
			return "a request that is sent again gets another reply"
		}
		for _, c := range rep.Calls {
			out = append(out, c.Name+" "+string(c.Input))
			items = append(items, fakemodel.Item{Role: "assistant", Kind: fakemodel.Calling}, fakemodel.Item{Role: "tool", Kind: fakemodel.Result, Text: "check"})
		}
		if len(rep.Calls) > 0 {
			continue
		}
		out = append(out, rep.Text)
		if said == "" {
			break
		}
		items = append(items, fakemodel.Item{Role: "assistant", Kind: fakemodel.Text}, fakemodel.Item{Role: "user", Kind: fakemodel.Text, Text: said})
		said = ""
	}
	return strings.Join(out, "\n")
}

// A script fails by chance, the same chance for the same seed, and heeds a note, unless the
// model is deaf. What a tool says is no note.
func TestAScriptIsPlayed(t *testing.T) {
	s, err := Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for seed := range uint64(100) {
		heard := talk(play(s, seed, false), "Before you stop: run the CHECK (Trimtab)")
		if heard != talk(play(s, seed, false), "Before you stop: run the CHECK (Trimtab)") {
			t.Fatal("the same seed is another run")
		}
		deaf, unsigned := talk(play(s, seed, true), "Check (Trimtab)"), talk(play(s, seed, false), "Check!")
		switch {
		case strings.Contains(heard, "it was checked"):
			kinds["right"]++
		case strings.Contains(heard, "Now it is done") && !strings.Contains(deaf, "Now it is") && !strings.Contains(unsigned, "Now it is"):
			kinds["mended"]++
		default:
			t.Fatalf("%s\n\n%s\n\n%s", heard, deaf, unsigned)
		}
		if strings.Contains(heard, "All done") && (!strings.Contains(heard, `cat \u003e 'c.sh' \u003c\u003c'END'\necho c\nEND`) || strings.Count(heard, `"false"`) != 3 || !strings.Contains(heard, `printf 'a\\n' \u003e a.txt\n\nprintf`) || !strings.Contains(heard, `{"content":"b","status":"pending"}`)) {
			t.Fatal(heard)
		}
	}
	if kinds["right"] < 30 || kinds["mended"] < 30 {
		t.Error(kinds)
	}
}

func TestBadScriptsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no part fault",
		"run a":                              "line 1: \"run\" stands before",
		"fault 101":                          "line 1: \"101\"",
		"fault 50\npart fault\nsay a":        "no part right",
		"part fault\nhear a => b\nsay c":     "goes on with b",
		"part fault\nhear a":                 "line 2",
		"part fault\ntimes 3":                "line 2",
		"part fault\nsay":                    "line 2",
		"part fault\nrun\nsay a":             "without a command",
		"part fault\nwrite a b":              "line 2",
		"part fault\nsing":                   "line 2: \"sing\"",
		"part fault\npart fault":             "line 2",
		"part fault\nsay a\ntimes 2001":      "line 3",
		"part fault\nsay a\ntimes 2000\nsay": "line 4",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil {
			_ = talk(play(s, 1, false), "check trimtab")
		}
	})
}
