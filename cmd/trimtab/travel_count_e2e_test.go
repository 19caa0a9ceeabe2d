//go:build e2e && unix

package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestTravelCountsNotes holds what TestTravel counts against requests whose count is
// known: a check that counts nothing would pass.
func TestTravelCountsNotes(t *testing.T) {
	const reminder = "Remember: You are still in PLANNING MODE. Go on."
	user := func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
	system := func(text, more string) string { return fmt.Sprintf(`{"role":"system","content":%q%s}`, text, more) }
	const reply = `{"role":"assistant","content":"yes"}`
	const clears = `,"clear_at":"next_user_message"`
	for _, c := range []struct {
		name     string
		messages []string
		want     int
	}{
		{"none", []string{user("hi travel-one")}, 0},
		{"the same twice", []string{user("hi travel-one"), system(reminder, ""), reply, user("travel-two"), system(reminder, "")}, 2},
		{"twice in one block", []string{user(reminder + "\n" + reminder)}, 2},
		{"the model's own words do not count", []string{user("hi"), `{"role":"assistant","content":"` + reminder + `"}`, user("go")}, 0},
		{"cleared by the next user message", []string{user("hi"), system(reminder, clears), reply, user("travel-two"), system(reminder, clears)}, 1},
		{"a user's message is not cleared", []string{fmt.Sprintf(`{"role":"user","content":%q%s}`, reminder, clears), reply, user("travel-two " + reminder)}, 2},
		{"said to be over", []string{user("hi"), system(reminder, ""), reply, user("travel-two"), system("Planning mode is over.", "")}, 0},
		{"ends with the next prompt by its own words", []string{
			user("hi"), system(reminder+" This holds until the next prompt.", ""), reply, user("travel-two"), system(reminder+" This holds until the next prompt.", ""),
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := fakemodel.Start(t, fakemodel.Options{})
			body := fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[%s]}`, strings.Join(c.messages, ","))
			resp, err := http.Post(model.URL+"/v1/messages", "application/json", strings.NewReader(body)) // refused for want of a key, and logged
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got := tally(visible(model.Requests()[0]))["mode reminder"]; got != c.want {
				t.Errorf("%d are counted, want %d", got, c.want)
			}
		})
	}
}

func TestTravelComparesTheAgentsOwnBytes(t *testing.T) {
	const note = `messages user {"text":"Remember: You are still in PLANNING MODE.","type":"text"}`
	own := func(n int) string { return fmt.Sprintf(`messages user {"text":"%d%s"}`, n, strings.Repeat("x", 100)) }
	for _, c := range []struct {
		name          string
		before, after []string
		want          float64
	}{
		{"kept", []string{own(1), note, own(2)}, []string{own(1), note, own(2), own(3)}, 1},
		{"a note at the end goes", []string{own(1), own(2), note}, []string{own(1), own(2), own(3), note}, 1},
		{"a note in the middle goes", []string{own(1), note, own(2)}, []string{own(1), own(2), own(3)}, 0.5},
		{"a note comes in the middle", []string{own(1), own(2)}, []string{own(1), note, own(2)}, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ownReuse(c.before, c.after).Share(); got != c.want {
				t.Errorf("%.2f stays, want %.2f", got, c.want)
			}
		})
	}
}
