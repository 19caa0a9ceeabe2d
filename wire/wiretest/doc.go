// Package wiretest holds every wire format to the same promises. Run takes a
// format and a Corpus: how an API writes conversations, and how a second reader
// (encoding/json) understands a request. What the API refuses, and recorded requests
// of real clients, are those of internal/fakemodel.
//
// Its rules are written from the vendors' words and share no code with the
// formats, so that both would have to be wrong in the same way. Conversations
// come from a seed: a failure names it and can be seen again.
//
//	func TestDialect(t *testing.T) {
//		wiretest.Run(t, anthropic.Format{}, wiretest.Anthropic())
//	}
package wiretest
