// Package normalize puts a conversation in the order that every provider accepts.
//
// A history may hold what an API refuses: two replies in a row, a call without a
// result, a word between the two, an id used twice, an empty text, thinking of
// another model. Order makes turns of it that take it in turns: the user
// first and last, every call answered at the start of the turn behind it, every
// id of its own. What is in order already is left as it is, and the same
// beginning of a history gives the same beginning of turns: prompt caches depend
// on it.
//
// It is pure, and it knows no API; the providers write the turns down.
//
//	talk := turn.Order(request.Messages, "anthropic/claude-opus-5")
//	for _, t := range talk.Turns {
//		for _, r := range t.Results { … }
//		for _, say := range t.Says { … }
//	}
package normalize
