package main

// giveWay: looking back is short, and takes one thread.
func giveWay() {}
