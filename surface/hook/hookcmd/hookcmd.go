// Package hookcmd is trimtab hook: it reads a host's call, the settings and the
// store, lets surface/hook decide, and writes the answer. Its callers pass what only
// a larger program has, so that nothing is loaded that this one call does not need: a
// host waits for it.
//
// Nothing that goes wrong here reaches a host: there is then no answer, and what
// happened is in hook/log in the data folder, without a word of what was said. It
// never takes longer than Cap, or the Limit that its caller gives it.
//
//	hookcmd.Run{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Home: at, Environ: os.Environ(), Server: open}.
//		Answer(ctx, "claude", "Stop")
package hookcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"runtime/debug"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/promptfile"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/steer/external"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/relay"
	"github.com/trimtab/trimtab/surface/hook/spool"
	"github.com/trimtab/trimtab/surface/inside"
)

// Cap is how long a host may have to wait for a hook, whatever happens. The store
// gets less, so that there is time left to put the call aside.
const (
	Cap   = time.Second
	spare = 300 * time.Millisecond
)

// Run is one run of the program.
type Run struct {
	In       io.Reader
	Out, Err io.Writer
	Home     home.Home
	Environ  []string
	Sets     []string         // settings from the command line
	Clock    func() time.Time // nil is time.Now
	Limit    time.Duration    // how long the host waits at most; 0 is Cap

	// Server opens the database server that the settings name, where they name one.
	Server func(context.Context) (Archive, error)
}

// Answer answers in time or not at all: what hangs, be it the disk or the host's own
// pipes, is left behind when the time is over.
func (r Run) Answer(ctx context.Context, host, event string) {
	if r.Clock == nil {
		r.Clock = time.Now
	}
	if r.Limit <= 0 {
		r.Limit = Cap
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.log().Error("panic in a hook", "host", host, "event", event, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		out, shut, err := r.answer(ctx, host, event)
		if err != nil {
			r.log().Error("no answer", "host", host, "event", event, "error", err)
		}
		if len(out) > 0 && ctx.Err() == nil { // too late: the host has gone on
			_, _ = r.Out.Write(out) // a host that does not listen is not told
		}
		shut()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// answer returns what there is to say, and what is left to do afterwards.
func (r Run) answer(ctx context.Context, host, event string) (out []byte, shut func(), err error) {
	shut = func() {}
	input, err := spool.Input(r.In)
	if err != nil {
		return nil, shut, err
	}
	call, err := spool.Read(host, event, input)
	if err != nil {
		_, _ = fmt.Fprintf(r.Err, "trimtab hook: %s\n", termsafe.Text(err.Error()))
		return nil, shut, err
	}
	data, err := r.Home.DataDir()
	if err != nil {
		return nil, shut, err
	}
	if spool.At(data, call).Defer(call, r.Clock().UnixNano(), os.Getpid()) {
		return nil, shut, nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limit-spare)
	defer cancel()
	s, err := r.open(ctx, data)
	folder, _ := setting.Folder() // the host says where it works
	at, behind := gatewayOf(call.Host, r.Home.Getenv)
	opt := hook.Options{
		Service: s.service, Data: data, Project: folder, Guard: guarded, Clock: r.Clock, Log: r.log(),
		Gateway: behind, Session: r.Home.Getenv("TRIMTAB_SESSION"),
	}
	if mine, ok := s.store.(interface{ User() string }); ok {
		opt.User = mine.User()
	}
	if run, err := inside.Find(data, r.Home.Getenv(inside.Variable)); err == nil {
		opt.Early = func(ev trimtab.Asked) error {
			_, err := run.Offer(inside.Offer{Command: ev.Command, Args: ev.Args, Sure: true, At: r.Clock()})
			return err
		}
	}
	if call.Event.Kind == spool.Prompt {
		opt.File = promptfile.Of(call.Host.Name, folder, r.Home.Getenv("HOME"), nil).Hold
	}
	if at != "" {
		opt.Relay = func(ctx context.Context, session string, events []trimtab.Event, vouch bool) ([]string, bool, error) {
			a, err := relay.Ask(ctx, at, relay.Call{Session: session, Events: events, Vouch: vouch})
			return a.Notes, a.Hosted, err
		}
		opt.Settle = func(ctx context.Context, session string) error {
			ctx, cancel := context.WithTimeout(ctx, r.Limit/2) // the rest is for the store
			defer cancel()
			_, err := relay.Ask(ctx, at, relay.Call{Session: session, Store: true})
			return err
		}
	}
	if external.Wants(s.cfg.Interventions, "using") {
		opt.Guard = nil // in every mode
	}
	opt.Eager = external.Wants(s.cfg.Interventions, "said", "calling")
	if err != nil {
		opt.Service = brokenService{err: err}
	} else {
		shut = s.shut
	}
	if call.Event.Kind == spool.Start && err == nil {
		opt.Waiting = s.waiting
	}
	if call.Event.Kind == spool.Stop && call.Host.Hooks.TodoGap {
		opt.Plan = lastPlan
	}
	if call.Event.Kind == spool.Stop && err == nil {
		opt.Checker = r.checker(s.cfg, data)
		opt.Reflect, opt.SendOn = r.reflect(s.cfg, data, folder), s.cfg.Automation.OnTrigger == "continue"
	}
	said, err := hook.New(opt).Answer(ctx, call)
	if err != nil {
		return nil, shut, err
	}
	if said.Decision.Decision != "" && said.Decision.Reason != hook.Automated { // whoever looked back has noted that
		noteDecision(data, r.Clock(), said.Session, said.Decision, "")
	}
	out, err = hook.Encode(call, said)
	return out, shut, err
}

func (r Run) log() *slog.Logger {
	data, err := r.Home.DataDir()
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return openLog(data)
}

// guarded reports whether a tool of the session may be refused: in the normal
// mode none is.
func guarded(s trimtab.Session) bool {
	raw, err := s.Memory("mode")
	var m mode.Memory
	if err != nil || len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return false
	}
	return m.Mode != "" && m.Mode != mode.Normal
}

// gatewayOf reports whether the host's requests go through a gateway of ours, and its
// address where it is known: the host was started by trimtab run, or its base URL is an
// address of trimtab serve.
func gatewayOf(h host.Host, getenv func(string) string) (at string, behind bool) {
	if getenv("TRIMTAB_RUN") != "" {
		return relay.Address(getenv), true
	}
	for _, up := range h.Launch.Upstream {
		base, secret := address.Split(getenv(up.Variable))
		if u, err := url.Parse(base); err == nil && secret != "" {
			return address.URL(base, secret), true
		} else if err == nil && u.Host == home.Serve {
			return "", true
		}
	}
	return "", false
}
