//go:build !amd64

package scan

// blocks is false: there are no blocks here.
const blocks = false

func blockQuote([]byte) int { return ^0 }

func blockText(_, _ []byte) (i, n int) { return 0, 0 }

func blockBracket([]byte, *brackets) int { return -1 }
