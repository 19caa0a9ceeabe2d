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

// Offered returns the tools that the model may call where the request ends: those
// that are declared and not deferred, with what tool_addition and tool_removal
// blocks and searches for tools made of them. Tools has all that are declared.
func (r Request) Offered() []Tool {
	if r.Format != Anthropic {
		return slices.Clone(r.Tools)
	}
	declared, offered := map[string]Tool{}, []Tool{}
	for i, o := range objects(list(r.tree, "tools")) {
		for _, tool := range toolsOf(Anthropic, object{"tools": list(r.tree, "tools")[i : i+1]}) {
			declared[tool.Name] = tool
			if !flag(o, "defer_loading") {
				offered = append(offered, tool)
			}
		}
	}
	withdraw := func(name string) {
		offered = slices.DeleteFunc(offered, func(t Tool) bool { return t.Name == name })
	}
	for _, m := range objects(list(r.tree, "messages")) {
		for _, block := range spoken(m["content"]) {
			if definition := obj(obj(block, "tool"), "definition"); definition != nil {
				for _, tool := range toolsOf(Anthropic, object{"tools": []any{definition}}) {
					declared[tool.Name] = tool
					withdraw(tool.Name)
					offered = append(offered, tool)
				}
			}
			for _, name := range references(block) {
				withdraw(name)
				if tool, ok := declared[name]; ok && str(block, "type") != "tool_removal" {
					offered = append(offered, tool)
				}
			}
		}
	}
	return offered
}
