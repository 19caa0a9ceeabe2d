package fakemodel

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
)

// Binding is what becomes of thinking that comes back behind a changed prefix,
// where the request does not say it.
type Binding int

// The kinds of accounts: those that refuse, which newer ones do; those that drop
// the thinking and say nothing; those that show it to the model all the same.
const (
	BindingEnforced Binding = iota
	BindingSilent
	BindingAllowed
)

// Transformation is what was done to a thinking block that a request carried
// and that failed a check, in the API's own words.
type Transformation struct {
	Type   string // thinking_dropped, thinking_mismatch_allowed
	Path   string // messages.1.content.0
	Reason string // prefix_binding_mismatch, model_binding_mismatch

	message, block int
}

const (
	droppedThinking = "thinking_dropped"
	allowedThinking = "thinking_mismatch_allowed"
	otherPrefix     = "prefix_binding_mismatch"
	otherModel      = "model_binding_mismatch"
)

// seal is what a signature of Anthropic's thinking says: by whom and behind what
// it was thought. It is all in the signature, so that another server, or this one
// started again, can check it.
type seal struct {
	thinking sum // as it was shown
	model    string
	prefix
	previous sum // the signature of the thinking before it; 0 is none
}

var (
	sealKey   = []byte("fakemodel")
	sealMagic = []byte("fm1")
)

// sign writes a seal as a signature.
func (s seal) sign() string {
	b := bytes.Clone(sealMagic)
	for _, n := range []sum{s.thinking, s.system, s.tools, s.messages, s.previous} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, s.model...)
	return base64.StdEncoding.EncodeToString(append(b, mac(b)...))
}

const macSize = 16

func mac(b []byte) []byte {
	h := hmac.New(sha256.New, sealKey)
	h.Write(b)
	return h.Sum(nil)[:macSize]
}

// openSeal reads a signature that sign wrote.
func openSeal(signature string) (seal, bool) {
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(raw) < len(sealMagic)+5*8+macSize || !bytes.HasPrefix(raw, sealMagic) {
		return seal{}, false
	}
	b, end := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(mac(b), end) {
		return seal{}, false
	}
	b = b[len(sealMagic):]
	next := func() sum {
		n := binary.BigEndian.Uint64(b)
		b = b[8:]
		return sum(n)
	}
	s := seal{thinking: next()}
	s.system, s.tools, s.messages, s.previous = next(), next(), next(), next()
	s.model = string(b)
	return s, true
}

// thought is a thinking block of a request.
type thought struct {
	message, block int
	signature      string
	seal
	byHand bool // a test told of it: bound to nothing
}

// thoughts reads the thinking that a request carries.
func (m *memory) thoughtsOf(b object) ([]thought, error) {
	latest, _ := lastAssistant(b)
	var all []thought
	for i, msg := range objects(list(b, "messages")) {
		for j, block := range objects(list(msg, "content")) {
			if str(block, "type") != "thinking" {
				continue
			}
			t := thought{message: i, block: j, signature: str(block, "signature")}
			shown, byHand := m.thoughts[t.signature]
			var ours bool
			if t.seal, ours = openSeal(t.signature); !ours {
				if t.byHand = byHand; !byHand {
					return nil, refuseAnthropic("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
				}
				t.thinking = digest(shown)
			}
			if i == latest && t.thinking != digest(str(block, "thinking")) {
				return nil, refuseAnthropic(changedThinking, i, j)
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// bound holds the thinking of a request against what stands before it. It sets
// what was dropped, and what new thinking will be bound to. Each block is held
// against its own prefix and the thinking that was shown before it, so that what
// came after a change stays.
func (r *Request) bound(all []thought, account Binding, m *memory) error {
	p := prefixesOf(r.tree)
	defer m.see(p)
	messages, reader := objects(list(r.tree, "messages")), claudeOf(r.Model)
	var previous sum
	fail := func(t thought, kind, reason string) {
		r.Transformed = append(r.Transformed, Transformation{kind, fmt.Sprintf("messages.%d.content.%d", t.message, t.block), reason, t.message, t.block})
	}
	for _, t := range all {
		switch {
		case t.byHand:
			continue
		case !reader.reads(claudeOf(t.model)):
			fail(t, droppedThinking, otherModel)
			continue
		}
		now := p.within(p.before[t.message], messages[t.message], t.block)
		broken := previous != 0 && t.previous != previous
		if reader.binds() && claudeOf(t.model).binds() && (broken || now != t.prefix) {
			switch r.onMismatch(account) {
			case BindingEnforced:
				return r.refuseBound(t, now, m.firstUnseen(p))
			case BindingAllowed:
				fail(t, allowedThinking, otherPrefix)
			case BindingSilent:
				fail(t, droppedThinking, otherPrefix)
				continue
			}
		}
		previous = digest(t.signature)
	}
	r.prefix, r.previous = p.prefix, previous
	return nil
}

// onMismatch is what the request asks for, or else what its account does.
func (r *Request) onMismatch(account Binding) Binding {
	switch str(obj(obj(r.tree, "thinking"), "block_binding"), "prefix_mismatch_behavior") {
	case "drop_block":
		return BindingSilent
	case "error":
		return BindingEnforced
	}
	return account
}

func (r *Request) refuseBound(t thought, now prefix, first int) error {
	words := "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
	if !betasOf(r.Header).has(BetaBinding) {
		words += " That setting requires the `" + BetaBinding + "` value in the `anthropic-beta` header."
	}
	switch {
	case now.system != t.system:
		words += " The `system` prompt differs from when the block was created."
	case now.tools != t.tools:
		words += " The `tools` list differs from when the block was created."
	case now.messages != t.messages:
		if first >= 0 && first < t.message {
			words += fmt.Sprintf(" Content before this block differs from when it was created, first at `messages.%d`.", first)
		}
	default:
		words += " A thinking block before it was left out or moved."
	}
	return refuseAnthropic("messages.%d.content.%d: %s", t.message, t.block, words)
}

// firstUnseen is the first message that no earlier request had in its place.
func (m *memory) firstUnseen(p prefixes) int {
	return slices.IndexFunc(p.ends(), func(s sum) bool { return !m.seen[s] })
}

// see remembers the prefixes of a request, for the words of refusals.
func (m *memory) see(p prefixes) {
	for _, s := range p.ends() {
		m.seen[s] = true
	}
}
