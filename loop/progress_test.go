package loop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

// wild makes a message that no host would write.
func wild(r *rand.Rand) trimtab.Message {
	text := func() string {
		pool := []string{"ok", "", "Error: no such file", "FAIL", "done 3 of 7", "\x00\xff\x1b[2J`", "still running", "Command timed out after 5s", "[]", "жук и 木"}
		if i := r.IntN(len(pool) + 2); i < len(pool) {
			return pool[i]
		}
		return prose(r, r.IntN(300)) + strings.Repeat("x ", r.IntN(2)*3000)
	}
	id := func() string { return fmt.Sprint("c", r.IntN(20)) }
	m := trimtab.Message{Role: []trimtab.Role{trimtab.RoleAssistant, trimtab.RoleTool, trimtab.RoleUser, trimtab.RoleSystem}[r.IntN(4)]}
	for range r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			m.Parts = append(m.Parts, trimtab.Text{Text: text(), By: []trimtab.Author{"", trimtab.Model, trimtab.Person, trimtab.Host}[r.IntN(4)]})
		case 1:
			input := []string{`{}`, ``, `{"command":"make`, `{"command":"go test","description":"d"}`, `[1,2]`, `{"file_path":"a.go","content":"x"}`}[r.IntN(6)]
			m.Parts = append(m.Parts, trimtab.ToolCall{ID: id(), Name: []string{"Bash", "Edit", "TodoWrite", "", "grep"}[r.IntN(5)], Input: []byte(input)})
		case 2:
			m.Parts = append(m.Parts, trimtab.ToolResult{ID: id(), Text: text(), Failed: r.IntN(3) == 0})
		default:
			m.Parts = append(m.Parts, trimtab.Opaque{Kind: "thinking"})
		}
	}
	return m
}

