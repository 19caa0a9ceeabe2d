package gemini

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// contents is how the API writes its message list.
var contents = list.Shape{
	Name: "gemini", List: "contents",
	System: []string{"systemInstruction", "system_instruction"}, Tools: []string{"tools"},
	Member: member, Part: part, Settle: settle,
	Whole: whole, Place: place, Keep: keep, Note: note,
}

func member(name []byte) list.Act {
	switch string(name) {
	case "role":
		return list.Role
	case "parts":
		return list.Content
	case "cache_control": // of gateways that speak for other providers
		return list.Mark
	}
	return list.Keep
}

func part(name []byte) list.Act {
	switch string(name) {
	case "text":
		return list.Text
	case "thought":
		return list.Thought
	case "thoughtSignature", "thought_signature":
		return list.Drop
	case "functionCall", "function_call":
		return list.Call
	case "functionResponse", "function_response":
		return list.Result
	case "executableCode", "executable_code", "codeExecutionResult", "code_execution_result":
		return list.Server
	case "cache_control":
		return list.Mark
	}
	return list.Keep
}

func settle(f list.Facts, last wire.Item) (wire.Item, bool) {
	it := wire.Item{Hash: f.Hash, Holds: f.Holds}
	switch string(f.Role) {
	case "model":
		it.Role, it.Open = trimtab.RoleAssistant, f.Calls
	case "user", "function", "tool", "":
		it.Role = trimtab.RoleUser
		if f.Results > 0 {
			it.Open = max(0, last.Open-f.Results)
		}
	case "system":
		it.Role, it.Open = trimtab.RoleSystem, last.Open
	default:
		return it, false
	}
	return it, true
}

// whole: the responses come right behind the calls.
func whole(b *wire.Body, at int) string {
	if at > 0 && b.Items[at-1].Open > 0 {
		return "function calls before it wait for their responses"
	}
	for i := at; i < len(b.Items) && b.Items[i].Role == trimtab.RoleUser; i++ {
		if b.Items[i].Holds&wire.HoldsResult != 0 {
			return "the responses to function calls come first"
		}
	}
	return ""
}

func place(_ *wire.Body, at int) int { return at }

func keep(*wire.Body) int { return 0 }

func note(dst []byte, texts []string) []byte {
	dst = append(dst, `{"role":"user","parts":[`...)
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"text":`...)
		dst = jsonscan.AppendQuote(dst, t)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}
