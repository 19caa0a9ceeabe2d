//go:build e2e && unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table is what came of one agent, for people.
func (v verdict) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: refused %d (without us too: %d), stray notes %d, notes of one kind %d, steps %d of %d replies, sessions %d, mode %q\n", v.name, v.refused, v.own, v.strayed, v.most, v.steps, v.replies, v.stored, v.mode)
	fmt.Fprintf(&b, "  %-18s %8s  %-24s %-24s %-7s %-12s %s\n", "situation", "requests", "unsteered", "steered", "ratio", "worst at", "notes")
	for _, s := range situations {
		if why := v.lacks[s]; why != "" {
			fmt.Fprintf(&b, "  %-18s none: %s\n", s, why)
			continue
		}
		r, ok := v.rows[s]
		if !ok {
			fmt.Fprintf(&b, "  %-18s not reached\n", s)
			continue
		}
		mark := ""
		if r.ratio() < reusable {
			mark = " FAIL"
		}
		fmt.Fprintf(&b, "  %-18s %8d  %-24s %-24s %.3f%-5s %-12s %s\n", s, r.requests, r.unsteered, r.steered, r.ratio(), mark, r.at, v.notes[s])
	}
	return b.String()
}

// overview is one line for each agent.
func overview(all []verdict) string {
	var b strings.Builder
	head := []string{"client"}
	head = append(head, situations...)
	head = append(head, "steps/replies", "stray", "refused", "one kind", "sessions", "mode")
	rows := [][]string{head}
	for _, v := range all {
		line := []string{v.name}
		for _, s := range situations {
			r, ok := v.rows[s]
			switch {
			case v.lacks[s] != "":
				line = append(line, "none")
			case !ok:
				line = append(line, "?")
			case r.ratio() < reusable:
				line = append(line, fmt.Sprintf("%.2f!", r.ratio()))
			default:
				line = append(line, fmt.Sprintf("%.2f", r.ratio()))
			}
		}
		line = append(line, fmt.Sprintf("%d/%d", v.steps, v.replies), fmt.Sprint(v.strayed), fmt.Sprint(v.refused), fmt.Sprint(v.most), fmt.Sprint(v.stored), v.mode)
		rows = append(rows, line)
	}
	width := map[int]int{}
	for _, line := range rows {
		for i, cell := range line {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, line := range rows {
		for i, cell := range line {
			fmt.Fprintf(&b, "%-*s  ", width[i], cell)
		}
		b.WriteByte('\n')
	}
	for _, v := range all {
		for _, s := range slices.Sorted(maps.Keys(v.lacks)) {
			fmt.Fprintf(&b, "%s has no %s: %s\n", v.name, s, v.lacks[s])
		}
	}
	return b.String()
}
