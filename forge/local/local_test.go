package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/local"
)

func open(t *testing.T, folder, self string) *local.Forge {
	t.Helper()
	f, err := local.New(t.Context(), local.Config{Folder: folder, Self: self}, local.Options{Git: forgetest.Program(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestForge(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.World {
		folder := t.TempDir()
		f := open(t, folder, "trimtab")
		return forgetest.World{Forge: f.Roles(), Other: open(t, folder, "bob").Roles(), Clock: forgetest.NewClock(), CloseIssue: forgetest.CloseByFile(f)}
	})
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func propose(t *testing.T, f *local.Forge) (*forgetest.Work, forge.Pull) {
	t.Helper()
	work := forgetest.NewWork(t, f)
	work.Branch("feat/one", "left\n")
	return work, must[forge.Pull](t)(f.OpenPull(t.Context(), forge.Proposal{Text: forge.Text{Title: "a", Body: "text"}, Head: "feat/one", Base: "main"}))
}

func TestThePatchAppliesAndFollowsItsBranch(t *testing.T) {
	folder := t.TempDir()
	f := open(t, folder, "trimtab")
	work, pull := propose(t, f)
	second := work.Commit("keel.txt", "deep\n")
	work.Push("feat/one", pull.Commit, second)
	if got := must[forge.Pull](t)(f.Pull(t.Context(), pull.Number)); got.Commit != second {
		t.Errorf("the head is %s", got.Commit)
	}
	patch := filepath.Join(folder, "pulls", "0001", "change.patch")
	work.At("main")
	must[string](t)(work.Tree.Run(t.Context(), "am", "--quiet", patch))
	if got, want := must[string](t)(work.Tree.Run(t.Context(), "rev-parse", "HEAD^{tree}")), must[string](t)(work.Tree.Run(t.Context(), "rev-parse", second+"^{tree}")); got != want {
		t.Errorf("the patch gives the tree %s, not %s", got, want)
	}
}

func TestMergedByHandIsMerged(t *testing.T) {
	f := open(t, t.TempDir(), "trimtab")
	work, pull := propose(t, f)
	base := must[string](t)(work.Tree.Commit(t.Context(), "main"))
	work.Push("main", base, pull.Commit)
	for range 2 {
		if got := must[forge.Pull](t)(f.Pull(t.Context(), pull.Number)); got.State != forge.Merged || got.MergedAt.IsZero() {
			t.Errorf("it is %s since %v", got.State, got.MergedAt)
		}
	}
	if err := f.ClosePull(t.Context(), pull.Number); err != nil {
		t.Fatal(err)
	}
	if got := must[forge.Pull](t)(f.Pull(t.Context(), pull.Number)); got.State != forge.Merged {
		t.Errorf("closed afterwards it is %s", got.State)
	}
}

func TestAPullRequestOutlivesItsBranch(t *testing.T) {
	f := open(t, t.TempDir(), "trimtab")
	work, pull := propose(t, f)
	if err := work.Tree.Push(t.Context(), f.Remote(), git.Update{Branch: "feat/one", From: pull.Commit}); err != nil {
		t.Fatal(err)
	}
	got := must[forge.Pull](t)(f.Pull(t.Context(), pull.Number))
	if got.State != forge.Open || got.Commit != pull.Commit || got.Merge != forge.MergeUnknown {
		t.Errorf("%+v", got)
	}
}

// A file that a person broke must not make us file its issue again.
func TestADamagedFileEndsTheSearch(t *testing.T) {
	folder := t.TempDir()
	f := open(t, folder, "trimtab")
	once := forgetest.World{Forge: f.Roles()}.Idempotent(t, &forgetest.Log{})
	text := forge.Text{Title: "a", Body: "text"}
	must[forge.Issue](t)(once.Issue(t.Context(), "f:1", text, nil))
	name := filepath.Join(folder, "issues", "0001", "issue.md")
	if err := os.WriteFile(name, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := once.Issue(t.Context(), "f:1", text, nil)
	if err == nil || !strings.Contains(err.Error(), "issues/0001/issue.md") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "issues", "0002")); err == nil {
		t.Error("a second issue was made")
	}
}

func TestEightForgesOnOneFolderGiveEachNumberOnce(t *testing.T) {
	folder := t.TempDir()
	var group sync.WaitGroup
	numbers := make(chan int, 32)
	for i := range 8 {
		f := open(t, folder, fmt.Sprint("worker", i))
		group.Go(func() {
			for range 4 {
				made, err := f.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"})
				if err != nil {
					t.Error(err)
				}
				numbers <- made.Number
			}
		})
	}
	group.Wait()
	close(numbers)
	seen := map[int]bool{}
	for n := range numbers {
		if seen[n] || n < 1 || n > 32 {
			t.Errorf("number %d", n)
		}
		seen[n] = true
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "issues", ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheFilesAreTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other rights")
	}
	folder := filepath.Join(t.TempDir(), "shed")
	f := open(t, folder, "trimtab")
	must[forge.Issue](t)(f.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"}))
	for _, name := range []string{"", "issues", "issues/0001", "issues/0001/issue.md"} {
		info := must[os.FileInfo](t)(os.Stat(filepath.Join(folder, name)))
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
}

func TestAFolderIsNeeded(t *testing.T) {
	if _, err := local.New(t.Context(), local.Config{}, local.Options{}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
}

// TestR24_APersonMayCommentWithAPlainFile: no facts on top are needed.
func TestR24_APersonMayCommentWithAPlainFile(t *testing.T) {
	folder := t.TempDir()
	f := open(t, folder, "trimtab")
	_, pull := propose(t, f)
	if err := os.WriteFile(filepath.Join(filepath.Dir(pull.URL), "comment-1.md"), []byte("please say how far\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []forge.Comment
	for c, err := range f.Comments(t.Context(), pull.Ref()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if len(got) != 1 || got[0].Body != "please say how far" || got[0].Author == "trimtab" || got[0].ID != "1" || got[0].Created.IsZero() {
		t.Errorf("%+v", got)
	}
}
