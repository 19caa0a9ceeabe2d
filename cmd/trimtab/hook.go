package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// hookCap is how long a host may have to wait for a hook, whatever happens. The
// store gets less, so that there is time left to put the call aside.
const (
	hookCap   = time.Second
	hookStore = 700 * time.Millisecond
)

// serveAddress is where trimtab serve listens unless it is told otherwise.
const serveAddress = "127.0.0.1:8787"

func hookCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "hook HOST EVENT", Short: "Answer one hook of an agent (agents call this; see trimtab install)",
		Long: `Reads what the agent writes to its hook from stdin and answers in the agent's own
JSON on stdout. HOST is claude, codex, gemini, qwen or goose; EVENT is the agent's
name for it, or start, prompt, before-tool, after-tool, stop, before-compact,
after-compact, end. It exits 0 whatever happens: to agents another code means that
they must not go on. What went wrong is in hook/log in the data folder.`,
		Example: "  trimtab hook claude Stop < input.json\n  trimtab hook codex after-tool < input.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				_ = cleanf(a.err, "usage: %s\n", c.UseLine())
				return nil
			}
			if !spool.Off(a.getenv) {
				a.hook(c.Context(), args[0], args[1])
			}
			return nil
		},
		ValidArgs: hookHosts(),
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		_ = cleanf(a.err, "trimtab hook: %v\n", err)
		return exitCode(done)
	})
	c.AddCommand(hookReflectCommand(a))
	return c
}

func hookHosts() []string {
	var names []string
	for _, h := range spool.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// hook answers in time or not at all. The work is done on a copy of the app: what
// hangs in it holds nobody up at the end.
func (a *app) hook(ctx context.Context, host, event string) {
	ctx, cancel := context.WithTimeout(ctx, hookCap)
	defer cancel()
	work := *a
	work.flag.quiet = true
	answer := make(chan []byte) // closed when there is nothing left to do
	go func() {
		defer close(answer)
		defer func() {
			if p := recover(); p != nil {
				work.hookLog().Error("panic in a hook", "host", host, "event", event, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		out, shut, err := work.hookAnswer(ctx, host, event)
		if err != nil {
			work.hookLog().Error("no answer", "host", host, "event", event, "error", err)
		}
		select {
		case answer <- out:
		case <-ctx.Done():
		}
		shut()
	}()
	for {
		select {
		case out, more := <-answer:
			if !more {
				return
			}
			_, _ = a.out.Write(out) // a host that does not listen is not told
		case <-ctx.Done():
			return
		}
	}
}

// hookAnswer returns what there is to say, and what is left to do afterwards.
func (a *app) hookAnswer(ctx context.Context, host, event string) (out []byte, shut func(), err error) {
	shut = func() {}
	input, err := spool.Input(a.in)
	if err != nil {
		return nil, shut, err
	}
	call, err := spool.Read(host, event, input)
	if err != nil {
		_ = cleanf(a.err, "trimtab hook: %v\n", err)
		return nil, shut, err
	}
	data, err := a.dataDir()
	if err != nil {
		return nil, shut, err
	}
	if spool.At(data, call).Light(call, a.clock().UnixNano(), os.Getpid()) {
		return nil, shut, nil
	}
	ctx, cancel := context.WithTimeout(ctx, hookStore)
	defer cancel()
	door, err := a.hookDoor(ctx)
	if err != nil {
		door = brokenDoor{door, err}
	} else {
		shut = a.hookShut
	}
	folder, _ := setting.Folder() // the host says where it works
	opt := hook.Options{
		Door: door, Data: data, Project: folder, Guard: guarded, Clock: a.clock, Log: a.hookLog(),
		Gateway: a.behindGateway(host), Session: a.getenv("TRIMTAB_SESSION"),
	}
	if call.Event.Kind == spool.Stop && host == "codex" { // it calls no hook for update_plan
		opt.Plan = func(transcript string) (trimtab.ToolCall, bool) { return lastPlan(host, transcript) }
	}
	if call.Event.Kind == spool.Stop && err == nil {
		opt.Reflect = a.hookReflect(data, folder)
	}
	said, err := hook.New(opt).Answer(ctx, call)
	if err != nil {
		return nil, shut, err
	}
	if said.Decision.Decision != "" {
		a.decided(said.Session, said.Decision, "")
	}
	out, err = hook.Encode(call, said)
	return out, shut, err
}

// maxLog is the size of the write-ahead log, in bytes, up to which it is left to
// the next one: reading it again costs less than the disk takes to fold it.
const maxLog = 1 << 20

// hookShut lets go of the database. Closing it in order folds its log back into
// the file, with the host waiting for the disk, so that is left to whoever comes
// when the log has grown. What was committed is on the disk in both cases: a
// process that just ends is what the log is for. A server has no such log, and on
// Windows a file that is open is in the way of others.
func (a *app) hookShut() {
	if info, err := os.Stat(a.opened.Path() + "-wal"); err != nil || info.Size() > maxLog || runtime.GOOS == "windows" {
		_ = a.opened.Close()
	}
}

// hookDoor opens the store, or gives up when the time is over: a disk that hangs
// in a system call does not listen to a context.
func (a *app) hookDoor(ctx context.Context) (hook.Door, error) {
	type opened struct {
		door hook.Door
		err  error
	}
	got := make(chan opened, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				got <- opened{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		door, err := a.helm(ctx)
		got <- opened{door, err}
	}()
	select {
	case o := <-got:
		return o.door, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the database does not answer: %w", ctx.Err())
	}
}

// brokenDoor is the door where the store cannot be opened: calls still come far
// enough to be put aside.
type brokenDoor struct {
	hook.Door
	err error
}

func (b brokenDoor) Session(context.Context, string) (trimtab.Session, error) {
	return trimtab.Session{}, b.err
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

// behindGateway reports whether the host's requests go through a gateway of ours:
// it was started by trimtab run, or its base URL is the address of trimtab serve.
func (a *app) behindGateway(host string) bool {
	if a.getenv("TRIMTAB_SESSION") != "" {
		return true
	}
	launches, err := gateway.Launches()
	if err != nil {
		return false
	}
	for _, variable := range launches[host].Upstream {
		if u, err := url.Parse(a.getenv(variable)); err == nil && u.Host == serveAddress {
			return true
		}
	}
	return false
}

// maxHookLog is the size at which the log of the hooks starts over; one old one
// is kept.
const maxHookLog = 1 << 20

// hookLog writes to a file: a host shows its person what a hook writes to stderr,
// or takes it for an answer. Where the file cannot be written nothing is logged.
func (a *app) hookLog() *slog.Logger {
	none := slog.New(slog.DiscardHandler)
	data, err := a.dataDir()
	if err != nil {
		return none
	}
	return slog.New(slog.NewTextHandler(&hookFile{path: filepath.Join(spool.Folder(data), "log")}, nil))
}

// hookFile is opened with the first line.
type hookFile struct{ path string }

func (f *hookFile) Write(b []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return 0, err
	}
	if info, err := os.Stat(f.path); err == nil && info.Size() > maxHookLog {
		_ = os.Rename(f.path, f.path+".1")
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(b)
	if err2 := file.Close(); err == nil {
		err = err2
	}
	return n, err
}
