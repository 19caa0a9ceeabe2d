package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/race"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// ours are words that stand in notes and in nothing that these tests send.
var ours = []string{planned, "still in PLANNING", "no todo list has been written", "Time to look up"}

// elements finds the elements of the message list of a body, with a reader that
// is not ours.
func elements(t *testing.T, d dialect, body []byte) (list [][2]int) {
	t.Helper()
	key := map[string]string{"responses": "input", "gemini": "contents"}[d.corpus.Name]
	if key == "" {
		key = "messages"
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("not an object: %v %.200s", err, body)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		if name != key {
			var skipped json.RawMessage
			if err := dec.Decode(&skipped); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
			t.Fatalf("not a list: %v %.200s", err, body)
		}
		for dec.More() {
			var element json.RawMessage
			if err := dec.Decode(&element); err != nil {
				t.Fatal(err)
			}
			end := int(dec.InputOffset())
			list = append(list, [2]int{end - len(element), end})
		}
		return list
	}
	t.Fatalf("no %s in %.200s", key, body)
	return nil
}

// uncut takes the notes out of a body again: whole elements of the message list,
// with their commas. What is left should be what the client sent.
func uncut(t *testing.T, d dialect, body []byte) []byte {
	t.Helper()
	var out []byte
	at := 0
	list := elements(t, d, body)
	for i := 0; i < len(list); i++ {
		if !note(body[list[i][0]:list[i][1]]) {
			continue
		}
		first := i
		for i+1 < len(list) && note(body[list[i+1][0]:list[i+1][1]]) {
			i++
		}
		from, to := list[first][0], list[i][1]
		switch {
		case i < len(list)-1 && body[to] == ',':
			to++
		case first > 0 && body[from-1] == ',':
			from--
		case i-first+1 < len(list):
			t.Fatalf("a note stands without its comma: %.300s", body[max(0, from-100):])
		}
		out = append(out, body[at:from]...)
		at = to
	}
	return append(out, body[at:]...)
}

// inserted returns what a body has in one place more than another, or nil where
// that is not all.
func inserted(before, after []byte) []byte {
	front := 0
	for front < min(len(before), len(after)) && before[front] == after[front] {
		front++
	}
	back := 0
	for back < min(len(before), len(after))-front && before[len(before)-1-back] == after[len(after)-1-back] {
		back++
	}
	if front+back < len(before) || len(after) == len(before) {
		return nil
	}
	return after[front : len(after)-back]
}

func note(element []byte) bool {
	for _, words := range ours {
		if bytes.Contains(element, []byte(words)) {
			return true
		}
	}
	return false
}

