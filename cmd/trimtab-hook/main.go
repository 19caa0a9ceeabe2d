// Command trimtab-hook answers one hook of an agent: the same as trimtab hook, in
// a program that starts like a hello. Most calls tell of a tool that has run when
// nothing is due; those it puts aside in a small folder and ends. For all others
// it starts trimtab-answer, which lies beside it, or trimtab, beside it or on PATH,
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
	"github.com/trimtab/trimtab/surface/hook/relay"
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
	words, input, ok := relay.Read("trimtab-hook", args)
	if !ok {
		return
	}
	call, err := spool.Read(words.Host, words.Event, input)
	if err != nil {
		_, _ = os.Stderr.WriteString("trimtab-hook: " + err.Error() + "\n")
		return
	}
	data, err := home.Home{Getenv: os.Getenv, Data: words.Data}.DataDir()
	if err == nil && spool.At(data, call).Light(call, time.Now().UnixNano(), os.Getpid()) {
		return
	}
	next := relay.Beside("trimtab-answer")
	if next == "" {
		next, args = relay.Find("trimtab"), append([]string{"hook"}, args...)
	}
	if next == "" {
		_, _ = os.Stderr.WriteString("trimtab-hook: trimtab is neither beside it nor on PATH\n")
		return
	}
	relay.To(next, args, input, limit-50*time.Millisecond)
}
