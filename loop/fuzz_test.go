package loop

import (
	"encoding/json"
	"testing"

	"github.com/trimtab/trimtab"
)

// FuzzSee plays a session of one call and one reply, over and over, with whatever
// bytes: no rule may panic, grow, or write a memory that it cannot read.
func FuzzSee(f *testing.F) {
	f.Add("Bash", `{"command":"go test"}`, "FAIL: 3 of 7 at 12:30:05", "Let me try again.", true)
	f.Add("", ``, "", "", false)
	f.Add("Edit", `{"file_path":"a.go","command":"view"}`, "\xff\xfe 0x", "```\n```", false)
	f.Add("TodoWrite", `[`, "1.2.3-4:5:6:7s", "a.a.a.a.a.a.a.a.a.a.a.", true)
	f.Add("bash", `{"cmd":"sleep 1 > x"}`, "Command timed out after 2m", "жжжжжжжжжжжжжжжж", false)
	f.Fuzz(func(t *testing.T, tool, input, result, said string, failed bool) {
		turn := []trimtab.Message{
			{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: said, By: trimtab.Model}, trimtab.ToolCall{ID: said, Name: tool, Input: []byte(input)}}},
			{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: said, Text: result, Failed: failed}}},
			says(result),
			trimtab.Prompt(result),
		}
		for _, d := range All() {
			for range 6 {
				for _, m := range turn {
					d.See(m)
				}
			}
			raw, err := json.Marshal(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Name(), err)
			}
			if len(raw) > 80<<10 {
				t.Fatalf("%s: a memory of %d bytes", d.Name(), len(raw))
			}
			if err := json.Unmarshal(raw, d); err != nil {
				t.Fatalf("%s: %v", d.Name(), err)
			}
		}
	})
}

// FuzzMemory feeds damaged memories: they are refused, or taken and used.
func FuzzMemory(f *testing.F) {
	for _, d := range All() {
		for _, m := range stream(8) {
			d.See(m)
		}
		raw, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte(`{"idle":[{}],"fired":-1,"count":-5,"steps":[0],"done":[{}],"pairs":[-1],"n":-3,"tail":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, d := range All() {
			if json.Unmarshal(raw, d) != nil {
				continue
			}
			for _, m := range stream(6) {
				d.See(m)
			}
		}
	})
}
