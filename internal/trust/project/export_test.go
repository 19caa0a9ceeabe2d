package project

// For tests.
var (
	Find   = find
	Revoke = revoke
)

// Found is what Find returns.
type Found = parts
