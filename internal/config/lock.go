package config

import (
	"strings"

	"github.com/tailscale/hujson"
)

// lockedName is the member of a managed file that lists what later layers may not set.
const lockedName = "locked"

// lock keeps a key, a section, an entry of a map or, as *, every setting as the managed
// layer leaves it.
type lock struct {
	path string
	from Origin
}

func (k lock) covers(path string) bool {
	return k.path == "*" || k.path == path || strings.HasPrefix(path, k.path+".")
}

// locks are those of the layers so far. They hold for the layers that follow.
type locks struct{ list []lock }

// over is the lock that covers a path, or nil.
func (l *locks) over(path string) *lock {
	for i := range l.list {
		if l.list[i].covers(path) {
			return &l.list[i]
		}
	}
	return nil
}

// allowed reports whether a layer may set a path, and says who decided where it may not.
func (l *loader) allowed(path string, from Origin) bool {
	held := l.locks.over(path)
	if held == nil || from.Layer == BuiltIn {
		return true
	}
	l.problem(Problem{Origin: from, Key: shown(path), Text: "it is locked by " + held.from.String() + " and stays as it is there; ask who looks after that file"})
	return false
}

// locked reads which paths a managed file locks.
func (r reader) locked(v hujson.Value) (all []lock) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		r.refuseNode(Key{Path: lockedName}, "a list of keys", v)
		return nil
	}
	for _, e := range list.Elements {
		text, ok := e.Value.(hujson.Literal)
		if !ok || text.Kind() != '"' {
			r.refuseNode(Key{Path: lockedName}, `a key or section as text, or "*"`, e)
			continue
		}
		path := text.String()
		_, isSection := r.sections[path]
		if _, _, isKey := r.find(path); !isKey && (!isSection || path == "") && path != "*" {
			p := r.at(e.StartOffset)
			p.Key = shown(path)
			r.unknown(p, "key to lock", func() string { return r.nearest(path) })
			continue
		}
		all = append(all, lock{path, r.origin(e.StartOffset)})
	}
	return all
}
