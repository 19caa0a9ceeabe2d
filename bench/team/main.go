// Command team plays agents whose requests go through several gateways on one store, and
// holds what the model received against what it received of one gateway: real trimtab
// serve processes on loopback, behind nginx where it is installed, which picks one for
// each request at random.
//
//	go run ./bench/team -replicas 3 -requests 500 -pause 2s
//	sh script/postgres.sh run go run ./bench/team -people        # two people with Claude Code, and what comes of their trouble
//	sh script/postgres.sh run go run ./bench/team -kill 10s      # on PostgreSQL, and a gateway is killed every 10 s
//
// It builds the program from this tree. It fails where a request differs, or where what
// is stored counts otherwise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/teamtest"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
)

type options struct {
	replicas, requests, sessions int
	pause, kill                  time.Duration
	postgres                     string
	plain, people                bool
}

func main() {
	var o options
	flag.IntVar(&o.replicas, "replicas", 2, "gateways on one store")
	flag.IntVar(&o.requests, "requests", 500, "main turns in all")
	flag.IntVar(&o.sessions, "sessions", 10, "sessions at once, which share them")
	flag.DurationVar(&o.pause, "pause", 2*time.Second, "longest pause between two requests of a session")
	flag.DurationVar(&o.kill, "kill", 0, "how often a gateway is killed and started again; 0 is never")
	flag.StringVar(&o.postgres, "postgres", os.Getenv("TRIMTAB_TEST_POSTGRES"), "URL of a server; none is one SQLite file")
	flag.BoolVar(&o.plain, "plain", false, "no nginx: the agent picks a gateway by itself")
	flag.BoolVar(&o.people, "people", false, "people with real Claude Code sessions, an improvement and a worker in the place of the load; needs a server and npm")
	flag.Parse()
	do := run
	if o.people {
		do = people
	}
	if err := do(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "team:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "trimtab-team-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &team{dir: dir, model: &teamtest.Model{}}
	defer func() { err = errors.Join(err, t.end()) }()
	if err := t.begin(ctx); err != nil {
		return err
	}
	lone, err := t.start(ctx, "lone", "")
	if err != nil {
		return err
	}
	var all []*server
	for range o.replicas {
		s, err := t.start(ctx, "shared", o.postgres)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	pick := func() string { return all[rand.IntN(len(all))].base() } //nolint:gosec // no secret: which one is asked
	front := "none: the agent picks"
	if base, err := t.balance(all); err == nil && !o.plain {
		pick, front = func() string { return base }, "nginx"
	}
	stop := t.killer(ctx, all, o.kill)
	begun := time.Now()
	plays, failed := play(ctx, o, lone, pick)
	kills := stop()
	if failed != nil {
		return failed
	}
	differ, of := 0, 0
	for i := range plays {
		one, many := t.model.Bodies(plays[i].one), t.model.Bodies(plays[i].many)
		if o.kill > 0 { // a request that was cut is sent again
			one, many = teamtest.Collapse(one), teamtest.Collapse(many)
		}
		of += len(one)
		differ += len(teamtest.Compare(one, many))
	}
	miscounted, err := t.count(ctx, o, plays)
	if err != nil {
		return err
	}
	where := "one SQLite file"
	if o.postgres != "" {
		where = "PostgreSQL"
	}
	fmt.Printf("%d gateways on %s, balancer %s, pauses to %v, %d kills, %.0f s: %d of %d requests differ from those of one gateway; %d of %d sessions are counted otherwise\n",
		o.replicas, where, front, o.pause, kills, time.Since(begun).Seconds(), differ, of, miscounted, len(plays))
	if differ+miscounted > 0 {
		return errors.New("several gateways are not as one")
	}
	return nil
}

// played is a session that was played twice.
type played struct{ one, many string }

func play(ctx context.Context, o options, lone *server, pick func() string) (all []played, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for i := range o.sessions {
		p := played{fmt.Sprint("one-", i), fmt.Sprintf("many-%d-%d", time.Now().UnixNano(), i)}
		all = append(all, p)
		wg.Go(func() {
			play := teamtest.Play{Seed: uint64(i), Requests: o.requests / o.sessions, Client: client, Model: []string{"claude-opus-5", "claude-sonnet-4"}[i%2]}
			play.Session, play.Pick = p.one, func(int) string { return lone.base() }
			bad := play.Run(ctx)
			play.Session, play.Pick, play.Retry = p.many, func(int) string { return pick() }, o.kill > 0
			if o.pause > 0 {
				play.Pause = func() time.Duration { return time.Duration(rand.Int64N(int64(o.pause))) } //nolint:gosec // no secret: a pause
			}
			bad = errors.Join(bad, play.Run(ctx))
			mu.Lock()
			defer mu.Unlock()
			err = errors.Join(err, bad)
		})
	}
	wg.Wait()
	return all, err
}

// count compares what is stored of the sessions once the gateways have ended.
func (t *team) count(ctx context.Context, o options, all []played) (otherwise int, err error) {
	if err := t.end(); err != nil {
		return 0, err
	}
	lone, err := sqlite.Open(ctx, filepath.Join(t.dir, "lone", "trimtab.db"), sqlite.Config{})
	if err != nil {
		return 0, err
	}
	defer lone.Close()
	var shared trimtab.Store
	if o.postgres != "" {
		st, err := postgres.Open(ctx, o.postgres, postgres.Config{})
		if err != nil {
			return 0, err
		}
		defer st.Close()
		shared = st
	} else {
		st, err := sqlite.Open(ctx, filepath.Join(t.dir, "shared", "trimtab.db"), sqlite.Config{})
		if err != nil {
			return 0, err
		}
		defer st.Close()
		shared = st
	}
	for _, p := range all {
		one, err := lone.Load(ctx, "claude:"+p.one)
		if err != nil {
			return 0, err
		}
		many, err := shared.Load(ctx, "claude:"+p.many)
		if err != nil {
			return 0, err
		}
		// The last reply of a session is told when its gateway ends, or waits for whoever goes on.
		late := one.Seq - many.Seq
		if late < 0 || late > 1 || one.Step-many.Step != late || one.Made != many.Made {
			otherwise++
			fmt.Printf("session %s: %d steps, %d messages, %d notes; one gateway counts %d, %d and %d\n", p.many, many.Step, many.Seq, many.Made, one.Step, one.Seq, one.Made)
		}
	}
	return otherwise, nil
}