// A memory that was stored and loaded goes on as if nothing had happened, stays
// within its bounds, and is never written to once it was given away.
func TestMemoryIsAValueThatCanBeStoredAndStaysSmall(t *testing.T) {
	for i := range All() {
		name := All()[i].Name()
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			d := All()[i]
			other := All()[i]
			for n := range 400 {
				m := wild(r)
				a := d.See(m)
				if b := other.See(m); !cmp.Equal(a, b) {
					t.Fatalf("message %d: %v, and after being stored %v", n, a, b)
				}
				if a != nil && (a.By != name || a.Why == "" || a.Kind == "" || a.Level == "" || a.Times < 1 || len(a.Why) > 400 || strings.ContainsAny(a.Why, "\n\x1b\x00")) {
					t.Fatalf("not an alarm for a person: %+v", *a)
				}
				if n%25 != 0 {
					continue
				}
				raw, err := json.Marshal(other)
				if err != nil {
					t.Fatal(err)
				}
				if len(raw) > 80<<10 {
					t.Fatalf("message %d: a memory of %d bytes", n, len(raw))
				}
				other = All()[i]
				if err := json.Unmarshal(raw, other); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestAnOldMemoryIsLeftAsItWas(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	rule := defaultProgress()
	var mem ProgressMemory
	for range 200 {
		before, err := json.Marshal(mem)
		if err != nil {
			t.Fatal(err)
		}
		next, _ := rule.See(mem, wild(r))
		rule.See(mem, wild(r)) // another future of the same past
		if after, err := json.Marshal(mem); err != nil || string(after) != string(before) {
			t.Fatalf("a memory was written to: %v", err)
		}
		mem = next
	}
}

func TestADamagedMemoryIsRefusedAndTheOldOneKept(t *testing.T) {
	for _, d := range All() {
		calls := session(slices.Repeat([]turn{{"x", `{}`, "y", false}}, 2)...)
		steps(d, calls)
		before, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range []string{`[]`, `{`, `7`, `"` + strings.Repeat("x", maxMemory) + `"`} {
			if err := d.UnmarshalJSON([]byte(raw)); err == nil || !strings.Contains(err.Error(), d.Name()) {
				t.Errorf("%s: %.20s was taken: %v", d.Name(), raw, err)
			}
		}
		if after, err := json.Marshal(d); err != nil || string(after) != string(before) {
			t.Errorf("%s: a damaged memory changed it: %s", d.Name(), after)
		}
	}
}

func TestAnAlarmIsNotRepeatedAtEveryStep(t *testing.T) {
	got := steps(Start(defaultProgress()), session(slices.Repeat([]turn{{"Read", `{"file_path":"a.go"}`, "the same text as ever", false}}, 60)...))
	if want := []int{4, 7, 13, 25, 49}; !slices.Equal(got, want) {
		t.Errorf("fired at %v, want %v: from the second on each time after twice as long", got, want)
	}
}

func TestProgressEndsALoop(t *testing.T) {
	again := turn{"Read", `{"file_path":"a.go"}`, "the same text as ever", false}
	for name, moved := range map[string]turn{
		"a change":         {"Edit", `{"file_path":"a.go","old_string":"a","new_string":"b"}`, "updated", false},
		"a new fact":       {"Read", `{"file_path":"b.go"}`, "another text that nobody has seen before", false},
		"a person's words": {tool: "person", result: "look at b.go instead"},
		"a shell's change": {"bash", `{"command":"sed -i s/a/b/ a.go"}`, "", false},
	} {
		turns := []turn{again, again, again, moved, again, again}
		if got := steps(Start(defaultProgress()), session(turns...)); got != nil {
			t.Errorf("%s: fired at %v", name, got)
		}
	}
	nothing := turn{"TodoWrite", `{"todos":[{"content":"x","status":"pending"}]}`, "ok", false}
	if got := steps(Start(defaultProgress()), session(again, again, again, nothing, again)); !slices.Equal(got, []int{5}) {
		t.Errorf("a todo write: fired at %v, want 5", got)
	}
}

func TestTestsThatComeOutOtherwiseAreNews(t *testing.T) {
	log := ""
	for i := range 60 {
		log += fmt.Sprintf("checked part %d of the shop and found it in order\n", i)
	}
	var same, fewer []turn
	for i := range 6 {
		same = append(same, turn{"verify", `{}`, fmt.Sprintf("%s3 failed, 57 passed in 1.%ds", log, i), false})
		fewer = append(fewer, turn{"verify", `{}`, fmt.Sprintf("%s%d failed, %d passed in 1.%ds", log, 6-i, 54+i, i), false})
	}
	if got := steps(Start(defaultProgress()), session(same...)); !slices.Equal(got, []int{4}) {
		t.Errorf("the same outcome: fired at %v, want 4", got)
	}
	if got := steps(Start(defaultProgress()), session(fewer...)); got != nil {
		t.Errorf("fewer failures each time: fired at %v", got)
	}
}

func TestTheSameCommandWithAnotherReasonIsTheSame(t *testing.T) {
	var turns []turn
	for i := range 4 {
		turns = append(turns, turn{"Bash", fmt.Sprintf(`{"command":"git log -1","description":"reason %d"}`, i), "1a2b3c begin", false})
	}
	if got := steps(Start(defaultProgress()), session(turns...)); !slices.Equal(got, []int{4}) {
		t.Errorf("fired at %v, want 4", got)
	}
}

func TestWhatACommandsOutputSaysOfItsSuccess(t *testing.T) {
	for _, c := range []struct {
		result string
		want   bool
	}{
		{"Exit code: 1\nno luck", true},
		{"Exit code: 0\nerror: none of these", false},
		{"<returncode>0</returncode>\n<output>\nValueError: caught and handled", false},
		{"--- FAIL: TestX\nFAIL", true},
		{"ok  \texample.com/x\t0.1s", false},
		{"Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'", true},
		{"noise: Error: at the start\nbut all is well", false},
		{"bash: foo: command not found", true},
		{"", false},
	} {
		if got := lost(c.result); got != c.want {
			t.Errorf("%q: lost is %t", c.result, got)
		}
	}
}

func TestSignsOfACommand(t *testing.T) {
	for _, c := range []struct {
		command string
		want    act
	}{
		{"go test ./...", run},
		{"sed -i 's/a/b/' x.go", write},
		{"sed -n '1,20p' x.go", look},
		{"cat x.go", look},
		{"cat > x.go <<'EOF'\npackage x\nEOF", write},
		{"go build ./... 2>&1 | head", run},
		{"go test ./... > /dev/null", run},
		{"if (a => b) then echo", run},
		{"mkdir -p a/b", write},
		{"cd web && npm install", write},
		{"git commit -m 'x'", write},
		{"git status", look},
		{"cd sub && git diff", look},
		{"sleep 30; gh run view 7", wait},
		{"gh pr checks 7", wait},
		{"python install_check.py", run},
		{"FOO=1 rm -r x", write},
	} {
		input, err := json.Marshal(map[string]string{"command": c.command})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := actOf(trimtab.ToolCall{Name: "Bash", Input: input}); got != c.want {
			t.Errorf("%q: %d, want %d", c.command, got, c.want)
		}
	}
}

func TestWhatChangesByItselfIsNoNews(t *testing.T) {
	base := "2026-11-15 12:30:05 built in 1.24s at 0xc000123456, 3 of 7 files, v1.2.3"
	for _, same := range []string{
		"2026-11-16 08:01:59 built in 0.4s at 0xc00077aabb, 3 of 7 files, v1.2.3",
		"2026-11-15 12:30:05 built in 940ms at 0xc000123456, 3 of 7 files, v1.2.3",
	} {
		if digestOf(same).exact != digestOf(base).exact || settled(same) != settled(base) {
			t.Errorf("%q is news: %q", same, settled(same))
		}
	}
	for _, other := range []string{
		"2026-11-15 12:30:05 built in 1.24s at 0xc000123456, 4 of 7 files, v1.2.3",
		"2026-11-15 12:30:05 built in 1.24s at 0xc000123456, 3 of 7 files, v1.2.4",
		"2026-11-15 12:30:05 failed in 1.24s at 0xc000123456, 3 of 7 files, v1.2.3",
		"2026-11-15 12:30:05 built in 1.24s at 0xc000123456, 3 of 7 files, v1.2.3!",
	} {
		if digestOf(other).exact == digestOf(base).exact {
			t.Errorf("%q is no news", other)
		}
	}
	if digestOf("....F..").exact == digestOf("......F").exact && digestOf("......").exact == digestOf(".......").exact {
		t.Error("a row of dots is like any other")
	}
}

func TestErrorsAreKnownAgain(t *testing.T) {
	first := "# shop\ncart.go:12:4: undefined: tax\ncart.go:20:9: undefined: rate"
	shifted := "# shop\ncart.go:15:4: undefined: tax\ncart.go:23:9: undefined: rate"
	other := "# shop\ncart.go:12:4: undefined: rate"
	line, sign := fault(first)
	if line != "cart.go:12:4: undefined: tax" {
		t.Errorf("the error is %q", line)
	}
	if _, s := fault(shifted); s != sign {
		t.Error("the same error on another line is another error")
	}
	if _, s := fault(other); s == sign {
		t.Error("another error is the same")
	}
	if line, _ := fault("Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nValueError: bad value 7"); line != "ValueError: bad value 7" {
		t.Errorf("the last cause is %q", line)
	}
	if line, _ := fault("exit status 1"); line != "" {
		t.Errorf("nothing specific is %q", line)
	}
}
