//go:build !e2e || !unix

package postgres

import "testing"

// withServer runs the tests on the server that was named, if one was.
func withServer(m *testing.M) int { return m.Run() }
