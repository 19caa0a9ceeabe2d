package scan

import "golang.org/x/sys/cpu"

// blocks reports whether the functions below can be called.
var blocks = cpu.X86.HasAVX2 && cpu.X86.HasPCLMULQDQ

// blockQuote returns the place of the first quote in b that is not escaped, as far
// as b is whole blocks of 64 bytes. Where there is none it returns ^i: the search goes
// on at i, behind those blocks, or behind the byte that their last one escapes.
//
//go:noescape
func blockQuote(b []byte) int

// blockText is decode by blocks of 32 bytes. It stops before what is less, in out or
// in v.
//
//go:noescape
func blockText(out, v []byte) (i, n int)

// blockBracket returns the place of the bracket that brings the depth to 0, as far as
// b is whole blocks of 64 bytes; -1 where there is none, and s says how to go on; -2
// at a backslash outside of strings, which no JSON has.
//
//go:noescape
func blockBracket(b []byte, s *brackets) int
