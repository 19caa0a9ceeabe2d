package trace

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/trimtab/trimtab/surface/gateway"
)

// Start returns what sends main turns to the collector that the settings or the standard
// variables name, or nil where there is none. End sends what waits.
func Start(cfg Config, getenv func(string) string, version string, log *slog.Logger) (t gateway.Tracer, end func(), err error) {
	to, err := find(cfg, getenv)
	if errors.Is(err, errVariable) { // it may be meant for other programs
		log.Warn(err.Error())
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if to.URL == "" {
		return nil, func() {}, nil
	}
	x, err := newExporter(options{Target: to, Version: version, Log: log})
	if err != nil {
		return nil, nil, err
	}
	return x, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		if err := x.Close(ctx); err != nil {
			log.Warn(err.Error())
		}
	}, nil
}
