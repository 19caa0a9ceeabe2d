package assembly

import (
	"context"
	"slices"

	"github.com/trimtab/trimtab"
)

// Clones finds the folders in which the person worked on a repository, by the sessions
// of a store, for Options.Known. A store that cannot be opened knows none.
func Clones(open func(ctx context.Context) (trimtab.Archive, error)) func(ctx context.Context, repo string) []string {
	return func(ctx context.Context, repo string) (folders []string) {
		st, err := open(ctx)
		if err != nil {
			return nil
		}
		for info, err := range st.List(ctx, trimtab.Query{Repo: repo, Limit: 50}) {
			if err == nil && !slices.Contains(folders, info.Project) {
				folders = append(folders, info.Project)
			}
		}
		return folders
	}
}
