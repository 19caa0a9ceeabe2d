package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// risky are the settings of git that run programs, or lead elsewhere what is sent,
// and that no argument of ours switches off. In the person's own settings they are
// the person's; in those of a project, which may have come with it, nobody has
// looked at them.
var risky = lazyregexp.Pattern(`^(filter\..*\.(clean|smudge|process)|hook\..*\.command|url\..*\.(insteadof|pushinsteadof)|` +
	`http\.(.*\.)?(proxy|sslverify|sslcainfo|sslcapath|proxysslcainfo|curloptresolve)|core\.(alternaterefscommand|worktree)|includeif\..*)$`)

// lfs are the filters that git-lfs writes into a project.
var lfs = []string{
	"git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f", "git-lfs filter-process", "git-lfs filter-process --skip",
}

// harmless refuses a project whose own settings of git are risky: git runs outside
// of any sandbox, and with the token of the forge.
func (j *Job) harmless(ctx context.Context) error {
	out, err := j.project().Run(ctx, "config", "--list", "--includes", "--show-scope", "--null")
	if err != nil {
		return fmt.Errorf("the settings of git in %s: %w", j.Item.Project, err)
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if scope := fields[i]; scope != "local" && scope != "worktree" {
			continue
		}
		low := strings.ToLower(key)
		if !risky().MatchString(low) || strings.HasPrefix(low, "filter.lfs.") && slices.Contains(lfs, value) {
			continue
		}
		return fmt.Errorf("%w: the settings of git in %s have %s, with which git may run programs or send elsewhere; take it out, or if it is yours put it into your own (git config --global), and retry", ErrManual, j.Item.Project, j.line(key))
	}
	return nil
}
