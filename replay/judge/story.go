package judge

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// How much of a message somebody who reads along is shown, in bytes.
const storyPrompt, storyReply, storyCall, storyResult = 600, 400, 200, 240

// storyPerson begins what a person wrote.
const storyPerson = "person  "

// tell prints what happened, short, by step: what stands under a number was said after
// so many replies, that reply first.
func tell(events []trimtab.Event) [][]string {
	story := [][]string{nil}
	add := func(lead, text string, most int) {
		text = strings.Join(strings.Fields(trimtab.Clip(text, 4*most)), " ")
		if text == "" {
			return
		}
		if cut := trimtab.Clip(text, most); cut != text {
			text = cut + "…"
		}
		story[len(story)-1] = append(story[len(story)-1], lead+text)
	}
	for _, ev := range events {
		s, ok := ev.(trimtab.Said)
		if !ok || s.Message.From != "" {
			continue
		}
		if s.Message.Role == trimtab.RoleAssistant {
			story = append(story, nil)
		}
		switch {
		case s.Message.IsPrompt():
			add(storyPerson, s.Message.Typed(), storyPrompt)
		case s.Message.Role == trimtab.RoleAssistant:
			add("agent   ", s.Message.Text(), storyReply)
		}
		for _, p := range s.Message.Parts {
			switch p := p.(type) {
			case trimtab.ToolCall:
				add("calls   ", p.Name+" "+string(jsonscan.Readable(p.Input)), storyCall)
			case trimtab.ToolResult:
				if p.Failed {
					add("failed  ", p.Text, storyResult)
				} else {
					add("result  ", p.Text, storyResult)
				}
			}
		}
	}
	return story
}
