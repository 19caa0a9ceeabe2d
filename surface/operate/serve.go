package operate

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/audit"
	"github.com/trimtab/trimtab/surface/caller"
	"github.com/trimtab/trimtab/surface/server"
)

// Viewer knows who may see the metrics of a server that others come to: whoever has the
// management token, or the one that is for metrics alone. It is nil where only programs of
// this machine come. A caller's key does not count: keys are in the store, and metrics are
// wanted most when it is away.
func Viewer(at server.Config, token string, find func(where string) (key.Key, error)) (func(*http.Request) bool, error) {
	only, err := find(at.MetricsToken)
	if err != nil {
		return nil, fmt.Errorf("serve.metricsToken: %s: %w", at.MetricsToken, err)
	}
	manages := address.Bearer(token)
	if only.Empty() {
		if !at.Public() {
			return nil, nil
		}
		return manages, nil
	}
	out := http.Header{} // the one way out of a key
	only.Set(out, "Token", "")
	views := address.Bearer(out.Get("Token"))
	return func(r *http.Request) bool { return views(r) || manages(r) }, nil
}

// Kept is what a store keeps of everybody.
type Kept struct {
	Sessions trimtab.Archive
	Files    server.Records
	User     string // who runs the server
}

// Retain removes what is older than the settings keep it, of everybody, now and every hour.
// Stop ends that and waits.
func Retain(ctx context.Context, at server.Config, kept Kept, clock func() time.Time, log *slog.Logger) (stop func(), err error) {
	all, err := owned.New(kept.Sessions, owned.Options{User: kept.User, Role: owned.Steer, Show: owned.Everyone})
	if err != nil {
		return nil, err
	}
	const day = 24 * time.Hour
	var stops []func()
	if at.Keep > 0 {
		stops = append(stops, server.Every(ctx, "sessions", log, func(ctx context.Context) (int, error) {
			return server.Prune(ctx, all, clock().Add(-time.Duration(at.Keep)*day))
		}))
	}
	if at.KeepRecords > 0 {
		stops = append(stops, server.Every(ctx, "records", log, func(ctx context.Context) (int, error) {
			return server.PruneRecords(ctx, kept.Files, clock().Add(-time.Duration(at.KeepRecords)*day), caller.UsageFolders, audit.Folders)
		}))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}, nil
}
