// Command cache shows what steering does to a provider's prompt cache.
//
// It plays sessions through the engine as the gateway would, composes every
// request with Session.View, and sends it to a simulated cache: once without
// steering, once with notes that stay where they were sent (append), once with notes
// that ride at the end of each request while they live (tail), and, where the client
// marks the request as a whole, once with the same as system messages that clear
// themselves (clearing). It prints the share of the input that was read from the cache, and what the input cost. It calls no model and opens no
// connection; what the notes would have changed in the replies is not known.
//
//	go run ./bench/cache                              # long sessions that it makes up
//	go run ./bench/cache ~/.claude/projects/*/*.jsonl # recorded ones, of any host, or our exports
//	go run ./bench/cache -provider blocks -system 4000
//	go run ./bench/cache -provider marks -whole       # clients that mark the request as a whole
//
// The kinds of cache, and what is left out, are those of replay/cache.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/cache"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/todo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cache:", err)
		os.Exit(1)
	}
}

// options are what a run was asked for.
type options struct {
	providers []cache.Provider
	system    int // bytes of system prompt and tools
	files     []string
}

func parse(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("cache", flag.ContinueOnError)
	f.SetOutput(errs)
	name := f.String("provider", "", "only this one: marks or blocks")
	write := f.Float64("write", 0, "price of a token written to the cache, in tokens of plain input")
	read := f.Float64("read", 0, "price of a token read from it")
	life := f.Duration("life", 5*time.Minute, "how long a prefix is kept after its last use")
	system := f.Int("system", 16_000, "tokens of system prompt and tools before the messages")
	lookback := f.Int("lookback", 20, "how many blocks before a mark are looked at; 0 is all")
	own := f.Bool("own", false, "what if our gateway marked a note at the end, in the slot that clients leave free?")
	whole := f.Bool("whole", false, "the client marks the request as a whole, so that the mark is on its last block")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *system < 0 || *system > 1<<24 || *lookback < 0 || *life <= 0 || *write < 0 || *read < 0 {
		return o, errors.New("a number is out of range")
	}
	for _, p := range cache.Known() {
		if *name != "" && *name != p.Name {
			continue
		}
		p.Life, p.Lookback, p.Own, p.Whole = *life, *lookback, *own, *whole
		if *write > 0 {
			p.Prices.Write = *write
		}
		if *read > 0 {
			p.Prices.Read = *read
		}
		o.providers = append(o.providers, p)
	}
	if len(o.providers) == 0 {
		return o, fmt.Errorf("-provider %q: there are marks and blocks", *name)
	}
	o.system, o.files = *system*cache.TokenBytes, f.Args()
	return o, nil
}

// lineups are the ways of steering that are compared; the first does not steer.
func lineups() ([]lineup, error) {
	fixed := todo.Config{Timing: "fixed"} // as many notes as there can be
	tail, err1 := steer.New(steer.Config{Steering: trimtab.Config{Travel: "tail"}, Todo: fixed})
	appended, err2 := steer.New(steer.Config{Steering: trimtab.Config{Travel: "append"}, Todo: fixed})
	return []lineup{
		{name: "without"},
		{name: "append", engine: appended},
		{name: "tail", engine: tail, travel: cache.Tail},
		{name: "clearing", engine: tail, travel: cache.Clearing},
	}, errors.Join(err1, err2)
}

func command(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	ways, err := lineups()
	if err != nil {
		return err
	}
	if !o.providers[0].Whole { // where it is as good as the tail
		ways = ways[:len(ways)-1]
	}
	sessions, bad := madeUp(), 0
	if len(o.files) > 0 {
		sessions = nil
	}
	for _, file := range o.files {
		some, err := read(ctx, file)
		if err != nil {
			fmt.Fprintf(errs, "%s: %v\n", file, err)
			bad++
		}
		sessions = append(sessions, some...)
	}
	for _, p := range o.providers {
		t := table{Provider: p}
		for _, s := range sessions {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t.add(s, ways, o.system)
		}
		t.print(out)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d files could not be read", bad, len(o.files))
	}
	return nil
}
