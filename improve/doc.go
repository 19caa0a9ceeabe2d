// Package improve turns what went wrong in sessions into requests for
// improvement, and says which of them may become work.
//
// It is pure: it reads messages that are handed to it, counts, ranks and decides.
// It reads no file, asks no clock, and files nothing: improve/work does the
// thirteen steps, a store keeps the queue.
package improve
