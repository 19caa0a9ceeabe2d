package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"net/http"
	"sync"
	"time"
)

const (
	cookieName = "trimtab"
	ticketLife = 2 * time.Minute
	visitLife  = 12 * time.Hour
	maxTickets = 100
	maxVisits  = 100
)

// keys knows who may see the pages: tickets that work once, and the visits they began.
type keys struct {
	*sync.Mutex
	secret  []byte // signs the forms of people who sign in, and seals their cookies
	clock   func() time.Time
	tickets map[string]time.Time // until when
	visits  map[string]visit     // by cookie
}

type visit struct {
	until time.Time
	token string // that every form of its pages carries
}

func newKeys(clock func() time.Time, secret []byte) keys {
	if len(secret) == 0 {
		secret = []byte(rand.Text())
	}
	return keys{&sync.Mutex{}, secret, clock, map[string]time.Time{}, map[string]visit{}}
}

func (k keys) ticket() string {
	k.Lock()
	defer k.Unlock()
	now := k.clock()
	for t, until := range k.tickets {
		if now.After(until) || len(k.tickets) >= maxTickets {
			delete(k.tickets, t)
		}
	}
	t := rand.Text()
	k.tickets[t] = now.Add(ticketLife)
	return t
}

// trade takes a ticket and begins a visit.
func (k keys) trade(ticket string) (*http.Cookie, bool) {
	k.Lock()
	defer k.Unlock()
	now := k.clock()
	until, ok := k.tickets[ticket]
	delete(k.tickets, ticket)
	if !ok || now.After(until) {
		return nil, false
	}
	for c, v := range k.visits {
		if now.After(v.until) || len(k.visits) >= maxVisits {
			delete(k.visits, c)
		}
	}
	id := rand.Text()
	k.visits[id] = visit{now.Add(visitLife), rand.Text()}
	return &http.Cookie{Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(visitLife.Seconds())}, true
}

func (k keys) visit(r *http.Request) (visit, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return visit{}, false
	}
	k.Lock()
	defer k.Unlock()
	v, ok := k.visits[c.Value]
	return v, ok && k.clock().Before(v.until)
}

func (k keys) known(r *http.Request) bool {
	_, ok := k.visit(r)
	return ok
}

// tokenOf is the token of the pages of a person who signed in.
func (k keys) tokenOf(user string) string {
	sum := hmac.New(sha256.New, k.secret)
	_, _ = sum.Write([]byte(user)) // never fails
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum.Sum(nil))
}

// meant reports whether a form of one of the person's own pages was sent.
func (d *Dashboard) meant(r *http.Request) bool {
	token := d.token(r)
	return token != "" && subtle.ConstantTimeCompare([]byte(r.FormValue("token")), []byte(token)) == 1
}
