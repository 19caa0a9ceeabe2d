package project_test

import "testing"

func fifo(*testing.T, string) {}
