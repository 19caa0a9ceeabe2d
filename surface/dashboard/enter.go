package dashboard

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/surface/person"
)

// People come to the pages of a team by signing in with their provider, or with the key
// that they were given for the gateway. A key that was typed is sealed in the cookie of the
// visit and asked for with every page, so that every server on a store knows the visit, and
// it ends when the key is revoked.

const (
	keyCookie = "trimtab-key"
	maxSecret = 512 // bytes of a key that is typed
	maxCookie = 2 << 10
)

// typed is what the cookie of a visit by key holds.
type typed struct {
	Key   string    `json:"k"`
	Until time.Time `json:"t"`
}

// Files keeps the secret of the pages, the same one for all servers on a store.
type Files interface {
	SaveOnce(ctx context.Context, folder string, f improve.File) (improve.File, error)
}

// Secret is what Options.Secret is to be on a store. Where it keeps nothing now, visits and
// pages are of this process alone.
func Secret(ctx context.Context, files Files) []byte {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	kept, err := files.SaveOnce(ctx, "dashboard", improve.File{Name: "secret", Body: fresh})
	if err != nil || len(kept.Body) != len(fresh) {
		return fresh
	}
	return kept.Body
}

// seal is the cipher of cookies.
func (d *Dashboard) seal() (cipher.AEAD, error) {
	key := sha256.Sum256(append([]byte("cookie "), d.visitors.secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// withKey is who the key in the cookie of a visit is of, as long as it is valid.
func (d *Dashboard) withKey(r *http.Request) (p person.Person, ok bool) {
	c, err := r.Cookie(keyCookie)
	if d.opt.Key == nil || err != nil || len(c.Value) > maxCookie {
		return p, false
	}
	aead, err := d.seal()
	if err != nil {
		return p, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return p, false
	}
	var v typed
	plain, err := aead.Open(nil, nil, raw, []byte(keyCookie))
	if err != nil || json.Unmarshal(plain, &v) != nil || !d.opt.Clock().Before(v.Until) {
		return p, false
	}
	return d.keyOf(r.Context(), v.Key)
}

// keyOf is who a key is of.
func (d *Dashboard) keyOf(ctx context.Context, secret string) (p person.Person, ok bool) {
	if d.opt.Key == nil || secret == "" || len(secret) > maxSecret {
		return p, false
	}
	return d.opt.Key(ctx, secret)
}

// enter takes a key that somebody typed and begins a visit.
func (d *Dashboard) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	secret := strings.TrimSpace(r.PostFormValue("key"))
	if _, ok := d.keyOf(r.Context(), secret); !ok {
		d.unknown(w, r, "This key is not known here, or is not valid any more.")
		return
	}
	aead, err := d.seal()
	if err != nil {
		d.failed(w, r, err)
		return
	}
	plain, err := json.Marshal(typed{secret, d.opt.Clock().Add(visitLife)})
	if err != nil {
		d.failed(w, r, err)
		return
	}
	http.SetCookie(w, d.cookieOfKey(r, base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(keyCookie))), int(visitLife.Seconds())))
	http.Redirect(w, r, localPath(r.PostFormValue("to")), http.StatusSeeOther)
}

// leave ends a visit by key.
func (d *Dashboard) leave(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, d.cookieOfKey(r, "", -1))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (d *Dashboard) cookieOfKey(r *http.Request, value string, age int) *http.Cookie {
	return &http.Cookie{Name: keyCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: r.TLS != nil || d.opt.Secure, SameSite: http.SameSiteStrictMode}
}

// localPath is a path of ours: nobody is led elsewhere by way of a sign-in.
func localPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return "/"
	}
	return to
}

// unknown tells whoever is not known how to come in.
func (d *Dashboard) unknown(w http.ResponseWriter, r *http.Request, why string) {
	if !d.team() {
		d.problem(w, r, http.StatusUnauthorized, "This page needs a link that works once. Run trimtab open, and it opens a new one.")
		return
	}
	to := "/"
	if r.Method == http.MethodGet {
		to = r.URL.RequestURI()
	} else if back := r.PostFormValue("to"); back != "" {
		to = back
	}
	to = localPath(to)
	data := map[string]any{"Title": "Sign in", "Page": "enter", "Why": why, "To": to, "Keys": d.opt.Key != nil}
	if d.opt.SignIn != "" {
		data["SignIn"] = d.opt.SignIn + "?to=" + url.QueryEscape(to)
	}
	d.write(w, r, http.StatusUnauthorized, "enter", data)
}
