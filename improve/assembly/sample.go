package assembly

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve/agents"
)

// SampleFolder is where the sample is made.
func (a *Assembly) SampleFolder() string { return filepath.Join(a.Folder(), "sample") }

// Sample makes the sample of the demo agent where it is not there yet.
func (a *Assembly) Sample(ctx context.Context) (agents.Sampled, error) {
	dir := a.SampleFolder()
	whole := filepath.Join(dir, "whole")
	if data, err := os.ReadFile(whole); err == nil {
		project, transcript, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		return agents.Sampled{Project: project, Transcript: transcript}, nil
	}
	if err := os.RemoveAll(dir); err != nil { // one that was broken off
		return agents.Sampled{}, err
	}
	at, err := agents.Sample(ctx, dir, a.opt.Environ)
	if err != nil {
		return at, err
	}
	return at, writeOnce(whole, []byte(at.Project+"\n"+at.Transcript+"\n"))
}
