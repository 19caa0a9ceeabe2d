package trimtab_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

var (
	everyPart = []trimtab.Part{
		trimtab.Text{Text: "hello", By: trimtab.Person},
		trimtab.Text{Text: "caf\ufffd", By: trimtab.Person, Raw: []byte("caf\xe9")},
		trimtab.ToolCall{ID: "c1", Name: "bash", Input: json.RawMessage(`{"n":1.50}`)},
		trimtab.ToolResult{ID: "c1", Text: "no", Failed: true},
		trimtab.Opaque{Kind: "thinking", By: trimtab.Model, Raw: json.RawMessage(`{"signature":"x"}`)},
	}
	everyEvent = []trimtab.Event{
		trimtab.Said{Message: trimtab.Message{ID: "m1", Role: trimtab.RoleUser, Parts: everyPart, From: "mode", Model: "demo", At: start, Usage: &trimtab.Usage{Input: 3}}},
		trimtab.Calling{},
		trimtab.Using{Call: trimtab.ToolCall{ID: "c", Name: "edit"}},
		trimtab.Stopping{Continued: true, Runs: true, Wrote: []trimtab.Written{{File: "a.go", At: start}}},
		trimtab.Checked{Receipt: trimtab.Receipt{Command: "make", Tree: "t", Exit: 2, Output: "no", At: start, Since: start}},
		trimtab.Asked{Command: "mode", Args: []string{"-"}, By: trimtab.Model},
		trimtab.Advised{By: "guard", Actions: []trimtab.Taken{{Action: trimtab.Deny{Why: "w"}}, {Action: trimtab.Notify{Text: "t"}}}},
		trimtab.Resumed{},
		trimtab.Rewritten{Lost: []string{"m1"}, Size: 12, Last: trimtab.Ref{ID: "m9", Seq: 9}},
		trimtab.Reset{},
	}
	everyAction = []trimtab.Action{
		trimtab.Inject{Slot: "s", Text: "t", Place: trimtab.AtEnd, Life: trimtab.Kept, Why: "w", Asks: true},
		trimtab.Retract{Slot: "s", Why: "w", Heeded: true},
		trimtab.Fold{Key: "k", First: trimtab.Ref{ID: "m1", Seq: 1}, Last: trimtab.Ref{ID: "m2", Seq: 2}, Text: "t", Why: "w"},
		trimtab.Unfold{Key: "k", Why: "w"},
		trimtab.Reply{Text: "t", Data: json.RawMessage(`[1]`), Failed: true},
		trimtab.Notify{Text: "t", Warning: true},
		trimtab.Pause{Why: "w"},
		trimtab.Continue{Text: "t", Why: "w"},
		trimtab.Enqueue{Kind: "k", Data: json.RawMessage(`{}`), Why: "w"},
		trimtab.Deny{Why: "w"},
		trimtab.Check{Command: "make", Why: "w"},
	}
)

// TestEveryVariantIsListed reads the source: a new variant of a sum that the
// lists above lack fails here, and so has a round trip below.
func TestEveryVariantIsListed(t *testing.T) {
	listed := map[string]map[string]bool{"part": {}, "event": {}, "action": {}}
	for _, v := range everyPart {
		listed["part"][reflect.TypeOf(v).Name()] = true
	}
	for _, v := range everyEvent {
		listed["event"][reflect.TypeOf(v).Name()] = true
	}
	for _, v := range everyAction {
		listed["action"][reflect.TypeOf(v).Name()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || listed[f.Name.Name] == nil {
				continue
			}
			if recv, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				found++
				if !listed[f.Name.Name][recv.Name] {
					t.Errorf("%s is a %s that no test lists", recv.Name, f.Name.Name)
				}
			}
		}
	}
	if want := len(everyEvent) + len(everyAction) + 4; found != want {
		t.Errorf("found %d variants in the source, the lists have %d", found, want)
	}
}

func TestEventsGoThroughJSON(t *testing.T) {
	for _, ev := range everyEvent {
		raw, err := trimtab.EncodeEvent(ev)
		if err != nil {
			t.Fatal(err)
		}
		back, err := trimtab.DecodeEvent(raw)
		if diff := cmp.Diff(ev, back); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", raw, err, diff)
		}
	}
}

func TestJournalEntriesGoThroughJSON(t *testing.T) {
	for i, a := range everyAction {
		e := trimtab.Entry{
			Seq: i + 1, At: start, Event: trimtab.Asked{Command: "x"}, Actions: []trimtab.Taken{{By: "b", Action: a}},
			Changes: []trimtab.Change{{Kind: trimtab.Injected, By: "b", Seat: trimtab.Seat{Ref: trimtab.Ref{ID: "m1", Seq: 1}}}}, Faults: []trimtab.Fault{{By: "b", Text: "t"}},
		}
		if r, ok := a.(trimtab.Reply); ok {
			r.Data = nil // not kept
			e.Actions[0].Action = r
		}
		var back trimtab.Entry
		if err := json.Unmarshal([]byte(encode(t, e)), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Errorf("%T: %s", a, diff)
		}
	}
}

