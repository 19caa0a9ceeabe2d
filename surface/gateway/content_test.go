package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/teamtest"
	"github.com/trimtab/trimtab/store/content"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
)

var sizes = regexp.MustCompile(`("bytes"|"sent"|"contextBytes"): [0-9]+`)

// X8: whether words are stored whole, redacted or not at all, the model receives the same
// bytes of several gateways on one store, which know a session only from there.
func TestX8_WhatIsStoredChangesNothingThatIsSent(t *testing.T) {
	model := &teamtest.Model{}
	up := httptest.NewServer(model)
	t.Cleanup(up.Close)
	lone := newReplica(t, memory.New(), up.URL, false)
	redact := func(s string) string { // a word of most replies is a secret here
		return strings.NewReplacer("step", "[REDACTED:word]", "tidy", "[REDACTED:word]", "ls", "[REDACTED:word]").Replace(s)
	}
	for _, what := range []string{content.Full, content.Redacted, content.None} {
		t.Run(what, func(t *testing.T) {
			kept := memory.New()
			var all []replica
			for range 2 {
				st, err := owned.New(kept, owned.Options{Content: content.Filter(what, redact)})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, newReplica(t, st, up.URL, true))
			}
			for seed := range seeds(4) {
				chance := rand.New(rand.NewPCG(seed, 2))
				play := teamtest.Play{Seed: seed, Requests: 30, Model: []string{"claude-opus-5", "claude-sonnet-4"}[seed%2]}
				play.Session, play.Pick = fmt.Sprintf("one-%s-%d", what, seed), func(int) string { return lone.url }
				if err := play.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				one := play.Session
				play.Session, play.Pick = fmt.Sprintf("many-%s-%d", what, seed), func(int) string { return all[chance.IntN(2)].url }
				if err := play.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				want, got := model.Bodies(one), model.Bodies(play.Session)
				if differ := teamtest.Compare(want, got); len(differ) > 0 {
					t.Errorf("seed %d: %d of %d requests differ, the first is %d: %s", seed, len(differ), len(want), differ[0], difference(want, got, differ[0]))
				}
				// How large a history is that was rewound is read from the store, so it is an estimate here.
				state := func(r replica, id string) string { return sizes.ReplaceAllString(stateOf(t, r, id), "$1 …") }
				if diff := cmp.Diff(state(lone, one), state(all[0], play.Session)); diff != "" {
					t.Errorf("seed %d: stored otherwise than by one gateway (-one +many):\n%s", seed, diff)
				}
				look(t, what, kept, "claude:"+play.Session)
			}
		})
	}
}

// look reads what is in the store.
func look(t *testing.T, what string, st trimtab.Archive, id string) {
	t.Helper()
	words, secrets := 0, 0
	s, err := st.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if s.Title == "" != (what == content.None) || what == content.Redacted && strings.Contains(s.Title, "tidy") {
		t.Errorf("%s: the title is %q", what, s.Title)
	}
	for m, err := range st.Messages(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%+v", m.Parts)
		for _, p := range m.Parts {
			if call, ok := p.(trimtab.ToolCall); ok {
				text += string(call.Input)
			}
		}
		if strings.Contains(text, "ok ") || strings.Contains(text, "command") {
			words++
		}
		if strings.Contains(text, "step ") || strings.Contains(text, "ls ") {
			secrets++
		}
	}
	if (words > 0) != (what != content.None) || (secrets > 0) != (what == content.Full) {
		t.Errorf("%s: %d messages with words, %d with secrets", what, words, secrets)
	}
}
