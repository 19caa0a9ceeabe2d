package feed

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"
)

// Key is the hash of a line's id: a tree of lines need not hold the ids.
type Key [16]byte

// KeyOf makes a key of an id as it is written, in its quotes.
func KeyOf(id []byte) (k Key) {
	if len(id) == 38 { // the usual form: 36 bytes between quotes, of which 32 vary
		a := mix(binary.LittleEndian.Uint64(id[1:]), binary.LittleEndian.Uint64(id[9:]))
		b := mix(binary.LittleEndian.Uint64(id[17:]), binary.LittleEndian.Uint64(id[25:])^uint64(binary.LittleEndian.Uint32(id[33:]))<<32)
		binary.LittleEndian.PutUint64(k[:], a^bits.RotateLeft64(b, 32))
		binary.LittleEndian.PutUint64(k[8:], mix(a, b))
		return k
	}
	h := fnv.New128a()
	h.Write(id)
	h.Sum(k[:0])
	return k
}

// mix joins two words so that each bit of them counts.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9E3779B97F4A7C15, b^0xC2B2AE3D27D4EB4F)
	return hi ^ lo ^ a ^ bits.RotateLeft64(b, 17)
}
