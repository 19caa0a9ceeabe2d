package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Options are where a client stands.
type Options struct {
	Environ []string // of this process
	Dir     string   // the folder that servers start in
	Version string   // of ours, which servers are told

	// Progress is told how far a call is. It is called at any time, from several
	// goroutines, and must return soon. nil: nobody is told.
	Progress func(Progress)
}

// Progress is how far a call is.
type Progress struct {
	Server, Tool string
	Message      string
	Done, Total  float64 // Total is 0 where nobody knows
}

// Client holds the connections to servers. It is safe to share.
type Client struct {
	servers []*server // by name
}

// New returns a client. It starts nothing yet.
func New(cfg Config, opt Options) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{}
	for _, name := range slices.Sorted(maps.Keys(cfg.Servers)) {
		c.servers = append(c.servers, newServer(name, cfg, opt))
	}
	return c, nil
}

// Tools returns the tools of all servers, by name, and what went wrong with those
// that have none to give. It starts the servers that do not run yet.
func (c *Client) Tools(ctx context.Context) ([]tool.Tool, []trimtab.Fault) {
	var wg sync.WaitGroup
	lists, wrong := make([][]tool.Tool, len(c.servers)), make([][]trimtab.Fault, len(c.servers))
	for i, s := range c.servers {
		wg.Go(func() {
			lists[i], wrong[i] = s.list(ctx)
			s.stand(lists[i], wrong[i])
		})
	}
	wg.Wait()
	return slices.Concat(lists...), slices.Concat(wrong...)
}

// Status is how a server stands.
type Status struct {
	Server string
	Asked  bool        // for its tools, which starts it
	Tools  []tool.Tool // as they were last listed
	Fault  string      // why there are none, where something went wrong
}

// Status returns how each server stood when its tools were last asked for, by
// name. It starts nothing and waits for nothing.
func (c *Client) Status() []Status {
	var out []Status
	for _, s := range c.servers {
		st := Status{Server: s.name}
		if last := s.stood.Load(); last != nil {
			st = *last
		}
		out = append(out, st)
	}
	return out
}

// Close ends the servers that were started.
func (c *Client) Close() {
	var wg sync.WaitGroup
	for _, s := range c.servers {
		wg.Go(s.close)
	}
	wg.Wait()
}
