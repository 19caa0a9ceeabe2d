package main

import "testing"

// TestWhatGitleaksFindsWeFind makes secrets from each rule of gitleaks. One that
// gitleaks finds in its text, and we leave there, needs a reason in exceptions.
func TestWhatGitleaksFindsWeFind(t *testing.T) {
	results, err := compare(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, r := range results {
		made += r.made
		if r.found < r.made && exceptions[r.rule] == "" {
			t.Errorf("%s: %d of %d, such as %q", r.rule, r.found, r.made, r.missed[0])
		}
	}
	if made < 4000 {
		t.Errorf("only %d secrets could be made; the comparison says nothing", made)
	}
}

// TestEveryExceptionIsOne finds reasons that nothing needs any more.
func TestEveryExceptionIsOne(t *testing.T) {
	results, err := compare(60, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.made > 0 && r.found == r.made && exceptions[r.rule] != "" {
			t.Logf("%s: all %d found; is it still an exception?", r.rule, r.made)
		}
	}
}
