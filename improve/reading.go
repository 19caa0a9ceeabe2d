package improve

import "time"

// Reading is what the person's own agent found where rules end. It stands beside the
// patterns and is never one of them: nothing that a reader says becomes work by itself.
type Reading struct {
	Agent    string         `json:"agent"`
	Model    string         `json:"model,omitempty"`
	Sessions int            `json:"sessions"`          // that were read, now or before
	Cached   int            `json:"cached"`            // of them before
	Left     int            `json:"left_out"`          // beyond the limit
	Failed   int            `json:"failed"`            // the agent gave no answer that can be read
	Why      string         `json:"why,omitempty"`     // of the first that failed
	Tokens   int            `json:"tokens"`            // sent, estimated
	Cost     float64        `json:"cost_usd"`          // of this run, as far as the agent tells it
	Dropped  map[string]int `json:"dropped,omitempty"` // claims and causes that the check did not let through, by reason
	Causes   []Cause        `json:"causes"`
}

// Cause is one cause of trouble over all sessions in which a reader named it.
type Cause struct {
	Kind     string    `json:"kind"`
	Subject  string    `json:"subject,omitempty"` // the command, file, rule or habit that it is about
	Title    string    `json:"title"`
	Do       string    `json:"suggestion,omitempty"`
	Sessions int       `json:"sessions"`
	In       []string  `json:"session_ids"`
	Claims   []Claim   `json:"claims"`
	Last     time.Time `json:"last_seen"`
}

// Claim is what a reader says of one message. The quote was found there.
type Claim struct {
	Session string `json:"session_id"`
	Message string `json:"message_id"`
	Quote   string `json:"quote"`
	Says    string `json:"says,omitempty"`
}
