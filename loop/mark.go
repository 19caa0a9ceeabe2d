package loop

import "strings"

// mark is a set of hints that a result may tell how a call went. Without the hint
// nothing has to be searched for.
type mark uint8

const (
	markPending mark = 1 << iota // something may be under way
	markWrong                    // something may have gone wrong
	markCount                    // something may be counted
	markLate                     // something may have taken too long
)

// marks are the words that give a hint, by their hash.
var marks = func() map[uint64]mark {
	table := map[uint64]mark{}
	for kind, list := range map[mark]string{
		markPending: "progress in_progress running queued pending waiting ready containercreating finished building",
		markWrong:   "fail failed traceback panic err fatal segmentation exit exited code denied cannot undefined returncode such command",
		markCount:   "passed failed passing failing errors warnings tests failures",
		markLate:    "timed",
	} {
		for w := range words(list) {
			table[w.hash] |= kind
		}
	}
	return table
}()

// maybe has a bit for the end of each hash in marks: most words need no look-up.
var maybe = func() (bits [4]uint64) {
	for h := range marks {
		bits[h>>6&3] |= 1 << (h & 63)
	}
	return bits
}()

// markOf is the hint that a word gives. Names of errors end in one word or the
// other: SyntaxError.
func markOf(w word, text string) mark {
	if text[w.end-1]|0x20 == 'r' && w.end-w.begin >= 5 && strings.EqualFold(text[w.end-5:w.end], "error") {
		return markWrong | marks[w.hash]
	}
	if maybe[w.hash>>6&3]>>(w.hash&63)&1 == 0 {
		return 0
	}
	return marks[w.hash]
}
