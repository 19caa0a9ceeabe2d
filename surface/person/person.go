// Package person says who asks: a person or a program that showed a key or signed in, with
// the role that they have. Whoever finds that out puts it into the context of a request;
// handlers read it there, and never look at keys or cookies themselves.
//
//	mux.Handle("GET /improve", person.Need(owned.View, pages))
//	who, ok := person.Of(r.Context()) // ok is false where nobody is known
//	mine, err := who.Part(archive)    // the sessions that they may see
//
// It checks nothing: see surface/caller for keys and surface/signin for people.
package person

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/owned"
)

// Person is who asks.
type Person struct {
	User string     // whose sessions are theirs
	Name string     // to show, where it is another
	Role owned.Role // what they may do with what is not theirs
	By   string     // how they are known: "token", "key ID" or "sign-in"
}

// Shown is what the person is called on a page.
func (p Person) Shown() string {
	if p.Name != "" {
		return p.Name
	}
	return p.User
}

// Part is the part of a store that the person may see and change.
func (p Person) Part(st trimtab.Archive) (*owned.Store, error) {
	show := ""
	if p.Role.AtLeast(owned.View) {
		show = owned.Everyone
	}
	return owned.New(st, owned.Options{User: p.User, Role: p.Role, Show: show, Shared: true})
}

// May says why the person may not do with a session what takes a role, unless it is theirs.
func (p Person) May(info trimtab.Info, need owned.Role) error {
	if info.User == p.User && p.User != "" || p.Role.AtLeast(need) {
		return nil
	}
	return fmt.Errorf("session %s: %w: you are %s with the role %q, and this takes the role %q", info.ID, owned.ErrForbidden, p.User, p.Role, need)
}

type contextKey struct{}

// With is the context of a request of a person's.
func With(ctx context.Context, p Person) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// Of is who asks; ok is false where nobody is known.
func Of(ctx context.Context) (p Person, ok bool) {
	p, ok = ctx.Value(contextKey{}).(Person)
	return p, ok
}

// Need passes on requests of those who have a role. Others are told which one it takes.
func Need(role owned.Role, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch p, ok := Of(r.Context()); {
		case !ok:
			fail(w, http.StatusUnauthorized, "nobody is signed in: sign in, or give a key")
		case !p.Role.AtLeast(role):
			fail(w, http.StatusForbidden, fmt.Sprintf("you are %s with the role %q, and this takes the role %q; ask who gave you the key or looks after serve.roles", p.User, p.Role, role))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // the client is gone, and nobody is left to tell
}
