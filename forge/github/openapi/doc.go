// Package openapi holds what we say to GitHub, and what our fake of it answers,
// against the description of the API that GitHub publishes.
//
// A Guard is a server in front of another one. Of every request it checks the
// method, the path, the parameters and the body, of every answer the status and
// the body, and it calls a mistake also what a description lets pass: a parameter
// or a field that it does not know. It changes nothing of what goes through, and
// git's own requests it lets pass unread.
//
// It is a module of its own, so that who builds trimtab needs none of what it
// needs. Its tests bear the build tag e2e and fetch the description once, with
// script/openapi.
//
//	words, err := openapi.Read("api.github.com.json", "/api/v3")
//	…
//	guard := openapi.NewGuard(words, hub.URL, func(mistake string) { t.Error(mistake) })
//	server := httptest.NewServer(guard)
package openapi
