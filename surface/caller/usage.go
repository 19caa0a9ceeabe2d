package caller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Usage is what a key used on a day.
type Usage struct {
	Requests int64   `json:"requests"`
	Tokens   int64   `json:"tokens"`
	Spend    float64 `json:"dollars"`
	Unpriced int64   `json:"unpriced,omitempty"` // calls whose price is not known
}

func (u Usage) plus(o Usage) Usage {
	return Usage{u.Requests + o.Requests, u.Tokens + o.Tokens, u.Spend + o.Spend, u.Unpriced + o.Unpriced}
}

// meter counts what keys use. Each gateway keeps a file of its own for each key and day, so
// that none overwrites what another counted, and reads those of the others.
type meter struct {
	files   Files
	replica string

	mu     sync.Mutex
	begun  bool // what was counted before the start was read
	day    string
	own    map[string]Usage // by key
	others map[string]Usage
	dirty  map[string]bool
}

// UsageFolders is what the names of the folders with counts begin with; the day follows.
const UsageFolders = "usage-"

// usageFolder is where the counts of a day are.
func usageFolder(day string) string { return UsageFolders + day }

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// used is what a key used today, here and elsewhere.
func (m *meter) used(id string, now time.Time) Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	return m.own[id].plus(m.others[id])
}

func (m *meter) add(id string, u Usage, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now)
	m.own[id] = m.own[id].plus(u)
	m.dirty[id] = true
}

// turn begins a new day. What was not stored of the one before is lost: it limits nothing
// any more.
func (m *meter) turn(now time.Time) {
	if day := dayOf(now); day != m.day {
		m.day, m.own, m.others, m.dirty = day, map[string]Usage{}, map[string]Usage{}, map[string]bool{}
	}
}

// exchange stores what was counted here and reads what was counted elsewhere. What this
// gateway counted before it was started again is its own.
func (m *meter) exchange(ctx context.Context, now time.Time) error {
	m.mu.Lock()
	first := !m.begun
	m.turn(now)
	day, write := m.day, map[string]Usage{}
	for id := range m.dirty {
		write[id] = m.own[id]
	}
	m.mu.Unlock()
	var errs []error
	if !first { // else what is there would be overwritten before it is read
		for id, u := range write {
			raw, err := json.Marshal(u)
			if err == nil {
				err = m.files.Save(ctx, usageFolder(day), improve.File{Name: id + "." + m.replica, Body: raw})
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("store what key %s used: %w", id, err))
				delete(write, id)
			}
		}
	}
	files, err := m.files.Files(ctx, usageFolder(day))
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.day != day {
		return errors.Join(errs...)
	}
	if !first {
		for id, u := range write {
			if m.own[id] == u {
				delete(m.dirty, id)
			}
		}
	}
	m.begun, m.others = true, map[string]Usage{}
	for _, f := range files {
		id, replica, ok := strings.Cut(f.Name, ".")
		var u Usage
		if !ok || json.Unmarshal(f.Body, &u) != nil {
			continue
		}
		switch {
		case replica != m.replica:
			m.others[id] = m.others[id].plus(u)
		case first:
			m.own[id] = m.own[id].plus(u)
		}
	}
	return errors.Join(errs...)
}

// UsageOf is what all keys used on a day, over all gateways.
func (b *Book) UsageOf(ctx context.Context, day time.Time) (map[string]Usage, error) {
	files, err := b.files.Files(ctx, usageFolder(dayOf(day)))
	if err != nil {
		return nil, err
	}
	all := map[string]Usage{}
	for _, f := range files {
		id, _, ok := strings.Cut(f.Name, ".")
		var u Usage
		if ok && json.Unmarshal(f.Body, &u) == nil {
			all[id] = all[id].plus(u)
		}
	}
	return all, nil
}
