// Command trimtab-hook answers one hook of an agent: the same as trimtab hook, in
// a program that starts like a hello. Most calls tell of a tool that has run when
// nothing is due; those it puts aside in a small folder and ends. For all others
// it starts trimtab hook, from the trimtab beside it or on PATH, with the same input,
// and hands on the answer.
//
// It opens no database and decides nothing. It exits 0 whatever happens: to
// agents another code means that they must not go on.
//
//	trimtab-hook [--data DIR] HOST EVENT < input.json
package main

import (
	"os"
	"time"

	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// limit is how long a host may have to wait.
const limit = time.Second

func main() {
	defer func() {
		_ = recover() // a panic would exit with 2, and that tells an agent not to go on
		os.Exit(0)
	}()
	time.AfterFunc(limit, func() { os.Exit(0) }) // whatever hangs: stdin, the disk, trimtab
	answer(os.Args[1:])
}

func answer(args []string) {
	cmd, ok := spool.ParseArgs(args)
	if !ok {
		complain("usage: trimtab-hook [--data DIR] HOST EVENT")
		return
	}
	if spool.Off(os.Getenv) {
		return
	}
	input, err := spool.Input(os.Stdin)
	if err != nil {
		return
	}
	call, err := spool.Read(cmd.Host, cmd.Event, input)
	if err != nil {
		complain("trimtab-hook: " + err.Error())
		return
	}
	data, err := home.Home{Getenv: os.Getenv, Data: cmd.Data}.DataDir()
	if err == nil && spool.At(data, call).Defer(call, time.Now().UnixNano(), os.Getpid()) {
		return
	}
	trimtab := findTrimtab()
	if trimtab == "" {
		complain("trimtab-hook: trimtab is neither beside it nor on PATH")
		return
	}
	handOff(trimtab, append([]string{"hook"}, args...), input, limit-50*time.Millisecond)
}

func complain(text string) { _, _ = os.Stderr.WriteString(text + "\n") }
