package trimtab

import (
	"cmp"
	"time"
)

// Meter keeps count of what a conversation and its steering weigh. Sizes are
// counted in bytes, which are exact, and told in tokens by a rate that follows
// what the provider reports.
type Meter struct {
	Bytes   int       `json:"bytes,omitempty"`   // the history as it stands
	Sent    int       `json:"sent,omitempty"`    // how much of it the last request held: the cached prefix
	SentSeq int       `json:"sentSeq,omitempty"` // messages in the last request
	SentAt  time.Time `json:"sentAt,omitzero"`   // when it left
	Rate    int       `json:"rate,omitempty"`    // bytes per 1,000 tokens; 0 is not yet known
	Added   int       `json:"added,omitempty"`   // tokens of all notes so far
	Lost    int       `json:"lost,omitempty"`    // tokens of cached prefix given up by changes of ours so far
	Planned int       `json:"planned,omitempty"` // of a change that the provider has not counted yet: about how many
	Cached  int       `json:"cached,omitempty"`  // tokens that the provider has kept of the last request, as it counted

	Context      int `json:"context,omitempty"` // tokens of the last request, as the provider counted
	ContextBytes int `json:"contextBytes,omitempty"`
}

const usualRate = 4000

// Tokens tells a size in tokens, rounded up.
func (m Meter) Tokens(bytes int) int {
	rate := cmp.Or(m.Rate, usualRate)
	return (bytes*1000 + rate - 1) / rate
}

// learn corrects the rate by the growth between two requests, which leaves out
// the system prompt and the tools that both of them carry.
func (m *Meter) learn(u Usage) {
	tokens, bytes := u.Context()-m.Context, m.Sent-m.ContextBytes
	if m.Context > 0 && tokens >= 200 && bytes >= 800 {
		seen := min(max(bytes*1000/tokens, 1500), 8000)
		m.Rate = (3*cmp.Or(m.Rate, usualRate) + seen) / 4
	}
	m.Context, m.ContextBytes = u.Context(), m.Sent
	if m.Planned > 0 { // what it cost is what the provider did not find again
		if m.Cached > 0 {
			m.Lost += max(0, m.Cached-u.CacheRead)
		} else {
			m.Lost += m.Planned
		}
	}
	m.Planned, m.Cached = 0, u.CacheRead+u.CacheWrite
}
