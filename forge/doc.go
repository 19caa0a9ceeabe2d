// Package forge is where issues, branches and pull requests live, whoever keeps
// them: GitHub, Gitea or Forgejo, GitLab, or a folder of this machine.
//
// A Forge does one thing for each call and says honestly what came of it: done,
// refused, not now, or unclear, which means that it may have happened. A Idempotent
// works on top of any forge and makes each thing once. It looks for its own signed
// marker before it makes something, records that it is about to, and where an
// answer was lost waits until the forge can no longer be at work on the request,
// then looks again. The same errand twice, by this process or by the one that
// follows a crash, leaves one issue, one pull request, one comment.
//
// The package does not know what the issues are for. It never merges, never follows
// a redirect with a token in hand, and never writes a token into an error. What
// leaves through it must have been redacted by the caller.
//
//	hub, err := github.New(github.Config{Repo: "ada/ship"}, github.Options{Token: token})
//	…
//	once, err := forge.NewIdempotent(hub, forge.Options{Keys: keys, Log: log})
//	…
//	issue, err := once.Issue(ctx, fingerprint, forge.Text{Title: title, Body: body}, labels)
//	if wait, ok := errors.AsType[*forge.Error](err); ok && errors.Is(err, forge.ErrLimited) {
//		again := wait.Until
//	}
package forge
