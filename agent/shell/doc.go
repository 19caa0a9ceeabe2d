// Package shell reads a command as a POSIX shell would, far enough to tell which
// programs it runs, so that rules can say which of them need no question.
//
// It never runs anything and never guesses. mvdan.cc/sh parses; of its syntax tree few
// kinds of node are known here, and what is not (a redirect to a file, a loop, a
// function, an assignment, odd quoting) makes the whole command Odd, and an odd command
// is allowed by no rule. A test compares what is read with what bash runs.
//
//	rule, err := shell.ParseRule("go test *")
//	if err != nil {
//		return err
//	}
//	line := shell.Parse("go vet ./... && go test ./...")
//	line.Allowed(rule) // false: nothing allows go vet
//	line.Suggest(rule) // go vet *
//
// A rule is words that a command must begin with. It ends with * where more words
// may follow; without it the command is exactly these words. What programs.txt lists
// (options that run programs, write files, lose work) is not among the words that *
// stands for.
package shell
