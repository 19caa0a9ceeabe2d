package trace

import "encoding/hex"

// parent is the span of the client that a turn belongs to, as its traceparent
// header says.
type parent struct {
	trace, span string // in hex
	recorded    bool   // the client records its trace
}

// parseParent reads a traceparent header of W3C Trace Context. ok is false where
// it is none: the turn then begins a trace of its own, as the standard asks.
func parseParent(text string) (p parent, ok bool) {
	const size = len("00-") + 32 + len("-") + 16 + len("-00")
	if len(text) < size || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return parent{}, false
	}
	version, trace, span, flags := text[:2], text[3:35], text[36:52], text[53:55]
	if !lowerHex(version) || !lowerHex(trace) || !lowerHex(span) || !lowerHex(flags) || version == "ff" || zero(trace) || zero(span) {
		return parent{}, false
	}
	if len(text) > size && (version == "00" || text[size] != '-') { // later versions may say more
		return parent{}, false
	}
	bits, err := hex.DecodeString(flags)
	if err != nil {
		return parent{}, false
	}
	return parent{trace, span, bits[0]&1 == 1}, true
}

func lowerHex(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func zero(s string) bool {
	for _, c := range []byte(s) {
		if c != '0' {
			return false
		}
	}
	return true
}
