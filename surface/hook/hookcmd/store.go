package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/session/subprocess"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/external"
	"github.com/trimtab/trimtab/store/content"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/hook"
)

// Store is the part of the store's settings that every program needs, the chat too.
type Store struct {
	sqlite.Config
	URL     string `json:"url" guard:"user" hide:"true" doc:"a database server to use in the place of the file, as postgres://USER@HOST/DATABASE?sslmode=verify-full"`
	Content string `json:"content" default:"full" enum:"full,redacted,none" guard:"user" doc:"what is stored of what is said: full; redacted, without keys and passwords; none, only who said something when and which tools were called. Notes, todo lists and goals are stored in any case: steering needs them. Our own chat can go on with a session only where its words are stored"`
}

// Settings are those that an answer depends on. What else is set is nothing to it.
type Settings struct {
	steer.Config
	User   identity.Config `json:"user" doc:"who you are, where others use the same database"`
	Store  Store           `json:"store" doc:"the database"`
	Limits setting.Limits  `json:"limits" doc:"what is refused for its size"`
	Tools  struct {
		Sandbox sandbox.Config `json:"sandbox" doc:"what confines the commands of the bash tool"`
	} `json:"tools" doc:"the agent's tools"`
	Automation struct {
		Enabled   bool   `json:"automation_enabled" doc:"let reflection ask for improvements by itself"`
		OnTrigger string `json:"on_trigger" default:"tell" enum:"tell,continue" guard:"user" doc:"when a stop has asked for an improvement: tell says so to the person and to the next turn; continue also sends the agent on, once, with the instructions"`
		StopWait  *int   `json:"stop_wait_ms" default:"400" min:"0" max:"600" guard:"user" doc:"how long a stop waits for what reflection decides, in milliseconds; what comes later is told with the session's next hook"`
	} `json:"automation" doc:"improvements that reflection may ask for"`
}

// Archive is an open store.
type Archive interface {
	trimtab.Store
	Close() error
}

// opened is the way to the sessions.
type opened struct {
	cfg      Settings
	service  hook.Service
	store    Archive
	programs *subprocess.Programs // nil where the settings name none
	log      string               // the file in which the store keeps what is not yet in its own; "" is none
}

// open reads the settings and opens the store, or gives up when the time is over: a
// disk that hangs in a system call does not listen to a context.
func (r Run) open(ctx context.Context, data string) (opened, error) {
	type result struct {
		opened
		err error
	}
	got := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				got <- result{err: fmt.Errorf("panic: %v", p)}
			}
		}()
		o, err := r.load(ctx, data)
		got <- result{o, err}
	}()
	select {
	case o := <-got:
		return o.opened, o.err
	case <-ctx.Done():
		return opened{}, fmt.Errorf("the database does not answer: %w", ctx.Err())
	}
}

// load reads the settings, of which nobody is told what is wrong, and opens the
// store.
func (r Run) load(ctx context.Context, data string) (o opened, err error) {
	found, err := setting.Find(setting.From{Home: r.Home, Env: r.Environ, Sets: r.Sets})
	if err != nil {
		return o, err
	}
	o.cfg, _ = config.Load[Settings](found.Sources)
	o.cfg.Interventions, _ = external.Usable(o.cfg.Interventions)
	own, err := found.Modes()
	if err != nil {
		return o, err
	}
	engine, err := steer.New(o.cfg.Config, steer.Modes(own.Definitions()...))
	if err != nil {
		return o, err
	}
	if o.cfg.Store.URL != "" {
		o.store, err = r.Server(ctx)
	} else {
		file := filepath.Join(data, "trimtab.db")
		o.log = file + "-wal"
		o.store, err = r.openFile(ctx, file, o.cfg, data)
	}
	if err != nil {
		return o, err
	}
	opt := session.Options{Clock: r.Clock, MaxMessage: o.cfg.Limits.MaxMessage, Log: r.log()}
	if len(o.cfg.Interventions) > 0 {
		o.programs = subprocess.New(o.cfg.Interventions)
		opt.Advisor = o.programs
	}
	o.service = session.New(engine, o.store, opt)
	return o, nil
}

// ownFile is a person's part of a file.
type ownFile struct {
	*owned.Store
	file *sqlite.Store
}

func (o ownFile) Close() error         { return o.file.Close() }
func (o ownFile) Queue() improve.Queue { return o.file.Queue() }

func (r Run) openFile(ctx context.Context, name string, cfg Settings, data string) (Archive, error) {
	file, err := sqlite.OpenBriefly(ctx, name, cfg.Store.Config)
	if err != nil {
		return nil, err
	}
	redactor := sync.OnceValue(func() func(string) string {
		return secret.Redactor(secret.Options{Known: secret.FromEnviron(r.Environ)})
	})
	redact := func(text string) string { return redactor()(text) } // made where it is asked for: a host waits
	mine, err := identity.Open(file, identity.Options{Config: cfg.User, Environ: r.Environ, Data: data, Content: content.Filter(cfg.Store.Content, redact)})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return ownFile{mine, file}, nil
}

// maxLog is the size of the write-ahead log, in bytes, up to which it is left to
// the next one: reading it again costs less than the disk takes to fold it.
const maxLog = 1 << 20

// shut lets go of the database. Closing it in order folds its log back into the
// file, with the host waiting for the disk, so that is left to whoever comes when
// the log has grown. What was committed is on the disk in both cases: a process that
// just ends is what the log is for. A server has no such log, and on Windows a file
// that is open is in the way of others.
func (o opened) shut() {
	if o.programs != nil {
		o.programs.Close()
	}
	if info, err := os.Stat(o.log); err != nil || info.Size() > maxLog || runtime.GOOS == "windows" {
		_ = o.store.Close()
	}
}

// brokenService is the service where the store cannot be opened: calls still come far
// enough to be put aside.
type brokenService struct {
	hook.Service
	err error
}

func (b brokenService) Session(context.Context, string) (trimtab.Session, error) {
	return trimtab.Session{}, b.err
}

// waiting tells of the requests of a project that wait for the person. What cannot be
// read is not told: it is no reason to keep a session waiting.
func (o opened) waiting(ctx context.Context, project string) string {
	st, ok := o.store.(interface{ Queue() improve.Queue })
	if !ok {
		return ""
	}
	items, err := st.Queue().Items(ctx, improve.Awaiting)
	if err != nil {
		return ""
	}
	return improve.WaitingLine(improve.WaitingIn(items, setting.Repository(project)))
}
