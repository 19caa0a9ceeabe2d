package project

import (
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
)

// Target is the folder that a person named, or the one they are in.
func Target(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	return setting.Folder()
}

// Talk is how a person is shown what would take effect, and asked.
type Talk struct {
	Print   func(format string, args ...any)
	Tell    func(format string, args ...any)    // what is no answer
	Confirm func(question string) (bool, error) // not called where the person has said yes before
	Clock   func() time.Time
}

// Trust shows what of a folder is not trusted yet, asks, and trusts it as it is now. It is
// false where the person said no.
func (t Talk) Trust(dir string, book *trust.Book) (bool, error) {
	found, err := find(dir)
	for _, text := range found.Left {
		t.Tell("%s\n", text)
	}
	if err != nil {
		return false, err
	}
	var open []part
	for _, p := range found.Parts {
		if ok, _ := p.Trusted(book); ok { // what cannot be looked up is not trusted
			t.Print("%s is trusted already\n", p.Name)
			continue
		}
		open = append(open, p)
		t.Print("%s", p.Text())
	}
	if len(open) > 0 {
		if yes, err := t.Confirm("Trust these files as they are?"); err != nil || !yes {
			return false, err
		}
	}
	for _, p := range open {
		kept, err := p.Trust(book, t.Clock())
		if err != nil {
			return false, err
		}
		if kept != "" {
			t.Tell("the list of trusted folders was damaged; it is kept as %s, and a new one begun\n", kept)
		}
		t.Print("%s is trusted as it is now\n", p.Name)
	}
	return true, nil
}

// Revoke trusts nothing of a folder any more.
func (t Talk) Revoke(dir string, book *trust.Book) error {
	names, err := revoke(dir, book)
	for _, name := range names {
		t.Print("%s is not trusted any more\n", name)
	}
	return err
}

// List shows what is trusted.
func (t Talk) List(records []trust.Record) {
	if len(records) == 0 {
		t.Print("no folder is trusted\n")
	}
	for _, r := range records {
		t.Print("%s  since %s\n", r.Dir, r.At.Local().Format("2006-01-02 15:04"))
	}
}
