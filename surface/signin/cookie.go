package signin

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Files keeps the key of the cookies, the same one for all servers on a store.
type Files interface {
	SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error)
}

// The cookies, and how long an attempt to sign in may take. A visit is in its cookie, so
// that every server on the store knows it without asking.
const (
	visitCookie   = "trimtab-person"
	attemptCookie = "trimtab-signin"
	attemptLife   = 10 * time.Minute
	maxCookie     = 4 << 10
)

// visit is a person who has signed in.
type visit struct {
	User    string    `json:"u"`
	Name    string    `json:"n,omitempty"`
	Groups  []string  `json:"g,omitempty"` // of those that roles are given to
	Checked time.Time `json:"c"`           // when the provider said so
	Until   time.Time `json:"t"`
}

// attempt is a sign-in that was begun.
type attempt struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	To       string    `json:"to"`
	Silent   bool      `json:"q,omitempty"` // the person is not to be asked
	Until    time.Time `json:"t"`
}

// sealer encrypts cookies, so that nobody reads or makes one.
type sealer struct {
	files Files

	mu   sync.Mutex
	aead cipher.AEAD
}

func (s *sealer) cipher(ctx context.Context) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aead != nil {
		return s.aead, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	kept, err := s.files.SaveOnce(ctx, "signin", improve.File{Name: "cookie-key", Body: fresh})
	if err != nil {
		return nil, err
	}
	if len(kept.Body) != len(fresh) {
		return nil, errors.New("the key of the cookies in the store is damaged")
	}
	block, err := aes.NewCipher(kept.Body)
	if err != nil {
		return nil, err
	}
	s.aead, err = cipher.NewGCMWithRandomNonce(block)
	return s.aead, err
}

// set gives a browser a cookie. Its name is part of what is sealed: one cookie cannot stand
// for another.
func (s *SignIn) set(w http.ResponseWriter, r *http.Request, name string, v any, life time.Duration) error {
	aead, err := s.seal.cipher(r.Context())
	if err != nil {
		return err
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return err
	}
	value := base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(name)))
	if len(value) > maxCookie {
		return errors.New("the cookie is too long")
	}
	http.SetCookie(w, s.cookie(name, value, int(life.Seconds())))
	return nil
}

// cookie comes along when the provider sends the browser back (Lax), and with no form of
// another site.
func (s *SignIn) cookie(name, value string, age int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: strings.HasPrefix(s.opt.URL, "https:"), SameSite: http.SameSiteLaxMode}
}

func (s *SignIn) clear(w http.ResponseWriter, name string) { http.SetCookie(w, s.cookie(name, "", -1)) }

// open reads a cookie of ours; false is none, or one that nobody here made.
func (s *SignIn) open(r *http.Request, name string, v any) bool {
	c, err := r.Cookie(name)
	if err != nil || len(c.Value) > maxCookie {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return false
	}
	aead, err := s.seal.cipher(r.Context())
	if err != nil {
		return false
	}
	plain, err := aead.Open(nil, nil, raw, []byte(name))
	return err == nil && json.Unmarshal(plain, v) == nil
}
