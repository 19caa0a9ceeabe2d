//go:build !linux && !darwin

package main

import "os"

// screenWidth is not known here.
func screenWidth(*os.File) int { return 0 }
