package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

const mark = `,"cache_control":{"type":"ephemeral"}`

// words is a text block of so many letters, marked or not.
func words(letter string, n int, marked bool) string {
	b := `{"type":"text","text":"` + strings.Repeat(letter, n) + `"`
	if marked {
		b += mark
	}
	return b + "}"
}

// bill is what the reply to a request says of its input.
type bill struct{ read, write, input int }

func (b bill) total() int { return b.read + b.write + b.input }

// billed sends and reads the bill, and holds it against what was recorded.
func (k *talk) billed() bill {
	k.t.Helper()
	u := k.ask().Usage
	b := bill{u["cache_read_input_tokens"], u["cache_creation_input_tokens"], u["input_tokens"]}
	all := k.s.Requests()
	if p := all[len(all)-1].Prompt; (bill{p.CacheRead, p.CacheWrite, p.Input}) != b {
		k.t.Errorf("recorded %+v, told %+v", p, b)
	}
	return b
}

func echoing(t *testing.T, o fakemodel.Options) *talk {
	t.Helper()
	o.Script = func(fakemodel.Request) fakemodel.Reply { return fakemodel.Reply{Text: "so it is"} }
	k := newTalk(t, fakemodel.Start(t, o))
	k.thinking = `{"type":"disabled"}`
	return k
}

func TestPromptsAreCachedUpToTheirMarks(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	k.messages = []string{said(words("a", 4000, true))}
	first := k.billed()
	if first.read != 0 || first.input != 0 || first.write < 1000 {
		t.Fatalf("first %+v", first)
	}
	k.messages[0] = said(words("a", 4000, false)) // the mark moves on
	k.messages = append(k.messages, said(words("b", 400, true), words("c", 800, false)))
	second := k.billed()
	if second.read != first.write || second.write < 100 || second.write > 150 || second.input < 200 || second.input > 220 {
		t.Errorf("second %+v after %+v", second, first)
	}
	again := k.s.Requests()[1]
	k.messages = k.messages[:3]
	if b := k.billed(); b.read != second.read+second.write || b.write != 0 || b.input != second.input {
		t.Errorf("the same again %+v after %+v of %s", b, second, again.Body)
	}
	k.model = "claude-opus-5"
	k.messages = k.messages[:3]
	if b := k.billed(); b.read != 0 || b.total() != second.total() {
		t.Errorf("another model %+v", b)
	}
}

func TestWithoutMarksNothingIsCached(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	for range 2 {
		k.messages = []string{said(words("a", 4000, false))}
		if b := k.billed(); b.read != 0 || b.write != 0 || b.input < 1000 {
			t.Errorf("%+v", b)
		}
	}
}

func TestWhatIsChangedIsNotRead(t *testing.T) {
	begin := func() *talk {
		k := echoing(t, fakemodel.Options{})
		k.tools = `[{"name":"Bash","description":"` + strings.Repeat("t", 400) + `","input_schema":{}` + mark + `}]`
		k.system = `[` + words("s", 800, true) + `]`
		k.messages = []string{said(words("a", 1200, true))}
		k.billed()
		return k
	}
	for _, c := range []struct {
		name   string
		change func(*talk)
		read   [2]int // from and to
	}{
		{"nothing", func(*talk) {}, [2]int{600, 700}},
		{"a message", func(k *talk) { k.messages = []string{said(words("b", 1200, true))} }, [2]int{300, 380}},
		{"the system prompt", func(k *talk) { k.system = `[` + words("S", 800, true) + `]` }, [2]int{100, 140}},
		{"a tool", func(k *talk) { k.tools = strings.Replace(k.tools, "Bash", "bash", 1) }, [2]int{0, 0}},
		{"thinking", func(k *talk) { k.thinking = `{"type":"adaptive"}` }, [2]int{300, 380}},
		{"the choice of tools", func(k *talk) { k.more = `"tool_choice":{"type":"none"},` }, [2]int{300, 380}},
		{"how much may be said", func(k *talk) { k.more = `"temperature":1,` }, [2]int{600, 700}},
		{"the places of marks", func(k *talk) { k.system = `[` + words("s", 800, false) + `]` }, [2]int{600, 700}},
		{"a string for its block", func(k *talk) { k.system = quote(strings.Repeat("s", 800)) }, [2]int{600, 700}},
	} {
		k := begin()
		k.messages = k.messages[:1]
		c.change(k)
		if b := k.billed(); b.read < c.read[0] || b.read > c.read[1] {
			t.Errorf("%s: %+v, want %v read", c.name, b, c.read)
		}
	}
}

