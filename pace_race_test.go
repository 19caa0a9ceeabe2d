//go:build race

package trimtab_test

// fewer divides counts that would take minutes under the race detector, which has
// nothing to find where nothing runs beside anything.
const fewer = 20
