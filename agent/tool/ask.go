package tool

import "context"

// Ask is what a person is asked before a tool runs that changes something.
type Ask struct {
	Tool   string // its name
	Title  string // one line: the command, or the file
	Detail string // a unified diff or the whole command; may be long
	Rule   string // what "always" would allow for this session, e.g. "bash: git status *"; "" if always is not offered
}

// Answer is what the person says to an Ask.
type Answer int

// The answers. What is not answered is refused.
const (
	Refuse Answer = iota
	Once
	Always // this call, and for this session all that the rule speaks of
)

func (a Answer) String() string {
	switch a {
	case Once:
		return "once"
	case Always:
		return "always"
	}
	return "refuse"
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
