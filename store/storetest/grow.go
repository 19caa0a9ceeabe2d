package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

// Grow says n messages in each of the sessions, taking turns.
func Grow(t testing.TB, store trimtab.Store, n int, ids ...string) {
	t.Helper()
	open := map[string]trimtab.Session{}
	for _, id := range ids {
		open[id] = trimtab.NewSession(id, time.Unix(1, 0))
	}
	const step = 10
	for i := 0; i < n; i += step {
		for _, id := range ids {
			s := open[id]
			var said []trimtab.Message
			for j := range step {
				said = append(said, Sample(i+j))
			}
			s.Seq += step
			version, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: said})
			if err != nil {
				t.Fatal(err)
			}
			s.Version = version
			open[id] = s
		}
	}
}

// Sample is the message of a number: prose, a call and its result in turn.
func Sample(i int) trimtab.Message {
	m := trimtab.Message{ID: trimtab.MessageID(i + 1), At: time.Unix(int64(i), 0)}
	switch i % 3 {
	case 0:
		m.Role = trimtab.RoleUser
		m.Parts = []trimtab.Part{trimtab.Text{Text: strings.Repeat("please go on. ", 20), By: trimtab.Person}}
	case 1:
		m.Role, m.Model, m.Usage = trimtab.RoleAssistant, "m-1", &trimtab.Usage{Input: i, Output: 20}
		m.Parts = []trimtab.Part{
			trimtab.Text{Text: strings.Repeat("I will. ", 20), By: trimtab.Model},
			trimtab.ToolCall{ID: fmt.Sprint("c", i), Name: "bash", Input: []byte(`{"command":"go test ./...","timeout":60}`)},
		}
	default:
		m.Role = trimtab.RoleTool
		m.Parts = []trimtab.Part{trimtab.ToolResult{ID: fmt.Sprint("c", i-1), Text: strings.Repeat("ok  	package	0.1s\n", 60)}}
	}
	return m
}
