package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
	"github.com/trimtab/trimtab/steer"
)

func replayCommand(a *app) *cobra.Command {
	var against, names, labels string
	var frames bool
	c := &cobra.Command{
		Use: "replay FILE…", Short: "What the present settings would have done in recorded sessions", Args: between(1, -1),
		Long: `Plays recorded sessions through the engine: our own JSON exports, and the files in
which Claude Code, Codex, opencode, Gemini CLI, Qwen Code, goose and pi keep theirs,
of which a database may hold many, and what "opencode export" and Claude Code's
/export write. A look at a file tells whose it is. It lists every note with its step,
its cause, its tokens, the requests it would have been part of, and what that costs,
and then where an agent would have been sent on, a session paused or the person told
something. No model is called. Costs are told in tokens of plain input.
Settings: --config and --set; --against compares with another settings file.

With --frames it tells what frames would have done instead: where the heuristics
would have drawn boundaries, what was sent with and without folding, and what
that would have cost with a prompt cache. "asked" follows only the commands that
were recorded, "followed" every recommendation too.

With --detectors it tells when detectors of loops would have fired: ours
(progress), the seed's rule, and those of other agents. --labels names a file in
which a person says where the loops are, and then it tells who was right.`,
		Example: "  trimtab replay ~/.claude/projects/*/*.jsonl\n  trimtab replay session.json --set todoReminder.initialTurns=4\n  trimtab replay session.json --against other.json\n  trimtab replay --frames session.json --set autonomy.confidence=max\n  trimtab replay --detectors all ~/.claude/projects/*/*.jsonl\n  trimtab replay --detectors progress,seed --labels loops.json session.json",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case frames && against != "", frames && names != "", names != "" && against != "":
				return misused("--frames, --detectors and --against do not go together")
			case labels != "" && names == "":
				return misused("--labels is for --detectors")
			case names != "":
				return a.replayDetectors(c.Context(), names, args, labels)
			case frames:
				return a.replayFrames(c.Context(), args)
			}
			return a.replay(c.Context(), args, against)
		},
	}
	c.Flags().StringVar(&against, "against", "", "compare with the settings in this `file`")
	c.Flags().StringVar(&names, "detectors", "", "which detectors of loops would have fired: all, or `names` with commas between")
	c.Flags().StringVar(&labels, "labels", "", "a `file` in which a person says where the loops are")
	c.Flags().BoolVar(&frames, "frames", false, "what frames would have done: boundaries, tokens with and without folding, the bill")
	return c
}

type replayJSON struct {
	File string `json:"file"`
	replay.Comparison
	Damaged int    `json:"damagedLines,omitempty"`
	Error   string `json:"error,omitempty"`
}

func (a *app) replay(ctx context.Context, files []string, against string) error {
	engine, err := a.engine()
	if err != nil {
		return err
	}
	var other *trimtab.Engine
	if against != "" {
		if other, err = a.otherEngine(against); err != nil {
			return err
		}
	}
	results := []replayJSON{}
	err = a.eachRecorded(ctx, files, func(file string, session record.Session, err error) error {
		r := replayJSON{File: file, Damaged: session.Damaged}
		if err == nil {
			r.Comparison, err = replay.Both(engine, other, session)
		}
		if err != nil {
			r.Error = err.Error()
		} else if !a.flag.json {
			a.answered(replay.WriteReport(a.out, file, r.Damaged, *r.Report))
			if r.Difference != nil {
				a.answered(replay.WriteDifference(a.out, *r.Difference, *r.Against))
			}
		}
		results = append(results, r)
		return err
	})
	if a.flag.json && (err == nil || errors.Is(err, errShown)) {
		err = cmp.Or(a.printJSON(results), err)
	}
	return err
}

// eachRecorded hands on the sessions of files, and those that cannot be read with the
// reason. What went wrong with one is told, and the others follow.
func (a *app) eachRecorded(ctx context.Context, files []string, use func(file string, s record.Session, err error) error) error {
	all, bad := 0, 0
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for session, err := range record.Sessions(ctx, file, "") {
			all++
			if err := use(file, session, err); err != nil {
				bad++
				a.wrong("%s: %s\n", file, err)
			}
		}
	}
	if bad > 0 {
		a.wrong("%d of %s could not be replayed\n", bad, plural.Count(all, "session"))
		return errShown
	}
	return nil
}

// otherEngine is the lineup under another settings file.
func (a *app) otherEngine(file string) (*trimtab.Engine, error) {
	data, err := setting.Read(file)
	if err != nil {
		return nil, err
	}
	cfg, report := config.Load[Settings](config.Sources{Layers: []config.Layer{{Name: "against", File: file, Data: data}}})
	for _, p := range report.Problems {
		a.progress("%s (ignored)\n", p)
	}
	return steer.New(cfg.Config)
}
