// Package anthropic asks models by Anthropic's Messages API.
//
// It writes requests and leaves the sending to post and the reading to the wire
// format. The beginning of a conversation stays the same bytes from request to
// request and is marked for the provider's cache; thinking goes back, with its
// signature and unchanged, to the model that thought it and to no other. Where
// the provider does not take it back, because something before it has changed
// since, the request goes once more without it. The package keeps no state and knows
// nothing of prices.
//
//	m, err := anthropic.New(anthropic.Options{Model: "claude-opus-5", Key: source.Find("ANTHROPIC_API_KEY")})
//	…
//	reply, stop, err := llm.Collect(m.Stream(ctx, request))
package anthropic
