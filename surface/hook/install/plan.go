package install

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/plainfile"
)

// Change is what would become of one file. A nil text is no file.
type Change struct {
	Path   string
	Before []byte
	After  []byte
}

// Done says what was done to the file.
func (c Change) Done() string {
	if c.After == nil {
		return "removed " + c.Path
	}
	return "wrote " + c.Path
}

// Plan is what would change, file by file. It may be empty.
type Plan struct {
	Host    string
	Changes []Change

	place Place
	base  map[string][]byte // what each file is without us
	adds  bool

	gateway string // the address that is put in or stays
}

// Add plans to put what is wanted into a host's settings.
func (p Place) Add(w Want) (Plan, error) {
	plan := Plan{Host: p.Host, place: p, base: map[string][]byte{}, adds: true}
	if err := p.Can(w); err != nil {
		return plan, err
	}
	w, err := p.had(w)
	if err != nil {
		return plan, err
	}
	plan.gateway = w.Gateway
	if err := p.oneWay(w); err != nil {
		return plan, err
	}
	for _, path := range p.all() {
		now, err := plainfile.Read(path, maxFile)
		if err != nil {
			return plan, err
		}
		base, err := p.without(path, now)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", path, err)
		}
		plan.base[path] = base
		after, err := p.with(path, now, base, w)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", path, err)
		}
		if after != nil && (now == nil || !bytes.Equal(now, after)) {
			if err := p.onlyOurs(path, base, after); err != nil {
				return plan, fmt.Errorf("%s: %w", path, err)
			}
			plan.Changes = append(plan.Changes, Change{path, now, after})
		}
	}
	return plan, nil
}

// with is a file as it shall be, from what it is now and without us; nil leaves
// it as it is.
func (p Place) with(path string, now, base []byte, w Want) ([]byte, error) {
	if text, ours := p.also(path); ours {
		return []byte(text), nil
	}
	if p.isCode(path) {
		return p.code(path, now, w)
	}
	after := base
	if path == p.Files[0] && !w.Plugin {
		command := func(event string) string { return w.Hooks + " " + p.Host + " " + event }
		same, err := p.same(path, now, command, w)
		if err != nil || same {
			return nil, err
		}
		if after, err = add(base, p.how, p.events(), command); err != nil {
			return nil, err
		}
	} else if have, err := p.found(path, now); err != nil || p.enough(path, have, w) {
		return nil, err
	}
	return p.put(path, after, w)
}

// enough reports whether a file has what it shall have of ours, but for hooks.
func (p Place) enough(path string, have, w Want) bool {
	if path != p.servers {
		w.MCP = nil
	}
	if (filepath.Ext(path) == ".toml") != p.tomlGateway() || path != p.Files[0] && !p.tomlGateway() {
		w.Gateway = ""
	}
	return slices.Equal(have.MCP, w.MCP) && have.Gateway == w.Gateway
}

// same reports whether all of ours is there already, as it should be.
func (p Place) same(path string, text []byte, command func(string) string, w Want) (bool, error) {
	found, err := commands(text, p.Host)
	if err != nil {
		return false, err
	}
	for _, e := range p.events() {
		if found[e.Name] != command(e.Name) {
			return false, nil
		}
	}
	have, err := p.found(path, text)
	return err == nil && p.enough(path, have, w), err
}

// Remove plans to take all of ours out again.
func (p Place) Remove() (Plan, error) {
	plan := Plan{Host: p.Host, place: p}
	for _, path := range p.all() {
		now, err := plainfile.Read(path, maxFile)
		if err != nil {
			return plan, err
		}
		if now == nil {
			continue
		}
		after, err := p.without(path, now)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", path, err)
		}
		if after == nil || !bytes.Equal(now, after) {
			if err := p.onlyOurs(path, after, now); err != nil {
				return plan, fmt.Errorf("%s: %w; take the hooks of trimtab out by hand", path, err)
			}
			plan.Changes = append(plan.Changes, Change{path, now, after})
		}
	}
	return plan, nil
}

// without is a file as it is without us: the backup, where the file is as we left
// it; else the file with our hooks taken out. A nil text is no file.
func (p Place) without(path string, now []byte) ([]byte, error) {
	if now == nil {
		return nil, nil
	}
	kept, known := p.record()[path]
	if known && kept.After == sum(now) {
		if !kept.Existed {
			return nil, nil
		}
		if before, err := os.ReadFile(kept.Backup); err == nil && sum(before) == kept.Before {
			return before, nil
		}
	}
	if text, ours := p.also(path); ours {
		if string(now) == text {
			return nil, nil
		}
		return now, nil
	}
	if p.isCode(path) {
		if _, ours := codeVersion(now); ours {
			return nil, nil
		}
		return now, nil
	}
	after, err := p.takeOut(path, now)
	if err == nil && path == p.Files[0] {
		after, err = remove(after, p.Host)
	}
	if err == nil && (known && !kept.Existed || p.how.Ours) && !bytes.Equal(after, now) && bare(after) {
		return nil, nil
	}
	return after, err
}