func TestAJournalEntryNamesItsMessageOnly(t *testing.T) {
	raw := encode(t, trimtab.Entry{At: start, Event: trimtab.Said{Message: trimtab.Message{ID: "m7", Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "secret"}}}}})
	if strings.Contains(raw, "secret") || !strings.Contains(raw, `"m7"`) {
		t.Error(raw)
	}
}

func TestUnknownTypes(t *testing.T) {
	if _, err := trimtab.DecodeEvent([]byte(`{"type":"flown"}`)); err == nil || !strings.Contains(err.Error(), `"flown"`) {
		t.Errorf("an unknown event gave %v", err)
	}
	var m trimtab.Message
	if err := json.Unmarshal([]byte(`{"role":"user","content":[{"type":"hologram","x":1}]}`), &m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]trimtab.Part{trimtab.Opaque{Kind: "hologram", Raw: json.RawMessage(`{"type":"hologram","x":1}`)}}, m.Parts); diff != "" {
		t.Error(diff)
	}
	if err := json.Unmarshal([]byte(`{"role":"user","content":"plain"}`), &m); err != nil || m.Text() != "plain" || m.IsPrompt() {
		t.Errorf("a plain string gave %+v, %v", m, err)
	}
}

// FuzzEvent reads any bytes as an event, writes what it read, and reads it again.
func FuzzEvent(f *testing.F) {
	for _, ev := range everyEvent {
		raw, err := trimtab.EncodeEvent(ev)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ev, err := trimtab.DecodeEvent(raw)
		if err != nil {
			return
		}
		once, err := trimtab.EncodeEvent(ev)
		if err != nil {
			t.Fatalf("%s reads but does not write: %v", raw, err)
		}
		back, err := trimtab.DecodeEvent(once)
		if err != nil {
			t.Fatalf("%s does not read again: %v", once, err)
		}
		twice, err := trimtab.EncodeEvent(back)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%s\n%s\n%v", once, twice, err)
		}
	})
}

// FuzzEntry does the same for lines of the journal.
func FuzzEntry(f *testing.F) {
	for _, a := range everyAction {
		f.Add([]byte(encode(f, trimtab.Entry{Seq: 1, At: start, Event: trimtab.Calling{}, Actions: []trimtab.Taken{{By: "b", Action: a}}})))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e, back trimtab.Entry
		if json.Unmarshal(raw, &e) != nil {
			return
		}
		once, err := json.Marshal(e)
		if err != nil {
			if e.At.Year() > 9999 || e.At.Year() < 0 {
				return
			}
			t.Fatalf("%s reads but does not write: %v", raw, err)
		}
		if err := json.Unmarshal(once, &back); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice := encode(t, back); string(once) != twice {
			t.Fatalf("%s\n%s", once, twice)
		}
	})
}

// FuzzStep plays any bytes as a session: a byte chooses what happens, the next
// ones say with what. The engine must not panic, must keep pairs whole, and its
// session must go through JSON.
func FuzzStep(f *testing.F) {
	f.Add([]byte("pautomata\x00cwmplanning\x00pgo\x00ctxrxc"))
	f.Add([]byte("tr\x00tr\x00c\xffs{\"sessionId\":\"x\",\"notes\":[{\"id\":1}]}\x00cpx"))
	engine := eager(f, "append")
	f.Fuzz(func(t *testing.T, script []byte) {
		s := trimtab.NewSession("s", start)
		var history []trimtab.Message
		calls, now := 0, start
		for i := 0; i < len(script) && i < 2000; i++ {
			word, _, _ := strings.Cut(string(script[i+1:min(len(script), i+80)]), "\x00")
			var ev trimtab.Event = trimtab.Calling{}
			switch script[i] {
			case 'p':
				ev = trimtab.Said{Message: trimtab.Prompt(word)}
			case 'h':
				ev = trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, word)}
			case 't':
				calls++
				ev = trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{
					trimtab.ToolCall{ID: trimtab.MessageID(calls), Name: []string{"bash", "TodoWrite", "TaskUpdate"}[len(word)%3], Input: json.RawMessage(word)},
				}}}
			case 'r':
				ev = trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: trimtab.MessageID(calls), Text: word}}}}
			case 'm':
				ev = trimtab.Asked{Command: "mode", Args: []string{word}}
			case 'a':
				ev = trimtab.Asked{Command: word, Args: []string{"on"}}
			case 'w':
				now = now.Add(time.Duration(len(word)) * time.Minute)
				continue
			case 'x':
				ev = trimtab.Rewritten{Lost: strings.Fields(word), Size: len(word)}
			case 'z':
				ev = trimtab.Reset{}
				history = nil
			}
			if said, ok := ev.(trimtab.Said); ok {
				said.Message.ID = trimtab.MessageID(s.Seq + 1)
				history = append(history, said.Message)
				ev = said
			}
			s, _ = engine.Step(s, ev, now)
		}
		if _, err := json.Marshal(s.View(history)); err != nil && json.Valid([]byte(`"`+string(script)+`"`)) {
			t.Logf("view: %v", err)
		}
		var back trimtab.Session
		raw, err := json.Marshal(s)
		if err != nil {
			return // the input of an open call was not JSON
		}
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	})
}
