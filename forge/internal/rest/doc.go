// Package rest carries requests to the forges that speak JSON over HTTP, and
// says what came of them in the words of package forge.
//
// The difference that matters is kept sharp: a request that never left did
// nothing, one whose answer is missing, cut or a gateway's excuse may have done
// its work. Rate limits are remembered, so that nothing is sent before they end,
// and writing requests keep a distance. No redirect is followed, for a token
// belongs to one host; no request is repeated; answers are read up to a limit;
// the token is taken out of whatever is said.
//
// It knows no forge: paths and fields come from its callers.
//
//	client, err := rest.New(rest.Options{Name: "github", Base: base, Token: token})
//	err = client.Do(ctx, rest.Call{Doing: "open issue", Method: "POST", Path: rest.Path("repos", owner, name, "issues"), In: in, Out: &out})
package rest
