// Package list is the one machine behind the formats: it finds the message list
// of a request, hashes its items, takes over what a session's last body has
// already told, and splices edits in. What differs between the APIs is a Shape:
// the names of members and what they mean.
//
// It never decodes a text, never moves a byte outside an edit, and allocates
// nothing per item.
//
//	var shape = list.Shape{Name: "anthropic", List: "messages", Member: member, …}
//	err := list.Scan(&shape, raw, into, known)
//	out, err := list.Splice(&shape, dst, body, edits)
package list
