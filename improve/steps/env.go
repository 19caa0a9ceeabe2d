package steps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says where work is done and how far it may go.
type Config struct {
	Folder     string  `json:"folder" doc:"folder of papers, logs and working trees"`
	Issues     *bool   `json:"auto_create_issues" default:"true" doc:"open the issue"`
	Branches   *bool   `json:"auto_create_branches" default:"true" doc:"make the branch"`
	Pulls      *bool   `json:"auto_create_prs" default:"true" doc:"open the pull request"`
	Lines      int     `json:"max_lines_per_improvement" default:"200" min:"1" max:"100000" doc:"most changed lines"`
	Components int     `json:"max_components_per_improvement" default:"3" min:"1" max:"1000" doc:"most top-level directories that change"`
	Minutes    int     `json:"agent_minutes" default:"20" min:"1" max:"600" doc:"most minutes of an agent for one step"`
	Cost       float64 `json:"agent_cost" default:"5" min:"0" max:"1000" doc:"most dollars of an agent for one step"`
	Stay       bool    `json:"stay" doc:"wait for a forge that cannot be reached, however long that takes"`
	Tries      int     `json:"forge_tries" default:"4" min:"1" max:"20" doc:"how often a forge that cannot be reached is asked"`
	Patience   int     `json:"forge_patience" default:"600" min:"1" max:"86400" doc:"seconds to wait for a rate limit, and for checks to end"`
	Base       string  `json:"base" doc:"branch that pull requests go to; the forge's default branch where it is empty"`
	Form       string  `json:"form" default:"own" enum:"own,literal" doc:"literal: the text of a pull request as the design of the automation gives it"`
	Footer     string  `json:"footer" doc:"last words of a pull request, in the place of ours"`
	CoAuthor   string  `json:"co_author" doc:"name <address> for a Co-Authored-By trailer of commits and pull requests; none where it is empty"`
	Reproduce  string  `json:"reproduce" default:"auto" enum:"auto,off" doc:"run the command that failed in the sessions, before the change and with it"`
	Ready      string  `json:"ready_label" default:"ready" doc:"label of a pull request that a person may merge"`
}

// Checks runs a project's own commands.
type Checks interface {
	// Has reports whether there is a command of a kind in a folder, and an error
	// where it could not be started here. It runs nothing.
	Has(kind, folder string) (bool, error)
	// Check runs the command of a kind, "setup", "test", "lint" or "format", in a
	// folder and writes what it said to a log. Has is false where the project has
	// none.
	Check(ctx context.Context, kind, folder, log string) (r Run, has bool, err error)
	// Reproduce runs a command line of a session in a folder, confined and without a
	// network, and writes what it said to a log. Where it may not be run, or cannot be
	// confined here, it says why, and runs nothing.
	Reproduce(ctx context.Context, line, folder, log string) (r Run, why string, err error)
}

// Run is a command that came to its end.
type Run struct {
	Command string
	From    string // file of the project that says what the command does; "" for none
	Exit    int
	Said    string // the end of what it wrote
}

// Size is what a change comes to.
type Size struct {
	Lines      int      // added and removed
	Components []string // top-level directories
	Tests      []string // files with tests
	Stubs      []string // places of unfinished work in added lines, "file:line what"
	Odd        []string // what lines do not show: binary files, links, strange paths
}

// Options are what the work is done with. All but Reviewer, Keep, Replay, Workflow, Now and Wait are needed.
type Options struct {
	Forge forge.Forge
	Keys  [][]byte // for markers
	// Authors are further accounts of the team; Project is where the project lies on this
	// machine, where the item says so if it is empty.
	Authors []string
	Project string
	Log     forge.Log // what was about to be made; the queue's
	Git     git.Program
	Agent   agents.Agent
	// Reviewer reviews what Agent did; Agent, in another run, where it is nil.
	Reviewer agents.Agent
	Checks   Checks
	Measure  func(patch []byte) (Size, error)
	Redact   func(string) string         // of all that leaves
	Keep     func(string) string         // of errors that stay here, and must name folders as they are; Redact where it is nil
	Secrets  func(patch []byte) []string // places of secrets in added lines, never the secrets
	Replay   Replayer                    // for guidance; without it such a request stops
	// Workflow is the text of the project's own DEFAULT_WORKFLOW.md, which the person
	// trusts; see ReadGuide.
	Workflow string

	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// Env is where work is done.
type Env struct {
	cfg   Config
	opt   Options
	guide Guide
}

// New returns an Env.
func New(cfg Config, opt Options) (*Env, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("improve: %w", err)
	}
	if cfg.Folder == "" {
		return nil, errors.New("improve: folder: name the folder that papers and working trees belong in")
	}
	if cfg.Folder, err = filepath.Abs(cfg.Folder); err != nil {
		return nil, fmt.Errorf("improve: folder: %w", err)
	}
	for name, missing := range map[string]bool{
		"forge": opt.Forge == (forge.Forge{}), "log": opt.Log == nil, "agent": opt.Agent == nil, "checks": opt.Checks == nil,
		"measure": opt.Measure == nil, "redact": opt.Redact == nil, "secrets": opt.Secrets == nil,
	} {
		if missing {
			return nil, fmt.Errorf("improve: work needs its %s", name)
		}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == nil {
		opt.Wait = wait
	}
	if opt.Keep == nil {
		opt.Keep = opt.Redact
	}
	return &Env{cfg: cfg, opt: opt, guide: ReadGuide(opt.Workflow)}, nil
}

// wait waits on the system's clock.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
