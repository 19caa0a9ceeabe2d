package tool

import "context"

// Ask is what a person is asked before a tool runs that changes something.
type Ask struct {
	Tool   string // its name
	Title  string // one line: the command, or the file
	Detail string // a unified diff or the whole command; may be long
	Rule   string // what "always" would allow, e.g. "bash: git status *"; "" if always is not offered
	Lasts  bool   // the rule can be kept beyond the session
}

// Answer is whether a call may run.
type Answer int

// The answers. What is not answered is refused.
const (
	Refuse Answer = iota
	Once
	Always // this call, and all that the rule speaks of
	Stop   // refuse, and end the run
)

func (a Answer) String() string {
	switch a {
	case Once:
		return "once"
	case Always:
		return "always"
	case Stop:
		return "stop"
	}
	return "refuse"
}

// Scope is for how long a person allows what a rule speaks of.
type Scope int

// The scopes, each wider than the one before.
const (
	ForSession Scope = iota
	ForProject
	ForUser
)

// Reply is what the person says to an Ask.
type Reply struct {
	Answer Answer
	Scope  Scope  // of Always
	Why    string // of Refuse: what the model is told to do instead; may be empty
}

// Grant is what a person allows without being asked.
type Grant struct {
	Allow []string `json:"allow,omitempty"` // commands, as in tools.allow
	Edits bool     `json:"edits,omitempty"` // files of the project are changed freely

	Prompts []string `json:"prompts,omitempty"` // the project's own commands that the person has read, by the hash of their text
}

// Grants keeps what a person allows beyond one session.
type Grants interface {
	// Granted is what is allowed in the folder now.
	Granted() Grant
	// Add allows something more, in the folder or in all.
	Add(scope Scope, g Grant) error
}

type sessionKey struct{}

// WithSession returns a context for calls of one session. What a tool remembers
// (which files were read, what the person always allows) it remembers by session.
func WithSession(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, sessionKey{}, id)
}

// SessionOf returns the session of a call; "" if nobody said.
func SessionOf(ctx context.Context) string {
	id, _ := ctx.Value(sessionKey{}).(string)
	return id
}
