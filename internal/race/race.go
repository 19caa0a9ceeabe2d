// Package race tells tests whether the race detector looks at them.
//
// It makes code that only computes ten to fifty times slower and can find nothing in it: a
// count that is long for the sake of its cases may be shorter then, since make test has run it
// without. What several goroutines do is never cut short.
//
//	if race.Enabled {
//		n = 50
//	}
package race
