package spool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Box is the folder of one session of a host.
type Box struct{ dir string }

// MaxAside is the largest call that is put aside, in bytes. A larger one is
// answered at once.
const MaxAside = 1 << 20

// Folder is where the boxes are, below the folder for data.
func Folder(data string) string { return filepath.Join(data, "hook") }

// At returns the box of a call's session. It need not exist.
func At(data string, c Call) Box {
	name := c.Session
	if len(name) > 80 || strings.IndexFunc(name, odd) >= 0 {
		name = "x" + strconv.FormatUint(mark(0, []byte(name)), 16)
	}
	return Box{filepath.Join(Folder(data), c.Host.Name+"-"+name)}
}

func odd(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
}

// Defer puts a call aside that needs no answer now, and reports whether it did. Only
// for tools it looks at files; all other events need an answer.
func (b Box) Defer(c Call, now int64, pid int) bool {
	switch {
	case c.Event.Kind == None, c.Agent != "":
		return true
	case c.Event.Kind != Used && c.Event.Kind != Using:
		return false
	}
	s, err := b.State()
	switch {
	case err != nil:
		return false
	case c.Event.Kind == Using:
		return !s.Guard
	case s.Quiet < 0:
		return true
	}
	waiting, err := b.list()
	if err != nil || len(waiting) >= s.Quiet || slices.Contains(s.Recent, c.Mark) {
		return false
	}
	for _, name := range waiting {
		if strings.HasSuffix(name, "-"+strconv.FormatUint(c.Mark, 16)) { // the same call again: perhaps a loop
			return false
		}
	}
	return b.Put(c, now, pid) == nil
}

// Put puts a call aside. Names sort by time.
func (b Box) Put(c Call, now int64, pid int) error {
	if len(c.Input) > MaxAside {
		return errTooLong
	}
	at := strconv.FormatInt(now, 10)
	name := strings.Repeat("0", max(0, 19-len(at))) + at + "-" + strconv.Itoa(pid) + "-" + strconv.FormatUint(c.Mark, 16)
	return b.write(name, append([]byte(c.Host.Name+" "+c.Event.Name+"\n"), c.Input...), pid)
}

// write makes a file appear whole.
func (b Box) write(name string, data []byte, pid int) error {
	tmp := filepath.Join(b.dir, "."+name+"."+strconv.Itoa(pid))
	err := os.WriteFile(tmp, data, 0o600)
	if errors.Is(err, os.ErrNotExist) { // the folder is mostly there
		if err = os.MkdirAll(b.dir, 0o700); err == nil {
			err = os.WriteFile(tmp, data, 0o600)
		}
	}
	if err == nil {
		err = os.Rename(tmp, filepath.Join(b.dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// list returns the names of the calls that wait, the oldest first.
func (b Box) list() ([]string, error) {
	d, err := os.Open(b.dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Readdirnames(maxWaiting)
	if len(all) > 0 {
		err = nil
	}
	all = slices.DeleteFunc(all, func(name string) bool { return name[0] < '0' || name[0] > '9' || strings.Contains(name, taken) })
	slices.Sort(all)
	return all, err
}

const (
	maxWaiting = 4096
	taken      = ".taken"
)

// Aside are calls that were taken out of a box. Either Done or Back must follow.
type Aside struct {
	Calls []Call
	box   Box
	names []string
	tail  string
}

// Take takes the calls out that wait. Of several processes that do so at once,
// each call goes to one. What is unreadable is left out, and gone after Done.
func (b Box) Take(pid int) *Aside {
	a := &Aside{box: b, tail: taken + strconv.Itoa(pid)}
	waiting, err := b.list()
	if err != nil {
		return a
	}
	for _, name := range waiting {
		to := filepath.Join(b.dir, name+a.tail)
		if os.Rename(filepath.Join(b.dir, name), to) != nil {
			continue // another process was faster
		}
		a.names = append(a.names, name)
		if c, err := readAside(to); err == nil {
			a.Calls = append(a.Calls, c)
		}
	}
	return a
}

func readAside(path string) (Call, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Call{}, err
	}
	head, input, _ := bytes.Cut(data, []byte("\n"))
	host, event, _ := strings.Cut(string(head), " ")
	return Read(host, event, input)
}

// Done forgets the calls: they are stored.
func (a *Aside) Done() {
	for _, name := range a.names {
		_ = os.Remove(filepath.Join(a.box.dir, name+a.tail))
	}
	a.names = nil
}

// Back puts the calls back: they could not be stored.
func (a *Aside) Back() {
	for _, name := range a.names {
		_ = os.Rename(filepath.Join(a.box.dir, name+a.tail), filepath.Join(a.box.dir, name))
	}
	a.names = nil
}

// Remove removes the box and all that is in it.
func (b Box) Remove() error { return os.RemoveAll(b.dir) }
