// Package decode makes parts of messages from JSON values. What it returns shares
// no memory with them, holds valid UTF-8 and can be encoded again.
//
// It never looks at who may have written a text; its callers say so.
//
//	text := decode.Text(literal, trimtab.Model)
//	call := trimtab.ToolCall{ID: decode.String(id), Name: decode.String(name), Input: decode.Input(arguments)}
package decode
