// Command secret measures the detector of internal/secret beside gitleaks: what
// either finds in made secrets, what either takes for one in ordinary text, and
// how fast they are. It is a module of its own, for gitleaks brings 49 others.
//
// It never prints a finding's text unless it is asked to with -show, and writes
// no file.
//
//	cd bench/secret
//	go run . -made                 # made secrets, by gitleaks' own rules
//	go run . -table 2026-11-16 > ../../internal/secret/gitleaks.txt
//	go run . $(go env GOROOT)/src  # false alarms and speed on a folder
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	made := flag.Bool("made", false, "compare on secrets made from gitleaks' rules")
	count := flag.Int("count", 20, "made secrets a rule")
	seed := flag.Uint64("seed", 1, "of what is made")
	show := flag.Bool("show", false, "print what was found or missed")
	dated := flag.String("table", "", "write the forms of gitleaks' tokens for internal/secret/gitleaks.txt, made on this `date`")
	flag.Parse()
	if *dated != "" {
		if err := table(os.Stdout, *dated); err != nil {
			fmt.Fprintln(os.Stderr, "secret:", err)
			os.Exit(1)
		}
		return
	}
	err := run(*made, *count, *seed, *show, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "secret:", err)
		os.Exit(1)
	}
}

func run(made bool, count int, seed uint64, show bool, folders []string) error {
	if made {
		results, err := compare(count, seed)
		if err != nil {
			return err
		}
		printComparison(results, show)
	}
	for _, f := range folders {
		if err := measure(f, show); err != nil {
			return err
		}
	}
	return nil
}
