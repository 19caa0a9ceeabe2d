// Command trimtab-answer answers a hook of an agent from the database: what
// trimtab-hook, which opens none, hands on. It is the same as trimtab hook in a
// program that starts in a third of the time, because it holds nothing else.
//
// It lies beside the other two and needs neither, but for sessions on a database
// server and for looking back at a session that stopped: both are trimtab's. It
// exits 0 whatever happens: to agents another code means that they must not go on.
//
//	trimtab-answer [--data DIR] HOST EVENT < input.json
package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/surface/hook/answer"
	"github.com/trimtab/trimtab/surface/hook/relay"
)

// margin is how much earlier what this program started must end: it would go on
// without it, and hold the host's streams open.
const margin = 100 * time.Millisecond

func main() {
	defer func() {
		_ = recover() // a panic would exit with 2, and that tells an agent not to go on
		os.Exit(0)
	}()
	time.AfterFunc(answer.Cap, func() { os.Exit(0) }) // whatever hangs: stdin, the disk, trimtab
	reply(os.Args[1:])
}

func reply(args []string) {
	began := time.Now()
	words, input, ok := relay.Read("trimtab-answer", args)
	if !ok {
		return
	}
	r := answer.Run{
		In: bytes.NewReader(input), Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(),
		Home: home.Home{Getenv: os.Getenv, Data: words.Data}, Trimtab: trimtab,
	}
	if !r.Answer(context.Background(), words.Host, words.Event) {
		return
	}
	if next := relay.Find("trimtab"); next != "" {
		relay.To(next, append([]string{"hook"}, args...), input, answer.Cap-margin-time.Since(began))
	}
}

func trimtab() ([]string, error) {
	if path := relay.Find("trimtab"); path != "" {
		return []string{path}, nil
	}
	return nil, errors.New("trimtab is neither beside trimtab-answer nor on PATH")
}
