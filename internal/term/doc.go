// Package term is a terminal for tests. It runs a program on a pty, as a person's
// terminal does, and keeps what that person would see: a Screen interprets what
// the program writes, a Terminal types at it and waits for words to appear.
//
// It needs no tmux and no C compiler. It is not a terminal to work in: it knows
// the sequences that our chat and its library write, answers the questions that
// they ask, and ignores the rest.
//
//	t := term.Start(tb, exec.Command(binary), 80, 24)
//	t.Wait("/help lists the commands")
//	t.Type("hello\r")
//	t.Wait("demo model")
//	fmt.Println(t.Text())
package term