// TestG3_OnlyNotesAreAdded: in conversations in all spellings that JSON has, what
// is not a note is identical, byte for byte, and the system prompt and the tools
// with it.
func TestG3_OnlyNotesAreAdded(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, nil)
			opening := append(planning(), trimtab.Asked{Command: "automata", Args: []string{"on"}, Away: true}) // reflections, too: the word in a history switches nothing
			r := newRig(t, parts{up: up.URL, opening: opening})
			found, n := map[string]int{}, 120
			if race.Enabled {
				n = 30
			}
			for seed := range uint64(n) {
				talk, c := wiretest.NewTalk(seed, 5)
				raw := d.corpus.Encode(talk, c, false)
				header := with(d.key, "X-Trimtab-Session", fmt.Sprint("s", seed))
				sent := raw
				switch seed % 4 { // packed ones are sent plain
				case 1:
					sent = pack(t, "gzip", raw)
					header.Set("Content-Encoding", "gzip")
				case 2:
					sent = pack(t, "zstd", raw)
					header.Set("Content-Encoding", "zstd")
				}
				r.do(http.MethodPost, d.path, header, sent)
				got := up.last(t)
				if got.header.Get("Content-Encoding") != "" || !bytes.Contains(got.body, []byte(planned)) {
					t.Fatalf("seed %d: no note, or still packed: %.300s", seed, got.body)
				}
				if literal := member(raw, "input"); bytes.HasPrefix(literal, []byte(`"`)) { // a prompt alone becomes a list
					if added := inserted(bytes.Replace(raw, literal, nil, 1), bytes.Replace(got.body, literal, nil, 1)); added == nil || bytes.Count(got.body, literal) != 1 {
						t.Fatalf("seed %d: arrived as\n%s\nand was\n%s", seed, got.body, raw)
					}
				} else if rest := uncut(t, d, got.body); !bytes.Equal(rest, raw) {
					t.Fatalf("seed %d: without its notes\n%s\nis not\n%s", seed, rest, raw)
				}
				for _, key := range []string{"system", "instructions", "systemInstruction", "tools"} {
					if !bytes.Equal(member(got.body, key), member(raw, key)) {
						t.Fatalf("seed %d: another %s", seed, key)
					}
				}
				if err := d.corpus.Check(got.body); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, got.body)
				}
				for _, words := range ours {
					found[words] += strings.Count(string(got.body), words)
				}
			}
			if found[planned] < n || found["no todo list has been written"] == 0 || found["Time to look up"] == 0 {
				t.Errorf("not all kinds of notes were seen: %v", found)
			}
			if n := r.gate.Stats.Faults.Load(); n != 0 {
				t.Errorf("%d faults:\n%.2000s", n, r.log)
			}
		})
	}
}

// member is the value of a name in a body, as written.
func member(body []byte, name string) []byte {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	return all[name]
}

// TestG3_NotesKeepTheirBytes: a client marks its newest message and writes it in
// another form when it is no longer the newest. A note that is kept stays where it is
// and as it is, and one that rides stands at the end.
func TestG3_NotesKeepTheirBytes(t *testing.T) {
	up := newProvider(t, nil)
	d := dialects()["anthropic"]
	r := newRig(t, parts{up: up.URL, opening: planning()})
	var history []string
	var before []string
	looks := 0
	for n := range 12 {
		marked := fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"automata %d","cache_control":{"type":"ephemeral"}}]}`, n)
		r.do(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"), fmt.Appendf(nil, `{"messages":[%s]}`, strings.Join(append(history, marked), ",")))
		body := up.last(t).body
		var kept []string
		theirs := 0
		all := elements(t, d, body)
		for i, e := range all {
			switch text := string(body[e[0]:e[1]]); {
			case strings.Contains(text, "Time to look up"):
				if looks++; i != len(all)-1 {
					t.Fatalf("request %d: the reflection is not at the end: %s", n, body)
				}
			case strings.Contains(text, planned):
				kept = append(kept, fmt.Sprint("behind ", theirs, ": ", text))
			case !note([]byte(text)):
				theirs++
			}
		}
		if !strings.HasPrefix(strings.Join(kept, "\n"), strings.Join(before, "\n")) || len(kept) == 0 {
			t.Fatalf("request %d: notes\n%s\nthey were\n%s", n, kept, before)
		}
		before = kept
		history = append(history, fmt.Sprintf(`{"role":"user","content":"automata %d"}`, n), fmt.Sprintf(`{"role":"assistant","content":"reply %d"}`, n))
	}
	if looks == 0 {
		t.Error("the reflection never came")
	}
}

// TestG3_AnUnknownEncodingPasses: what we cannot read we do not touch, notes due
// or not.
func TestG3_AnUnknownEncodingPasses(t *testing.T) {
	up := digest(t)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	raw := dialects()["anthropic"].ask("hello", false)
	a, err := r.try(http.MethodPost, "/v1/messages", http.Header{"Content-Encoding": {"br"}}, io.LimitReader(bytes.NewReader(raw), 1<<20))
	if err != nil || string(a.body) != sum(raw) || up.last(t).header.Get("Content-Encoding") != "br" {
		t.Errorf("%v: arrived as %s", err, up.last(t).body)
	}
	if r.gate.Stats.Faults.Load() != 1 {
		t.Error("it was not counted")
	}
}
