// Package secret finds secrets in text and takes them out. Everything that
// leaves the machine (issue, pull request, log, prompt to another model) passes
// through it.
//
// A keyword filter goes over the text once; what it meets is looked at by the
// one or two rules that the keyword belongs to, on a window of bounded size, so
// the time is linear in the text whatever the text is. Escaped forms (JSON, URL)
// are read as they were meant, and base64 of the common ones is looked into.
//
// It never stores, returns or prints a secret: a Finding has a kind and a place.
// It asks no network whether a key is alive, and it reads no file. What it
// cannot know is a password that looks like a word; give such values as Known.
//
//	s := secret.New(secret.Options{})
//	text, found := s.Redact(log) // "key=[REDACTED:github-token]"
//	s = secret.New(secret.Options{
//		Known:   secret.FromEnviron(os.Environ()), // also these exact values, in any common form
//		Private: true,                             // also e-mail addresses, user names in paths, cards, inner hosts
//	})
//	text, found = s.Redact(issue)
//	for _, a := range s.FindDiff(patch) {
//		fmt.Println(a.File, a.Line, a.Kind) // in added lines only
//	}
//
// Redacting is idempotent: what stands between two marks is clean.
package secret