// The documented example: entries at 10 and 15 blocks, then a mark at 35, which
// looks at 16 and later.
func TestAMarkIsLookedBackFromTwentyPositions(t *testing.T) {
	upTo := func(n int, block func(i int, marked bool) string) []string {
		var all []string
		for i := range n {
			all = append(all, block(i, i == n-1))
		}
		return all
	}
	texts := func(i int, marked bool) string { return words(string(rune('A'+i)), 40, marked) }
	k := echoing(t, fakemodel.Options{})
	k.system, k.tools = `"s"`, `[]`
	reads := func(blocks []string) bool {
		k.messages = []string{said(blocks...)}
		return k.billed().read > 0
	}
	if reads(upTo(10, texts)) || !reads(upTo(15, texts)) || reads(upTo(35, texts)) || !reads(upTo(54, texts)) {
		t.Errorf("%d requests", len(k.s.Requests()))
	}
	two := upTo(35, texts)
	two[16] = texts(16, true)
	k = echoing(t, fakemodel.Options{})
	if reads(upTo(15, texts)) || !reads(two) {
		t.Error("a second mark nearer to the entry does not find it")
	}

	var uses, results []string
	for i := range 30 {
		uses = append(uses, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"Bash","input":{}}`, i))
		results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d","content":"ok"%s}`, i, map[bool]string{true: mark}[i == 29]))
	}
	k.messages = []string{said(words("a", 400, true))}
	k.billed()
	k.messages = []string{said(words("a", 400, false)), `{"role":"assistant","content":[` + strings.Join(uses, ",") + `]}`, said(results...)}
	if b := k.billed(); b.read < 100 {
		t.Errorf("calls and results in a row are more than two positions: %+v", b)
	}
}

func TestAMarkOnTheWholeRequestIsAtTheEnd(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	k.more = `"cache_control":{"type":"ephemeral"},`
	k.messages = []string{said(words("a", 4000, false))}
	first := k.billed()
	if first.read != 0 || first.input != 0 {
		t.Fatalf("first %+v", first)
	}
	k.messages = append(k.messages, userHi)
	if b := k.billed(); b.read != first.write || b.input != 0 || b.write == 0 {
		t.Errorf("second %+v after %+v", b, first)
	}
}

// What clears itself is in no prefix: only the turn behind it is read anew.
func TestAClearedMessageCostsNothing(t *testing.T) {
	k := echoing(t, fakemodel.Options{})
	k.betas = []string{fakemodel.BetaClearAt}
	k.more = `"cache_control":{"type":"ephemeral"},`
	k.messages = []string{said(words("a", 4000, false)), reminder}
	first := k.billed()
	if first.write < 1000 || first.input == 0 { // the reminder is behind what is kept
		t.Fatalf("first %+v", first)
	}
	reply := k.messages[2]
	k.messages = append(k.messages, userHi)
	second := k.billed()
	if want := tokensOf(reply) + tokensOf(userHi); second.read != first.write || second.input != 0 || second.write > want {
		t.Errorf("second %+v after %+v", second, first)
	}
	k.messages = append(k.messages, userHi, reminder)
	third := k.billed()
	k.messages = k.messages[:len(k.messages)-1]
	live := countTokens(k)
	k.messages = slices.Delete(k.messages, 1, 2)
	if gone := countTokens(k); live != third.total() || gone != live {
		t.Errorf("%d tokens, %d without what was cleared, %+v", live, gone, third)
	}
	k.messages = k.messages[:len(k.messages)-1]
	if less := countTokens(k); less >= live {
		t.Errorf("%d tokens, %d without what is live", live, less)
	}
}

func tokensOf(s string) int { return len(s)/4 + 1 }

func countTokens(k *talk) int {
	k.t.Helper()
	status, body := k.send("/v1/messages/count_tokens")
	var n struct {
		Tokens int `json:"input_tokens"`
	}
	unmarshal(k.t, string(body), &n)
	if status != 200 || n.Tokens == 0 {
		k.t.Fatalf("%d: %s", status, body)
	}
	return n.Tokens
}

func TestDroppedThinkingIsNotBilled(t *testing.T) {
	k := started(t, fakemodel.Options{Binding: fakemodel.BindingSilent}, 2)
	whole := countTokens(k)
	k.messages[0] = `{"role":"user","content":"two"}` // as long as before
	if n := countTokens(k); n >= whole {
		t.Errorf("%d tokens, %d before", n, whole)
	}
}

