//go:build !unix

package main

import "time"

var began = time.Now()

// spent returns the time since the start, where the system tells no better.
func spent() time.Duration { return time.Since(began) }
