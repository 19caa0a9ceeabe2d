// Package secrettest plants canaries and looks for them afterwards: sixty
// secrets of as many kinds, made from a seed, that must be found nowhere once
// the work is done: no database, journal, log, archive, nor in base64 or
// escaped.
//
// It never holds a secret that opens anything, and it does not use the detector
// it tests: what the detector cannot see, the search must.
//
//	canaries := secrettest.Make(7)
//	for _, c := range canaries {
//		session.Write(c.Text) // the secret where it would stand: "DB_PASSWORD=…"
//	}
//	…
//	secrettest.Search(t, folder, canaries)
package secrettest
