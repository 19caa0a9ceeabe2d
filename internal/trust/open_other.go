//go:build !unix

package trust

// nonblock is nothing where a folder holds no pipes.
const nonblock = 0
