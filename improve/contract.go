package improve

import "time"

// Severity says how bad a pattern is.
type Severity string

// The severities, from the least.
const (
	Low      Severity = "low"
	Medium   Severity = "medium"
	High     Severity = "high"
	Critical Severity = "critical"
)

// Rank orders severities: 1 for low to 4 for critical, 0 for anything else.
func (s Severity) Rank() int {
	switch s {
	case Low:
		return 1
	case Medium:
		return 2
	case High:
		return 3
	case Critical:
		return 4
	}
	return 0
}

// Priority says how much a reflection asks for work.
type Priority string

// The priorities, from the least.
const (
	PriorityNone   Priority = "none"
	PriorityLow    Priority = "low"
	PriorityMedium Priority = "medium"
	PriorityHigh   Priority = "high"
)

// Sample is one place where a pattern was seen. Its excerpt is redacted and short.
type Sample struct {
	Session string `json:"session_id,omitempty"`
	Message string `json:"message_id,omitempty"`
	Excerpt string `json:"excerpt"`
}

// Pattern is one kind of trouble, with what shows it.
type Pattern struct {
	Type       string   `json:"type"`
	Severity   Severity `json:"severity"`
	Count      int      `json:"count"`
	Suggestion string   `json:"suggestion"`
	Context    Context  `json:"context"`
	Samples    []Sample `json:"samples"`
	// Fingerprint is the type with the normalised signature, hashed: the same
	// trouble in another session has the same one.
	Fingerprint string `json:"fingerprint"`
	Score       int    `json:"score"`
}

// Metrics are the figures of a session.
type Metrics struct {
	TotalMessages     int  `json:"total_messages"`
	UserMessages      int  `json:"user_messages"`
	AssistantMessages int  `json:"assistant_messages"`
	ToolUses          int  `json:"tool_uses"`
	DurationMinutes   *int `json:"session_duration_minutes,omitempty"`
}

// Result is what reflecting on one session gave.
type Result struct {
	SessionID   string    `json:"session_id"`
	Parent      string    `json:"parent_session_id,omitempty"` // of a sub-agent: the session that started it
	Timestamp   time.Time `json:"timestamp"`
	Patterns    []Pattern `json:"patterns"`
	Metrics     Metrics   `json:"metrics"`
	Suggestions []string  `json:"suggestions"`
	Priority    Priority  `json:"automation_priority"`

	Exposure *Exposure `json:"-"` // nil where nobody asked for it

	// Faint is what is no pattern of one session: errors that came once or twice.
	// Over several sessions they may be one.
	Faint []Pattern `json:"-"`
}

// Request asks for one improvement.
type Request struct {
	Title          string   `json:"issue_title"`
	Description    string   `json:"issue_description"`
	Priority       Severity `json:"priority"`
	Type           string   `json:"improvement_type"`
	Pattern        Pattern  `json:"source_pattern"`
	Context        Context  `json:"context"`
	Complexity     string   `json:"estimated_complexity"`
	MaxComponents  int      `json:"max_components"`
	MaxLines       int      `json:"max_lines_of_code"`
	SecurityReview bool     `json:"requires_security_review"`
	Kind           Kind     `json:"kind,omitempty"`  // "" is Code
	Turns          []Turn   `json:"turns,omitempty"` // of Guidance: what is replayed
}