func TestSmallAndFailedPromptsAreNotCached(t *testing.T) {
	k := echoing(t, fakemodel.Options{CacheLeast: 1024})
	for range 2 {
		k.messages = []string{said(words("a", 2000, true))}
		if b := k.billed(); b.read != 0 || b.write != 0 {
			t.Errorf("%+v", b)
		}
	}
	k.messages = []string{said(words("a", 2000, true), words("b", 4000, true))}
	if b := k.billed(); b.read != 0 || b.write < 1500 {
		t.Errorf("%+v, with a small one before it", b)
	}
	fails := true
	s := fakemodel.Start(t, fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Reply {
		if fails {
			return fakemodel.Reply{Status: 529}
		}
		return fakemodel.Reply{Text: "so"}
	}})
	k = newTalk(t, s)
	k.messages = []string{said(words("a", 2000, true))}
	if status, body := k.send("/v1/messages"); status != 529 {
		t.Fatalf("%d: %s", status, body)
	}
	fails = false
	if b := k.billed(); b.read != 0 {
		t.Errorf("%+v after a failure", b)
	}
}

// The others keep every prefix by themselves, in small pieces.
func TestOtherProvidersCacheTheLongestPrefix(t *testing.T) {
	long, more := strings.Repeat("one ", 1000), strings.Repeat("two ", 200)
	bodies := map[fakemodel.Format]string{
		fakemodel.Chat:      `{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"%s"},{"role":"user","content":"%s"}]}`,
		fakemodel.Responses: `{"model":"m","instructions":"S","input":[{"role":"user","content":"%s"},{"role":"user","content":"%s"}]}`,
		fakemodel.Gemini:    `{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"%s"}]},{"role":"user","parts":[{"text":"%s"}]}]}`,
	}
	for f, form := range bodies {
		s := fakemodel.Start(t, fakemodel.Options{})
		send := func(body string) bill {
			t.Helper()
			b := usageOf(t, post(t, s, f, paths[f], body, 200))
			all := s.Requests()
			if p := all[len(all)-1].Prompt; p.CacheRead != b.read || p.Input != b.input || p.CacheWrite != 0 {
				t.Errorf("%s: recorded %+v, told %+v", f, p, b)
			}
			return b
		}
		body := fmt.Sprintf(form, long, more)
		first, second := send(body), send(body)
		if first.read != 0 || first.total() < 1200 || second.total() != first.total() || second.input > 16 {
			t.Errorf("%s: %+v, then %+v", f, first, second)
		}
		if b := send(fmt.Sprintf(form, long, "other")); b.read < 1000 || b.read > 1060 {
			t.Errorf("%s: other words at the end: %+v", f, b)
		}
		if b := send(fmt.Sprintf(form, long[:2000]+"!", more)); b.read < 480 || b.read > 540 {
			t.Errorf("%s: other words in the middle: %+v", f, b)
		}
		if b := send(strings.Replace(body, `"S"`, `"T"`, 1)); b.read > 16 {
			t.Errorf("%s: another system prompt: %+v", f, b)
		}
	}
}

// usageOf reads the input of a whole reply of OpenAI and Gemini.
func usageOf(t *testing.T, body []byte) bill {
	t.Helper()
	var w struct {
		Usage struct {
			Prompt  int `json:"prompt_tokens"`
			Input   int `json:"input_tokens"`
			Details struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
			Inputs struct {
				Cached int `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		}
		Gemini struct {
			Prompt int `json:"promptTokenCount"`
			Cached int `json:"cachedContentTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	total := w.Usage.Prompt + w.Usage.Input + w.Gemini.Prompt
	read := w.Usage.Details.Cached + w.Usage.Inputs.Cached + w.Gemini.Cached
	return bill{read: read, input: total - read}
}

// Where the provider keeps the history, it counts as sent and as read.
func TestAStoredResponseIsReadFromTheCache(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	ask := func(more, input string) (string, bill) {
		t.Helper()
		body := post(t, s, fakemodel.Responses, paths[fakemodel.Responses], `{"model":"m","instructions":"S",`+more+`"input":[{"role":"user","content":"`+input+`"}]}`, 200)
		var w struct{ ID string }
		unmarshal(t, string(body), &w)
		return w.ID, usageOf(t, body)
	}
	id, first := ask("", strings.Repeat("one ", 1000))
	on := `"previous_response_id":"` + id + `",`
	_, second := ask(on, "next")
	if second.read < first.total()-16 || second.total() <= first.total() {
		t.Errorf("%+v after %+v", second, first)
	}
	if _, b := ask(strings.Replace(on, `"`, `"tools":[{"type":"function","name":"x"}],"`, 1), "next"); b.read > 0 {
		t.Errorf("other tools: %+v", b)
	}
}
