package fakemodel

import "slices"

// Visible returns what of the conversation the model sees: without the system
// messages that have cleared themselves and without the thinking that was
// dropped. Items has all of it.
func (r Request) Visible() []Item {
	if r.Format != Anthropic {
		return slices.Clone(r.Items)
	}
	gone := cleared(objects(list(r.tree, "messages")))
	return slices.DeleteFunc(slices.Clone(r.Items), func(i Item) bool {
		return gone[i.Message] || r.dropped(i.Message, i.block)
	})
}

// dropped reports whether a block is thinking that was dropped.
func (r *Request) dropped(message, block int) bool {
	return slices.ContainsFunc(r.Transformed, func(t Transformation) bool {
		return t.Type == droppedThinking && t.message == message && t.block == block
	})
}
