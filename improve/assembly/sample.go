package assembly

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
)

// sampleFolder is where the sample of a kind is made.
func (a *Assembly) sampleFolder(kind improve.Kind) string {
	if kind == improve.Guidance {
		return filepath.Join(a.Folder(), "sample-guidance")
	}
	return filepath.Join(a.Folder(), "sample")
}

// IsSample reports whether a project is one of the samples.
func (a *Assembly) IsSample(project string) bool {
	return slices.ContainsFunc(improve.Kinds(), func(kind improve.Kind) bool {
		rel, err := filepath.Rel(a.sampleFolder(kind), project)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Sample makes the sample of the demo agent for a kind of improvement where it is not
// there yet.
func (a *Assembly) Sample(ctx context.Context, kind improve.Kind) (agents.Sampled, error) {
	dir := a.sampleFolder(kind)
	whole := filepath.Join(dir, "whole")
	if data, err := os.ReadFile(whole); err == nil {
		project, transcript, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		return agents.Sampled{Project: project, Transcript: transcript}, nil
	}
	if err := os.RemoveAll(dir); err != nil { // one that was broken off
		return agents.Sampled{}, err
	}
	produce := agents.Sample
	if kind == improve.Guidance {
		produce = agents.SampleGuidance
	}
	at, err := produce(ctx, dir, a.opt.Environ)
	if err != nil {
		return at, err
	}
	return at, writeOnce(whole, []byte(at.Project+"\n"+at.Transcript+"\n"))
}

// SamplePaths makes the sample of a kind where it is not there yet, and says where it is.
func (a *Assembly) SamplePaths(ctx context.Context, kind improve.Kind) (project, transcript string, err error) {
	at, err := a.Sample(ctx, kind)
	return at.Project, at.Transcript, err
}
