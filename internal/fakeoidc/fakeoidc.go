// Package fakeoidc is a small OpenID Connect provider for tests. Whoever comes picks on its
// page who they are.
//
//	provider := fakeoidc.New(t, "trimtab", "client-secret", "ann@example.com", "lea@example.com")
//	… issuer: provider.URL …
//
// It checks the client, its secret and the code challenge as a provider does, and no
// password.
package fakeoidc

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// Provider is one.
type Provider struct {
	URL string

	client, secret string
	people         []string
	key            *rsa.PrivateKey

	mu    sync.Mutex
	codes map[string]url.Values // what was asked for, and by whom
}

// New starts one for a client and for people, who are named by their email.
func New(t *testing.T, client, secret string, people ...string) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{client: client, secret: secret, people: people, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"keys": []any{map[string]string{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("GET /auth", p.ask)
	mux.HandleFunc("GET /pick", p.pick)
	mux.HandleFunc("POST /token", p.token)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	p.URL = srv.URL
	return p
}

// ask shows who one can be.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for _, who := range p.people {
		q := r.URL.Query()
		q.Set("who", who)
		fmt.Fprintf(w, "<p><a href=\"/pick?%s\">%s</a></p>", html.EscapeString(q.Encode()), html.EscapeString(who))
	}
}

// pick sends somebody back.
func (p *Provider) pick(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(p.people, r.FormValue("who")) {
		http.Error(w, "nobody of that name is known", http.StatusForbidden)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = r.URL.Query()
	p.mu.Unlock()
	http.Redirect(w, r, r.FormValue("redirect_uri")+"?code="+code+"&state="+url.QueryEscape(r.FormValue("state")), http.StatusFound)
}

// token trades a code for who it is of.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	if !ok || id != p.client || secret != p.secret || asked.Get("code_challenge") != encode(challenge[:]) {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	now := time.Now()
	body, err := json.Marshal(map[string]any{"iss": p.URL, "aud": p.client, "sub": asked.Get("who"), "email": asked.Get("who"), "email_verified": true, "nonce": asked.Get("nonce"), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text := encode([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": text + "." + encode(sig)})
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone, and nobody is left to tell
}
