//go:build !unix

package instruct

// nonblock is nothing where a folder holds no pipes.
const nonblock = 0
