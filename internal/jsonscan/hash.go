package jsonscan

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Hashes are of what a value says: white space and the order of an object's
// members do not count; the digits of a number and the escapes of a string do,
// as written. They are the same on every machine and in every run.

// Seeds keep values of different kinds apart.
const (
	seedText   = 0x9E3779B97F4A7C15
	seedScalar = 0xC2B2AE3D27D4EB4F
	seedArray  = 0x165667B19E3779F9
	seedObject = 0x27D4EB2F165667C5
)

// Mix joins two hashes; the order counts.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xA0761D6478BD642F, b^0xE7037ED1A0B428DB)
	return hi ^ lo
}

// Text hashes the string whose literal is B[i:end].
func (s *Scanner) Text(i, end int) uint64 { return TextHash(s.B[i+1 : end-1]) }

// TextHash hashes what stands between the quotes of a string.
func TextHash(text []byte) uint64 { return Mix(seedText, xxhash.Sum64(text)) }

// nameHash hashes a name or a scalar; most are short.
func nameHash(name []byte) uint64 {
	if len(name) <= 8 {
		var w uint64
		for _, c := range name {
			w = w<<8 | uint64(c)
		}
		return Mix(w, uint64(len(name)))
	}
	return xxhash.Sum64(name)
}

// MemberHash hashes a name with the hash of its value. An object's hash is made of
// the sum of its members'.
func MemberHash(name []byte, value uint64) uint64 { return Mix(nameHash(name), value) }

// ObjectHash makes the hash of an object from the sum of its members'.
func ObjectHash(sum uint64) uint64 { return Mix(seedObject, sum) }

// ListHash begins the hash of an array; Mix each element's to it.
const ListHash uint64 = seedArray

// Value steps over the value at i, which stands depth levels deep, and hashes it.
func (s *Scanner) Value(i, depth int) (end int, hash uint64) {
	b := s.B
	if i >= len(b) {
		return s.Fail(i, "an end too early"), 0
	}
	switch b[i] {
	case '"':
		if end = s.String(i); end < 0 {
			return -1, 0
		}
		return end, s.Text(i, end)
	case '{':
		return s.object(i, depth)
	case '[':
		return s.array(i, depth)
	}
	if end = s.scalar(i); end < 0 {
		return -1, 0
	}
	return end, Mix(seedScalar, nameHash(b[i:end]))
}

func (s *Scanner) object(i, depth int) (int, uint64) {
	if depth >= MaxDepth {
		return s.Fail(i, "nesting too deep"), 0
	}
	var sum uint64
	i, more := s.Open(i)
	for more {
		var from, to int
		var h uint64
		if from, to, i = s.Name(i); i < 0 {
			return -1, 0
		}
		if i, h = s.Value(i, depth+1); i < 0 {
			return -1, 0
		}
		sum += MemberHash(s.B[from:to], h)
		i, more = s.Next(i, '}')
	}
	return i, ObjectHash(sum)
}

func (s *Scanner) array(i, depth int) (int, uint64) {
	if depth >= MaxDepth {
		return s.Fail(i, "nesting too deep"), 0
	}
	hash := ListHash
	i, more := s.Open(i)
	for more {
		var h uint64
		if i, h = s.Value(i, depth+1); i < 0 {
			return -1, 0
		}
		hash = Mix(hash, h)
		i, more = s.Next(i, ']')
	}
	return i, hash
}
