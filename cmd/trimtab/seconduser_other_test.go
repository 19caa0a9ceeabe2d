//go:build !unix

package main

func secondUser() {}
