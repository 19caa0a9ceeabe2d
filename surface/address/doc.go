// Package address gives every run and every client of trimtab serve an address of
// its own: a base URL with a secret in its path. A gateway on loopback can be reached
// by every user of the machine, and what it is told counts as the person's; so nothing
// is answered to a request without a secret that is known.
//
//	secret := address.New()
//	base := address.URL("http://127.0.0.1:8787", secret) // http://127.0.0.1:8787/k/SECRET
//	h := address.Handler(address.Only(secret), gateway)  // the gateway sees the path behind it
//
//	clients := address.Open(filepath.Join(data, "clients"))
//	secret, err := clients.Secret("claude")              // made on first need, then the same
//	h = address.Handler(clients.Known, gateway)
//
// It never writes a secret anywhere but into the folder of the clients, and it knows
// neither providers nor sessions.
package address
