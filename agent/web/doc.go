// Package web is the tool by which our own agent reads a page of the web.
//
// The person is asked before each host. Addresses of this machine and of private networks
// are refused after the name was resolved, so that a name which leads there gets no
// further; so are redirects to another host, which the model is told of and has to ask
// for. A page has limits in size and time. It never sends a cookie, a key or a body, and
// takes no proxy from the environment, which would decide behind the guard.
//
//	fetch := web.Fetch(web.Options{Config: cfg})
//	text, err := fetch.Call(ctx, json.RawMessage(`{"url":"https://go.dev/doc/"}`))
package web
