// Command transcript measures how fast the readers of hosts' files are.
//
// It makes up a long session of each host, reads it from the file, and sets that
// beside a scan for newlines over the same file with reads of the same size: the
// least that anyone who reads lines can do. Times are what all cores together have
// spent, the collection of garbage and the system's part among them; the best of
// all rounds counts on each side, and rounds of all take turns. It never asserts a
// time. As much garbage may gather as trimtab reflect allows itself while little
// is in use, unless GOGC says something else.
//
//	go run ./bench/transcript                      # all hosts, 64 MB each
//	go run ./bench/transcript -hosts claude -size 256
//	go run ./bench/transcript -ccusage ~/node_modules/.bin/ccusage # a peer, too
//	go run ./bench/transcript -memory 1024         # resident memory over 1 GB
//
// "brief" is what reflecting on a session needs: who said what, calls, failures,
// counts, and the beginning of long texts. "whole" decodes every text.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
)

// garbage is how much may gather, in percent of what is in use.
const garbage = 300

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "transcript:", err)
		os.Exit(1)
	}
}

// options are what a run was asked for.
type options struct {
	hosts   []string
	size    int // bytes of a file
	rounds  int
	dir     string
	ccusage string
	memory  int // bytes of the file whose reading is weighed; 0 is none
	only    string
	read    string // a file to read once, in a process of its own
	profile string
}

func parse(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("transcript", flag.ContinueOnError)
	f.SetOutput(errs)
	hosts := f.String("hosts", "claude,codex,gemini,qwen,pi", "whose files, with commas between")
	size := f.Int("size", 64, "megabytes of a file")
	f.IntVar(&o.rounds, "rounds", 7, "how often each way is measured")
	f.StringVar(&o.dir, "dir", "", "where the files are made; a temporary folder if not given")
	f.StringVar(&o.ccusage, "ccusage", "", "the program of ccusage, to measure it on Claude Code's files")
	memory := f.Int("memory", 0, "instead, tell the resident memory of reading a file of so many megabytes")
	f.StringVar(&o.only, "ways", "", "only these ways, with commas between")
	f.StringVar(&o.read, "read", "", "read this file once as HOST:FILE and tell the resident memory")
	f.StringVar(&o.profile, "profile", "", "write a profile of our readers to this file")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *size < 1 || *size > 4096 || *memory < 0 || *memory > 4096 || o.rounds < 1 || o.rounds > 1000 {
		return o, errors.New("a number is out of range")
	}
	o.size, o.memory = *size<<20, *memory<<20
	o.hosts = strings.Split(*hosts, ",")
	return o, nil
}

func command(ctx context.Context, args []string, out, errs io.Writer) error {
	o, err := parse(args, errs)
	if err != nil {
		return err
	}
	if o.read != "" {
		return weighed(out, o.read)
	}
	dir := o.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "transcript"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if o.memory > 0 {
		return memory(ctx, out, o, dir)
	}
	return speed(ctx, out, o, dir)
}
