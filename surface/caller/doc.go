// Package caller gives everyone who uses a gateway a key of their own: made, listed, limited
// and revoked, with only its hash in the store, so that all gateways on one store know it.
// A caller is a user: the sessions of their requests are theirs. Keys of providers pass
// through, or are held by the gateway, and then callers never see them.
//
//	book := caller.NewBook(files, time.Now)
//	secret, key, err := book.Create(ctx, caller.Plan{Name: "laptop", User: "ann", Role: owned.Use}, "root")
//	…
//	gate := caller.NewGate(book, caller.Options{Held: held, Prices: prices, Replica: "gw1"})
//	defer gate.Start(ctx)()                      // what others revoke and use
//	server.Options{Callers: gate.Handler}        // who asks
//	gateway.Options{Guard: gate}                 // and for what
//
// A key is given as the API key of the provider, in the header X-Trimtab-Key or in the path
// of the address. It never leaves for a provider. What a gateway cannot count it does not
// let through for a caller whose use is limited.
package caller
