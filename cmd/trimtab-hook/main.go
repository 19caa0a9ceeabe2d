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
	"sync/atomic"
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
	var started atomic.Pointer[os.Process]
	time.AfterFunc(limit, func() { // whatever hangs: stdin, the disk, trimtab
		if p := started.Load(); p != nil {
			_ = p.Kill() // it would go on without us, and hold the host's streams open
		}
		os.Exit(0)
	})
	answer(os.Args[1:], started.Store)
}

// answer puts a call aside or has trimtab answer it. It reports the process that it
// starts.
func answer(args []string, started func(*os.Process)) {
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
	handOff(trimtab, append([]string{"hook"}, args...), input, started)
}

func complain(text string) { _, _ = os.Stderr.WriteString(text + "\n") }
