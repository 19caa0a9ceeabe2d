//go:build e2e && unix

package main

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// noteKinds are the beginnings of the notes, by kind.
var noteKinds = []struct{ kind, words string }{
	{"mode entry", "You are in PLANNING MODE. Before writing any code"},
	{"mode reminder", "Remember: You are still in PLANNING MODE"},
	{"todo", "passed and no todo list has been written"},
	{"todo", "passed since the todo list was last written"},
	{"reflection", "Time to look up from the work"},
}

// revoking are the words with which a later note ends earlier ones of any kind, and
// bounded those with which a note says itself that it ends with the next prompt.
var (
	revoking = regexp.MustCompile(`(?i)\bmode is over\b|\breplaces (the|all|every|any) (earlier|former|previous)\b`)
	bounded  = regexp.MustCompile(`(?i)\b(holds|applies|counts) (only )?until the next (prompt|message)\b|\bfor this (prompt|turn) only\b`)
)

func kindOf(text string) string {
	for _, k := range noteKinds {
		if strings.Contains(text, k.words) {
			return k.kind
		}
	}
	return ""
}

// seenNote is a note of ours in a request.
type seenNote struct {
	kind    string
	message int
	revoked bool
}

// visible finds the notes that a model would be shown: not those that the provider
// clears, since a user's message follows.
func visible(r fakemodel.Request) []seenNote {
	var messages []struct {
		Role    string          `json:"role"`
		ClearAt string          `json:"clear_at"`
		Content json.RawMessage `json:"content"`
	}
	if r.Format == fakemodel.Anthropic {
		_ = json.Unmarshal(r.Raw("messages"), &messages) // without it nothing is cleared
	}
	cleared := func(message int) bool {
		if message < 0 || message >= len(messages) || messages[message].Role != "system" {
			return false
		}
		var blocks []struct {
			ClearAt string `json:"clear_at"`
		}
		_ = json.Unmarshal(messages[message].Content, &blocks) // a string has none
		at := messages[message].ClearAt
		for _, b := range blocks {
			at = cmp.Or(at, b.ClearAt)
		}
		return at == "next_user_message" && slices.ContainsFunc(r.Items, func(i fakemodel.Item) bool {
			return i.Message > message && messages[i.Message].Role == "user"
		})
	}
	var all []seenNote
	for i, item := range r.Items {
		if item.Role == "assistant" || cleared(item.Message) {
			continue
		}
		for _, k := range noteKinds {
			for range strings.Count(item.Text, k.words) {
				all = append(all, seenNote{k.kind, item.Message, over(item, r.Items[i+1:])})
			}
		}
	}
	return all
}

// over reports whether a later note ends this one, or a prompt does that it names.
func over(note fakemodel.Item, later []fakemodel.Item) bool {
	for _, item := range later {
		if item.Role == "assistant" || item.Role == "tool" {
			continue
		}
		if revoking.MatchString(item.Text) || bounded.MatchString(note.Text) && strings.Contains(item.Text, "travel-") {
			return true
		}
	}
	return false
}

// tally counts the notes of each kind that are not revoked.
func tally(notes []seenNote) map[string]int {
	count := map[string]int{}
	for _, n := range notes {
		if !n.revoked {
			count[n.kind]++
		}
	}
	return count
}
