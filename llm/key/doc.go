// Package key finds the keys with which providers are asked, and keeps them out
// of sight.
//
// A Key can be put into the header of a request and be hidden in a text. It
// cannot be read, printed, logged or encoded: there is no way to the secret
// itself. Keys come from the environment and from the system's keyring, both
// handed in; Store puts one that a person typed into the keyring, and nowhere else.
//
//	source := key.Source{Env: os.Getenv, Ring: key.System()}
//	k := source.Find("ANTHROPIC_API_KEY")
//	if k.Empty() {
//		return errors.New("set ANTHROPIC_API_KEY")
//	}
//	k.Set(header, "X-Api-Key", "")
//	log.Print(k) // "the key in ANTHROPIC_API_KEY"
package key
