package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/trimtab/trimtab/internal/secret"
)

const mega = 1 << 20

// corpus is the text files below a folder.
type corpus struct {
	names []string
	texts []string
	size  int
}

func read(root string) (corpus, error) {
	var c corpus
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil || !utf8.Valid(raw) {
			return err
		}
		c.names, c.texts, c.size = append(c.names, name), append(c.texts, string(raw)), c.size+len(raw)
		return nil
	})
	return c, err
}

// measure prints what both find in ordinary text, and how fast.
func measure(root string, show bool) error {
	c, err := read(root)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files, %.1f MB\n", filepath.Base(root), len(c.texts), float64(c.size)/mega)
	secret.Find("") // the rules are made once, and that is not what is measured

	kinds, alarms := map[string]int{}, 0
	start := spent()
	for i, t := range c.texts {
		for _, f := range secret.Find(t) {
			kinds[f.Kind]++
			alarms++
			if show {
				fmt.Printf("  ours %s %s: %q\n", c.names[i], f.Kind, t[max(0, f.Start-40):min(len(t), f.End+10)])
			}
		}
	}
	took := spent() - start
	fmt.Printf("  ours      %5d alarms (%.2f a MB), %6.1f MB a second of CPU  %s\n", alarms, float64(alarms)*mega/float64(c.size), float64(c.size)/mega/took.Seconds(), counts(kinds))

	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return err
	}
	kinds, alarms = map[string]int{}, 0
	start = spent()
	for i, t := range c.texts {
		for _, f := range d.DetectString(t) {
			kinds[f.RuleID]++
			alarms++
			if show {
				fmt.Printf("  gitleaks %s %s: %q\n", c.names[i], f.RuleID, f.Match)
			}
		}
	}
	took = spent() - start
	fmt.Printf("  gitleaks  %5d alarms (%.2f a MB), %6.1f MB a second of CPU  %s\n", alarms, float64(alarms)*mega/float64(c.size), float64(c.size)/mega/took.Seconds(), counts(kinds))
	return nil
}

func counts(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return kinds[b] - kinds[a] })
	out := ""
	for _, n := range names[:min(8, len(names))] {
		out += fmt.Sprintf(" %s %d", n, kinds[n])
	}
	return out
}
