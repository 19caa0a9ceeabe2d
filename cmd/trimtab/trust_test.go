package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// system is what the model was told to be in the newest request.
func (v *visit) system(t *testing.T, args ...string) (system, stderr string) {
	t.Helper()
	_, stderr, err := v.trimtab(t, append(args, "-p", "hello")...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	all := v.model.Main()
	return string(all[len(all)-1].Raw("system")), stderr
}

func (v *visit) trust(t *testing.T) {
	t.Helper()
	if stdout, stderr, err := v.trimtab(t, "trust", "--yes"); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
	}
}

func TestP16_TheModelReadsAProjectsWordsOnlyOnceTheyAreTrusted(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	words := filepath.Join(v.dir, "AGENTS.md")
	put(t, words, "canary one")
	if system, stderr := v.system(t); strings.Contains(system, "canary") || strings.Count(stderr, "AGENTS.md") != 1 || !strings.Contains(stderr, "trimtab trust") {
		t.Errorf("before trust:\n%s\n%s", system, stderr)
	}
	v.trust(t)
	if system, stderr := v.system(t); !strings.Contains(system, "canary one") || strings.Contains(stderr, "AGENTS.md") {
		t.Errorf("after trust:\n%s\n%s", system, stderr)
	}
	put(t, words, "canary two")
	if system, stderr := v.system(t); strings.Contains(system, "canary") || !strings.Contains(stderr, "AGENTS.md: left out: changed since it was trusted; look at it, then: trimtab trust\n") {
		t.Errorf("after a change:\n%s\n%s", system, stderr)
	}
	put(t, words, "canary one")
	if system, _ := v.system(t); !strings.Contains(system, "canary one") {
		t.Errorf("what was trusted is not trusted again when it comes back:\n%s", system)
	}
}

// To trust a project's settings is not to trust its words, which were not shown
// when there were none.
func TestP16_WordsThatComeAfterTrustInTheSettingsAreNotTrusted(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.dir, ".trimtab", "trimtab.json"), "{}")
	v.trust(t)
	put(t, filepath.Join(v.dir, "AGENTS.md"), "canary")
	if system, stderr := v.system(t); strings.Contains(system, "canary") || !strings.Contains(stderr, "not trusted") {
		t.Errorf("%s\n%s", system, stderr)
	}
}

func TestP16_NoLinkLeadsOutOfTheRepositoryIntoThePrompt(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.dir, ".git", "HEAD"), "x")
	put(t, filepath.Join(v.home, "AGENTS.md"), "canary above")
	put(t, filepath.Join(v.home, "secret"), "canary outside")
	if err := os.Symlink("../secret", filepath.Join(v.dir, "AGENTS.md")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	stdout, stderr, err := v.trimtab(t, "trust", "--yes")
	if err == nil || strings.Contains(stdout+stderr, "canary") || !strings.Contains(stderr, "AGENTS.md: left out") {
		t.Errorf("%v\n%s\n%s", err, stdout, stderr)
	}
	if system, _ := v.system(t); strings.Contains(system, "canary") {
		t.Errorf("the model was told:\n%s", system)
	}
}

// A .trimtab that nobody can trust does not keep the words from being trusted.
func TestARefusedFolderLeavesTheWordsAlone(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.dir, ".trimtab", "trimtab.json"), "{}")
	if err := os.Symlink("trimtab.json", filepath.Join(v.dir, ".trimtab", "link")); err != nil {
		t.Skipf("this system makes no symbolic links: %v", err)
	}
	_, stderr, err := v.trimtab(t, "trust", "--yes")
	if err == nil || !strings.Contains(stderr, "cannot be trusted") {
		t.Errorf("alone: %v\n%s", err, stderr)
	}
	put(t, filepath.Join(v.dir, "AGENTS.md"), "be brief")
	_, stderr, err = v.trimtab(t, "trust", "--yes")
	if err != nil || !strings.Contains(stderr, "cannot be trusted") {
		t.Errorf("with words: %v\n%s", err, stderr)
	}
	if system, stderr := v.system(t); !strings.Contains(system, "be brief") || !strings.Contains(stderr, "no effect") {
		t.Errorf("%s\n%s", system, stderr)
	}
}

func TestP16_ADamagedBookTrustsNoWords(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.dir, "AGENTS.md"), "canary")
	v.trust(t)
	put(t, filepath.Join(v.home, "data", "trust.json"), "{")
	if system, stderr := v.system(t); strings.Contains(system, "canary") || !strings.Contains(stderr, "damaged") {
		t.Errorf("%s\n%s", system, stderr)
	}
}
