// Command gateway measures what our gateway adds to a request, in one run beside
// a plain httputil.ReverseProxy and, where it is installed, nginx.
//
// It starts a fake model with no latency, the proxies and `trimtab serve` on
// loopback, each as a process of its own. The model speaks TLS, and HTTP/2 with
// those who offer it, as hosted providers do; -upstream plain is a model in plain
// HTTP, as local ones are. It sends all of them the same
// requests, one at a time and in turn: latency added to the direct request, CPU
// a request, resident memory, delay of each event of a stream, replies that were
// cut, many streams at once. It prints the figures beside their goals and says
// which are met. It judges nothing else: the exit code does not depend on them.
//
// It never leaves loopback, never runs longer than its bounds, and ends every
// process that it started. CPU and memory are read from /proc, so elsewhere than
// on Linux those columns stay empty.
//
//	go run ./bench/gateway                  # some minutes
//	go run ./bench/gateway -quick           # half a minute, rough
//	go run ./bench/gateway -parts sse,cut   # only these
//	go run ./bench/gateway -json figures.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

// command is the program; the words upstream and proxy are for the processes
// that it starts of itself.
func command(ctx context.Context, args []string, in io.Reader, out, progress io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "upstream":
		return serve(in, progress, newModel(), "", "")
	case len(args) == 3 && args[0] == "upstream":
		return serve(in, progress, newModel(), args[1], args[2])
	case len(args) == 2 && args[0] == "proxy":
		h, err := newProxy(args[1])
		if err != nil {
			return err
		}
		return serve(in, progress, h, "", "")
	}
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	rep, err := measure(ctx, o, progress)
	if len(rep.Rows) == 0 {
		return err
	}
	rep.print(out) // also where a process did not want to end
	if o.json != "" {
		raw, encoding := json.MarshalIndent(rep, "", "  ")
		err = errors.Join(err, encoding, os.WriteFile(o.json, append(raw, '\n'), 0o600))
	}
	return err
}

// options are the counts and bounds of a run.
type options struct {
	json    string
	trimtab string // a binary to measure instead of building one; "none" leaves ours out
	nginx   bool
	plain   bool // the model speaks plain HTTP, not TLS
	parts   string
	times   int           // how often each part is measured; the quietest is kept
	most    time.Duration // for everything
	hasty   bool          // memory is read at once, not at rest: for tests of this program
	sizes   []size
	sse     streaming
	cut     int // replies to check
	streams int // at once
}

// size is a size of body and how much of it is measured.
type size struct {
	name   string
	bytes  int
	rounds int           // requests to each target
	most   time.Duration // bound on them
	growth int           // bytes of a tool's result in a growing session
	steps  int           // requests before another session begins
}

// streaming is how the delay of events is measured.
type streaming struct {
	streams, events int
	gap             time.Duration
}

// parts are what can be measured.
var parts = []string{"growing", "same", "sse", "cut", "streams"}

func parse(args []string, errs io.Writer) (options, error) {
	o := options{most: 20 * time.Minute, nginx: true, cut: 10_000, streams: 1000, sse: streaming{streams: 60, events: 100, gap: time.Millisecond}}
	o.sizes = []size{
		{"10 KB", 10_000, 2000, 30 * time.Second, 120, 12},
		{"200 KB", 200_000, 1000, 30 * time.Second, 1200, 20},
		{"2 MB", 2_000_000, 300, 40 * time.Second, 1200, 20},
	}
	f := flag.NewFlagSet("gateway", flag.ContinueOnError)
	f.SetOutput(errs)
	quick := f.Bool("quick", false, "a short and rough run")
	f.StringVar(&o.json, "json", "", "also write the figures to this `file`")
	f.StringVar(&o.trimtab, "trimtab", "", "measure this `binary` instead of building ./cmd/trimtab")
	f.StringVar(&o.parts, "parts", strings.Join(parts, ","), "what to measure")
	upstream := f.String("upstream", "tls", "what the fake model speaks: tls, as hosted providers, or plain, as local models")
	more := f.Int("more", 1, "so many times the requests, as for a profile")
	sizes := f.String("sizes", "10KB,200KB,2MB", "which `bodies` to measure latency with")
	f.IntVar(&o.times, "times", 2, "measure latency and SSE so often and keep the quietest, in which direct requests were fastest")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.plain = *upstream == "plain"
	if f.NArg() > 0 || !o.plain && *upstream != "tls" || o.times < 1 || o.times > 20 || *more < 1 || *more > 20 {
		return o, errors.New("usage: gateway [-quick] [-json FILE] [-trimtab BINARY] [-upstream tls|plain] [-parts LIST] [-sizes LIST] [-times 1…20] [-more 1…20]")
	}
	for p := range strings.SplitSeq(o.parts, ",") {
		if !slices.Contains(parts, p) {
			return o, fmt.Errorf("-parts %q: there are %s", p, strings.Join(parts, ", "))
		}
	}
	o.sizes = slices.DeleteFunc(o.sizes, func(z size) bool {
		return !strings.Contains(","+*sizes+",", ","+strings.ReplaceAll(z.name, " ", "")+",")
	})
	for i := range o.sizes {
		o.sizes[i].rounds *= *more
		o.sizes[i].most *= time.Duration(*more)
	}
	if *quick {
		o.times, o.most, o.cut, o.streams = 1, 3*time.Minute, 1000, 200
		o.sse = streaming{10, 50, time.Millisecond}
		for i := range o.sizes {
			o.sizes[i].rounds /= 10
			o.sizes[i].most = 5 * time.Second
		}
	}
	return o, nil
}

// has reports whether a part is to be measured.
func (o options) has(part string) bool {
	return strings.Contains(","+o.parts+",", ","+part+",")
}
