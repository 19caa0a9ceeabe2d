package caller

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/trimtab/trimtab/store/owned"
)

// Limits are what a key may use. Zero is no limit.
type Limits struct {
	Requests int      `json:"requestsPerMinute,omitempty"`
	Tokens   int64    `json:"tokensPerDay,omitempty"`
	Spend    float64  `json:"dollarsPerDay,omitempty"`
	Models   []string `json:"models,omitempty"` // as in claude-*; none is all
}

// allows reports whether a model may be asked.
func (l Limits) allows(model string) bool {
	for _, pattern := range l.Models {
		if ok, err := path.Match(pattern, model); err == nil && ok {
			return true
		}
	}
	return len(l.Models) == 0
}

// bounded reports whether use is counted against a limit.
func (l Limits) bounded() bool { return l.Tokens > 0 || l.Spend > 0 }

// Plan is what a key is made of.
type Plan struct {
	Name    string     `json:"name"`
	User    string     `json:"user"`
	Role    owned.Role `json:"role"`
	Limits  Limits     `json:"limits"`
	Expires time.Time  `json:"expiresAt,omitzero"`
}

// Key is a key without its secret.
type Key struct {
	ID string `json:"id"`
	Plan
	Created   time.Time `json:"createdAt"`
	CreatedBy string    `json:"createdBy"`
	Revoked   time.Time `json:"revokedAt,omitzero"`
	RevokedBy string    `json:"revokedBy,omitempty"`
}

// record is a key as the store has it. The hash is a plain one: the secret has 130 random
// bits, which nobody guesses however fast the hash is.
type record struct {
	Key
	Hash string `json:"sha256"`
}

const (
	prefix  = "trimtab-"
	idSize  = 8
	minSize = len(prefix) + idSize + 1 + 26
	maxSize = 80
	maxName = 64
	maxUser = 64 // the ids of sessions begin with it
)

// made is a new secret, and the record of it.
func made(p Plan, by string, now time.Time) (secret string, r record) {
	id := strings.ToLower(rand.Text()[:idSize])
	secret = prefix + id + "-" + rand.Text()
	return secret, record{Key: Key{ID: id, Plan: p, Created: now.UTC().Truncate(time.Second), CreatedBy: by}, Hash: hashOf(secret)}
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// idOf is the id in a text that has the form of a key; ok is false for any other text, such
// as a provider's key.
func idOf(secret string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(secret, prefix)
	if !ok || len(secret) < minSize || len(secret) > maxSize || rest[idSize] != '-' {
		return "", false
	}
	return rest[:idSize], true
}

func (r record) fits(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(hashOf(secret)), []byte(r.Hash)) == 1
}

// ErrPlan is a key that cannot be made.
var ErrPlan = errors.New("no such key can be made")

// CheckUser refuses names that cannot be a caller's.
func CheckUser(user string) error {
	plain := strings.Trim(strings.ToLower(user), "abcdefghijklmnopqrstuvwxyz0123456789._@-") == ""
	if user == "" || user == owned.Everyone || len(user) > maxUser || strings.Contains(user, "..") || !plain {
		return fmt.Errorf("%w: user %q: give up to %d letters, digits and . _ @ -, no \"..\", and not %q", ErrPlan, user, maxUser, owned.Everyone)
	}
	return nil
}

// Check refuses what cannot be a key.
func (p Plan) Check(now time.Time) error {
	if p.Name == "" || len(p.Name) > maxName || strings.ContainsFunc(p.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%w: name %q: give 1 to %d bytes of plain text", ErrPlan, p.Name, maxName)
	}
	if err := CheckUser(p.User); err != nil {
		return err
	}
	switch p.Role {
	case owned.Use, owned.View, owned.Steer, owned.Approve:
	default:
		return fmt.Errorf("%w: role %q: there are use, view, steer and approve", ErrPlan, p.Role)
	}
	if p.Limits.Requests < 0 || p.Limits.Tokens < 0 || p.Limits.Spend < 0 {
		return fmt.Errorf("%w: a limit is below zero; 0 is none", ErrPlan)
	}
	for _, pattern := range p.Limits.Models {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%w: model %q is no pattern; give one as in claude-*", ErrPlan, pattern)
		}
	}
	if !p.Expires.IsZero() && !p.Expires.After(now) {
		return fmt.Errorf("%w: it would have expired at %s already", ErrPlan, p.Expires.Format(time.RFC3339))
	}
	return nil
}

// State is what has become of a key.
func (k Key) State(now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return "expired"
	}
	return "valid"
}
