package assembly

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// notifyTime is how long the person's own program may take to tell them.
const notifyTime = 10 * time.Second

// notify has the program of the settings tell the person of an item that waits for them:
// one that came by itself, or work that they must go on with. It does nothing where none
// is set, or there is nothing to tell. The program is the person's, with their
// environment; no shell reads what a session said.
func (a *Assembly) notify(ctx context.Context, it improve.Item) error {
	argv := a.opt.Automation.Notify
	if len(argv) == 0 || it.State != improve.Manual && (it.State != improve.Awaiting || it.ByHand) {
		return nil
	}
	path, err := subprocess.Find(argv[0], a.opt.Environ)
	if err != nil {
		return fmt.Errorf("automation.notify: %w", err)
	}
	text := improve.WaitingLine([]improve.Item{it})
	if it.State == improve.Manual {
		text = fmt.Sprintf("trimtab: %s needs you: %s", it.ID, firstLine(it.Why))
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...) // #nosec G204 -- the person's own setting, which no project can make
	cmd.Env = append(slices.Clone(a.opt.Environ), "TRIMTAB_ITEM="+it.ID, "TRIMTAB_PROJECT="+it.Project, "TRIMTAB_HOOKS=off")
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(a.opt.Redact(text)+"\n"), time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("automation.notify: %s: %w", argv[0], errors.Join(err, context.Cause(ctx)))
	}
	return nil
}

// notifyOf tells of an item by its id.
func (a *Assembly) notifyOf(ctx context.Context, id string) error {
	if len(a.opt.Automation.Notify) == 0 {
		return nil
	}
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return err
	}
	it, err := q.Item(ctx, id)
	if err != nil {
		return err
	}
	return a.notify(ctx, it)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:299]) + "…"
	}
	return s
}
