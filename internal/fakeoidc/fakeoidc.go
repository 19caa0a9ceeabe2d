// Package fakeoidc is a small OpenID Connect provider for tests. Whoever comes picks on its
// page who they are, or, where nobody is named, is whoever the test says.
//
//	provider := fakeoidc.New(t, "trimtab", "client-secret", "ann@example.com", "lea@example.com")
//	… issuer: provider.URL …
//
//	provider := fakeoidc.New(t, "trimtab", "client-secret")
//	provider.Is(map[string]any{"email": "eve@example.com", "email_verified": true})
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
	"maps"
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

	mu     sync.Mutex
	codes  map[string]url.Values // what was asked for, and by whom
	claims map[string]any        // who everybody is, where nobody is named
	alter  func(map[string]any)
}

// New starts one for a client and for people, who are named by their email. Where nobody is
// named, everybody who comes is who Is says, and is asked nothing.
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

// Is says who everybody is who comes from now on, as the claims of an ID token.
func (p *Provider) Is(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = maps.Clone(claims)
}

// Alter has f change the claims of every ID token before it is signed, for tokens that are to
// be refused. Nil ends that.
func (p *Provider) Alter(f func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alter = f
}

// Token signs an ID token with these claims over the usual ones and those of Is.
func (p *Provider) Token(t *testing.T, claims map[string]any) string {
	t.Helper()
	token, err := p.sign(claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// ask shows who one can be.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request) {
	if len(p.people) == 0 {
		p.sendBack(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for _, who := range p.people {
		q := r.URL.Query()
		q.Set("who", who)
		fmt.Fprintf(w, "<p><a href=\"/pick?%s\">%s</a></p>", html.EscapeString(q.Encode()), html.EscapeString(who))
	}
}

// pick sends somebody back as who they picked.
func (p *Provider) pick(w http.ResponseWriter, r *http.Request) {
	if !slices.Contains(p.people, r.FormValue("who")) {
		http.Error(w, "nobody of that name is known", http.StatusForbidden)
		return
	}
	p.sendBack(w, r)
}

// sendBack redirects to where somebody came from, with a code for who they are.
func (p *Provider) sendBack(w http.ResponseWriter, r *http.Request) {
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
	if !ok || id != p.client || secret != p.secret || asked.Get("code_challenge") != encode(challenge[:]) || asked.Get("code_challenge_method") != "S256" {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	claims := map[string]any{"nonce": asked.Get("nonce")}
	if who := asked.Get("who"); who != "" {
		maps.Copy(claims, map[string]any{"sub": who, "email": who, "email_verified": true})
	}
	token, err := p.sign(claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": token})
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	now := time.Now()
	all := map[string]any{"iss": p.URL, "aud": p.client, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	p.mu.Lock()
	maps.Copy(all, p.claims)
	maps.Copy(all, claims)
	if p.alter != nil {
		p.alter(all)
	}
	p.mu.Unlock()
	body, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	text := encode([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + encode(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	return text + "." + encode(sig), err
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone, and nobody is left to tell
}
