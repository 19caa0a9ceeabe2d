// Package client carries requests to providers and their replies back.
//
// A Sender sends what a provider's package wrote, reads the stream with the wire
// format's reader and yields it in the words of llm. Where the provider is busy or
// the connection fails before anything of the reply has come, it waits and tries
// again, and says so. A stream that was cut is an error and never a reply. Errors
// say what happened, where and what to do, and never hold a key.
//
// It knows no format, follows no redirect (a key belongs to one host), reads no
// more than its limits, and starts no goroutine: the reader's own one reads.
//
//	sender := post.New(post.Options{})
//	stream := sender.Stream(ctx, post.Letter{
//		Name: "anthropic/claude-opus-5", URL: url, Header: header, Body: body,
//		Key: key, Format: anthropic.Format{},
//	})
package client