// bare reports whether nothing is left in settings.
func bare(text []byte) bool {
	left := strings.Join(strings.Fields(string(text)), "")
	return left == "{}" || left == ""
}

// kept is what is remembered of a file that we changed.
type kept struct {
	Existed bool   `json:"existed"`
	Backup  string `json:"backup,omitempty"` // the file as it was without us
	Before  string `json:"before,omitempty"` // its hash
	After   string `json:"after"`            // the hash of what we wrote

	Mode fs.FileMode `json:"mode,omitempty"` // who could read it before it held the address of a gateway
}

func (p Place) folder() string { return filepath.Join(p.env.Data, "install") }

func (p Place) record() map[string]kept {
	all := map[string]kept{}
	data, err := os.ReadFile(filepath.Join(p.folder(), p.Host+".json"))
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[string]kept{} // without it, ours are found by what they look like
	}
	return all
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Apply does what the plan says. Files that somebody changed since the plan was
// made are left alone, and that is an error.
func (pl Plan) Apply(now time.Time) error {
	if len(pl.Changes) == 0 {
		return nil
	}
	for _, c := range pl.Changes {
		if text, err := plainfile.Read(c.Path, maxFile); err != nil {
			return err
		} else if !bytes.Equal(text, c.Before) || (text == nil) != (c.Before == nil) {
			return fmt.Errorf("%s was changed in the meantime; nothing was written, try again", c.Path)
		}
		if info, err := os.Stat(c.Path); err == nil && info.Mode().Perm()&0o200 == 0 {
			return fmt.Errorf("%s is read-only, so nothing was written; a program of yours may make it: let that one write it, or chmod u+w it", c.Path)
		}
	}
	backups, err := pl.keep(now)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	for _, c := range pl.Changes {
		if c.After == nil {
			if err := os.Remove(c.Path); err != nil {
				return err
			}
			pl.place.removeEmpty(filepath.Dir(c.Path))
			continue
		}
		if err := pl.restrict(c, backups); err != nil {
			return err
		}
		if err := replace(c.Path, c.After, 0o600); err != nil {
			return err
		}
		if err := pl.release(c); err != nil {
			return err
		}
	}
	return pl.remember(backups)
}

// removeEmpty removes a folder that is empty now; of a plugin all of them, and the one
// that it lies in.
func (p Place) removeEmpty(dir string) {
	root := filepath.Dir(p.env.path(p.how, p.how.Plugin))
	for os.Remove(dir) == nil && p.how.Plugin != "" && strings.HasPrefix(dir, root+string(filepath.Separator)) {
		dir = filepath.Dir(dir)
	}
}

// restrict takes a file from other users before the address of a gateway is written
// to it, for that holds a secret. Who could read it is remembered in all.
func (pl Plan) restrict(c Change, all map[string]kept) error {
	if pl.gateway == "" || !bytes.Contains(c.After, []byte(pl.gateway)) {
		return nil
	}
	info, err := os.Stat(c.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // a new file is its owner's alone
	}
	if err != nil {
		return err
	}
	k := all[c.Path]
	k.Mode = cmp.Or(pl.place.record()[c.Path].Mode, info.Mode().Perm())
	all[c.Path] = k
	return os.Chmod(c.Path, info.Mode().Perm()&^0o077)
}

// release lets those read a file again who could before restrict.
func (pl Plan) release(c Change) error {
	mode := pl.place.record()[c.Path].Mode
	if pl.adds || mode == 0 {
		return nil
	}
	return os.Chmod(c.Path, mode)
}

// keep writes a backup of every file before it is changed.
func (pl Plan) keep(now time.Time) (map[string]kept, error) {
	dir := pl.place.folder()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	all := map[string]kept{}
	stamp := now.UTC().Format("20060102T150405.000000000Z")
	for _, c := range pl.Changes {
		if c.Before != nil {
			if err := replace(filepath.Join(dir, pl.Host+"-"+stamp+"-"+filepath.Base(c.Path)), c.Before, 0o600); err != nil {
				return nil, err
			}
		}
		if !pl.adds {
			continue
		}
		k := kept{After: sum(c.After)}
		if base := pl.base[c.Path]; base != nil {
			k.Existed, k.Before, k.Backup = true, sum(base), filepath.Join(dir, pl.Host+"-base-"+filepath.Base(c.Path))
			if err := replace(k.Backup, base, 0o600); err != nil {
				return nil, err
			}
		}
		all[c.Path] = k
	}
	return all, nil
}

func (pl Plan) remember(all map[string]kept) error {
	path := filepath.Join(pl.place.folder(), pl.Host+".json")
	if !pl.adds {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	for path, k := range pl.place.record() {
		if _, ok := all[path]; !ok {
			all[path] = k
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return replace(path, append(data, '\n'), 0o600)
}

// replace writes a file whole or not at all. A link stays a link, and a file
// that is there keeps who may read it.
func replace(path string, data []byte, perm os.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, data, perm)
}
