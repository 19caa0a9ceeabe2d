// Package signin lets people sign in to the pages and the API of trimtab serve with the
// OpenID Connect provider of their company. Who they are and which role they have is then in
// the context of their requests: see package person. Several servers on one store know the
// same visits.
//
//	in, err := signin.New(signin.Options{Config: cfg.SignIn, Secret: secret, URL: "https://gateway.example", Files: store})
//	mux.Handle("/trimtab/", in.Handler(api))  // /trimtab/signin, …/callback, /trimtab/signout and /trimtab/whoami are its own
//	mux.Handle("/", in.Handler(person.Need(owned.View, pages)))
//
// It keeps no passwords and no tokens. A person without a role is told so and not let in.
package signin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/person"
)

// Config says with whom people sign in.
type Config struct {
	Issuer   string            `json:"issuer" guard:"user" doc:"URL of the OpenID Connect provider that people sign in with; empty is none"`
	ClientID string            `json:"clientId" guard:"user" doc:"what this gateway is called there"`
	Secret   string            `json:"secret" guard:"user" doc:"where the client's secret is: env:NAME, file:PATH or keyring:NAME; empty is a public client"`
	Roles    map[string]string `json:"roles" guard:"user" doc:"role of a person by user name or by group, as in eve@example.com: approve, group:leads: steer, and * for everyone else; nobody else is let in"`
	User     string            `json:"user" default:"email" guard:"user" doc:"claim that is the user name; an email counts where the provider has verified it"`
	Groups   string            `json:"groups" default:"groups" guard:"user" doc:"claim that lists groups; empty asks for none"`
	Hours    int               `json:"hours" default:"8" min:"1" max:"168" guard:"user" doc:"how long a visit lasts"`
	Recheck  int               `json:"recheck" default:"30" min:"1" max:"1440" guard:"user" doc:"minutes after which the provider is asked again who a visitor is and which groups they have; browsers do not notice"`
}

// Options are what sign-in is made of.
type Options struct {
	Config
	ClientSecret key.Key  // an empty one is that of a public client
	URL          string   // under which browsers reach the server, without a path
	Hosts        []string // that requests may name: see package address
	Files        Files
	Clock        func() time.Time
	Log          *slog.Logger
	// Current is the settings as they are now: a role that is taken away ends with the next
	// request, without a restart. nil keeps those of Config.
	Current func() (Config, error)
	Did     func(ctx context.Context, p person.Person, what, about, more string) // hears of sign-ins; may be nil
}

// The paths below which sign-in answers itself.
const (
	Path     = "/trimtab/signin"
	callback = Path + "/callback"
	OutPath  = "/trimtab/signout" // takes a form
	whoPath  = "/trimtab/whoami"
)

// SignIn knows who is signed in. It is safe for use by several goroutines.
type SignIn struct {
	opt  Options
	seal *sealer

	mu       sync.Mutex
	provider *oidc.Provider
	current  map[string]string // the roles, as they were read
	read     time.Time
}

// New returns sign-in with a provider, which is asked when somebody comes.
func New(opt Options) (*SignIn, error) {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if u, err := url.Parse(opt.Issuer); err != nil || u.Host == "" || u.Scheme != "https" && !address.Local(opt.Issuer) {
		return nil, fmt.Errorf("signIn.issuer: %q is no https URL", opt.Issuer)
	}
	if opt.ClientID == "" || opt.URL == "" || opt.Files == nil {
		return nil, errors.New("signIn: it needs signIn.clientId, and a name in serve.hosts under which browsers reach it")
	}
	for who, role := range opt.Roles {
		if _, ok := roleOf(role); !ok {
			return nil, fmt.Errorf("signIn.roles: %s: role %q; there are use, view, steer and approve", who, role)
		}
	}
	if opt.User == "" {
		opt.User = "email"
	}
	if opt.Hours == 0 {
		opt.Hours = 8
	}
	if opt.Recheck == 0 {
		opt.Recheck = 30
	}
	return &SignIn{opt: opt, seal: &sealer{files: opt.Files}, current: opt.Roles}, nil
}

// rolesFresh is how long the roles of the settings count before they are read again.
const rolesFresh = 2 * time.Second

// roles are those of the settings as they are now. Settings that cannot be read change
// nothing: a slip of whoever writes them is not to sign everybody out.
func (s *SignIn) roles() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.opt.Clock(); s.opt.Current != nil && now.Sub(s.read) >= rolesFresh {
		s.read = now
		if cfg, err := s.opt.Current(); err != nil {
			s.opt.Log.Warn("sign-in: the settings cannot be read; the roles stay as they were", "error", err)
		} else {
			s.current = cfg.Roles
		}
	}
	return s.current
}

func roleOf(text string) (owned.Role, bool) {
	switch r := owned.Role(text); r {
	case owned.Use, owned.View, owned.Steer, owned.Approve:
		return r, true
	}
	return "", false
}

// Handler answers the paths of sign-in, and passes everything else on with who is signed in.
func (s *SignIn) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == Path && r.Method == http.MethodGet:
			s.begin(w, r)
		case r.URL.Path == callback && r.Method == http.MethodGet:
			s.finish(w, r)
		case r.URL.Path == OutPath && r.Method == http.MethodPost:
			s.out(w, r)
		case r.URL.Path == whoPath && r.Method == http.MethodGet:
			s.whoami(w, r)
		default:
			p, ok, again := s.who(r)
			if again && navigates(r) {
				s.ask(w, r, r.URL.RequestURI(), true)
				return
			}
			if ok {
				r = r.WithContext(person.With(r.Context(), p))
			}
			next.ServeHTTP(w, r)
		}
	})
}

// Person is who a request is of: by the cookie of a visit, or by a token of the provider's
// that was made for this client.
func (s *SignIn) Person(r *http.Request) (p person.Person, ok bool) {
	p, ok, _ = s.who(r)
	return p, ok
}

// navigates reports whether a browser loads a page, and can be led through the provider.
func navigates(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// who is who a request is of; again says that it is of a visit of which the provider is to be
// asked once more.
func (s *SignIn) who(r *http.Request) (p person.Person, ok, again bool) {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") && strings.Count(token, ".") == 2 {
		said, err := s.verify(r.Context(), strings.TrimSpace(token))
		if err != nil {
			s.opt.Log.Info("a token was refused", "error", err)
		}
		return said.Person, err == nil, false
	}
	var v visit
	if !s.open(r, visitCookie, &v) {
		return p, false, false
	}
	// A page of another site can make a browser send a form, but not say that it is ours.
	if r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Header.Get("Origin") == "" || !address.AllowedOrigin(s.opt.Hosts, r)) {
		return p, false, false
	}
	now := s.opt.Clock()
	if !now.Before(v.Until) {
		return p, false, false
	}
	// The role is the one that the settings give now, not the one of when they came.
	p = person.Person{User: v.User, Name: v.Name, Role: s.role(v.User, v.Groups), By: "sign-in"}
	again = !now.Before(v.Checked.Add(time.Duration(s.opt.Recheck) * time.Minute))
	return p, p.Role != "" && !again, again
}

// connect finds the provider once. One that does not answer is asked again with the next
// request.
func (s *SignIn) connect(ctx context.Context) (*oidc.Provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider != nil {
		return s.provider, nil
	}
	// The provider keeps the context for its later requests for keys.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), &http.Client{Timeout: 10 * time.Second}), s.opt.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%s does not answer as an OpenID Connect provider: %w", s.opt.Issuer, err)
	}
	s.provider = found
	return found, nil
}

func (s *SignIn) oauth(p *oidc.Provider) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if s.opt.Groups != "" {
		scopes = append(scopes, "groups")
	}
	secret := http.Header{} // the one way out of a key
	s.opt.ClientSecret.Set(secret, "Secret", "")
	return &oauth2.Config{ClientID: s.opt.ClientID, ClientSecret: secret.Get("Secret"), Endpoint: p.Endpoint(), RedirectURL: strings.TrimSuffix(s.opt.URL, "/") + callback, Scopes: scopes}
}

// begin sends a browser to the provider, where the person signs in.
func (s *SignIn) begin(w http.ResponseWriter, r *http.Request) {
	s.ask(w, r, local(r.FormValue("to")), false)
}

// ask sends a browser to the provider; silently, where the person is not to be bothered.
func (s *SignIn) ask(w http.ResponseWriter, r *http.Request, to string, silently bool) {
	provider, err := s.connect(r.Context())
	if err != nil {
		s.fail(w, http.StatusServiceUnavailable, "sign-in does not work now", err)
		return
	}
	a := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, Silent: silently, Until: s.opt.Clock().Add(attemptLife)}
	if err := s.set(w, r, attemptCookie, a, attemptLife); err != nil {
		s.fail(w, http.StatusServiceUnavailable, "sign-in does not work now", err)
		return
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)}
	if silently {
		options = append(options, oauth2.SetAuthURLParam("prompt", "none"))
	}
	http.Redirect(w, r, s.oauth(provider).AuthCodeURL(a.State, options...), http.StatusFound)
}

// local is a path of this server; a link cannot lead elsewhere by way of sign-in.
func local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return "/"
	}
	return to
}

// finish takes a browser back from the provider.
func (s *SignIn) finish(w http.ResponseWriter, r *http.Request) {
	var a attempt
	if !s.open(r, attemptCookie, &a) || !s.opt.Clock().Before(a.Until) || r.FormValue("state") != a.State {
		s.fail(w, http.StatusBadRequest, "this sign-in was not begun here, or is too old; begin again at "+Path, nil)
		return
	}
	s.clear(w, attemptCookie)
	if a.Silent && r.FormValue("error") != "" { // the provider wants to see the person
		s.clear(w, visitCookie)
		s.ask(w, r, a.To, false)
		return
	}
	if r.FormValue("error") != "" {
		s.fail(w, http.StatusForbidden, "the provider did not sign you in", errors.New(r.FormValue("error")))
		return
	}
	p, groups, err := s.exchange(r.Context(), r.FormValue("code"), a)
	var none *noRole
	if errors.As(err, &none) {
		s.clear(w, visitCookie)
		s.fail(w, http.StatusForbidden, none.Error(), nil)
		return
	}
	if err != nil {
		s.fail(w, http.StatusForbidden, "you could not be signed in; begin again at "+Path, err)
		return
	}
	now := s.opt.Clock()
	v := visit{User: p.User, Name: p.Name, Groups: groups, Checked: now, Until: now.Add(time.Duration(s.opt.Hours) * time.Hour)}
	if before := (visit{}); a.Silent && s.open(r, visitCookie, &before) && before.User == v.User {
		v.Until = before.Until // asked again, it is the same visit
	}
	if err := s.set(w, r, visitCookie, v, v.Until.Sub(now)); err != nil {
		s.fail(w, http.StatusServiceUnavailable, "sign-in does not work now", err)
		return
	}
	if s.opt.Did != nil && !a.Silent {
		s.opt.Did(r.Context(), p, "sign-in", "", string(p.Role))
	}
	http.Redirect(w, r, a.To, http.StatusSeeOther)
}

func (s *SignIn) exchange(ctx context.Context, code string, a attempt) (p person.Person, groups []string, err error) {
	provider, err := s.connect(ctx)
	if err != nil {
		return p, nil, err
	}
	token, err := s.oauth(provider).Exchange(oidc.ClientContext(ctx, &http.Client{Timeout: 10 * time.Second}), code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return p, nil, err
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return p, nil, errors.New("the provider sent no ID token")
	}
	said, err := s.verify(ctx, raw)
	if err == nil && said.nonce != a.Nonce {
		err = errors.New("the ID token is of another sign-in")
	}
	return said.Person, said.groups, err
}

// noRole is a person who is known and may do nothing.
type noRole struct{ user string }

func (e *noRole) Error() string {
	return fmt.Sprintf("you are %s, and have no role here; ask who runs this gateway for one (signIn.roles)", e.user)
}

// claimed is what an ID token says.
type claimed struct {
	person.Person
	groups []string // those that may have a role
	nonce  string
}

// verify reads who an ID token is of. It must be the provider's, for this client, and not
// expired.
func (s *SignIn) verify(ctx context.Context, raw string) (said claimed, err error) {
	provider, err := s.connect(ctx)
	if err != nil {
		return said, err
	}
	token, err := provider.Verifier(&oidc.Config{ClientID: s.opt.ClientID, Now: s.opt.Clock}).Verify(ctx, raw)
	if err != nil {
		return said, err
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return said, err
	}
	if said, err = s.understand(claims); err != nil {
		return said, err
	}
	said.nonce = token.Nonce
	return said, nil
}

// understand reads claims that are known to be the provider's.
func (s *SignIn) understand(claims map[string]any) (said claimed, err error) {
	said.By = "sign-in"
	said.User, _ = claims[s.opt.User].(string)
	said.Name, _ = claims["name"].(string)
	if verified, _ := claims["email_verified"].(bool); s.opt.User == "email" && !verified {
		return claimed{}, fmt.Errorf("the provider has not verified the email %q", said.User)
	}
	if said.User == "" || said.User == owned.Everyone || len(said.User) > 200 || strings.ContainsFunc(said.User, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return claimed{}, fmt.Errorf("the claim %s of the ID token is no user name", s.opt.User)
	}
	list, _ := claims[s.opt.Groups].([]any)
	for _, g := range list { // a person may be in thousands; those that no role is for are forgotten, so that the cookie stays small
		if name, ok := g.(string); ok && s.roles()["group:"+name] != "" {
			said.groups = append(said.groups, name)
		}
	}
	if said.Role = s.role(said.User, said.groups); said.Role == "" {
		user := said.User
		return claimed{}, &noRole{user}
	}
	return said, nil
}

// role is the highest one of a person's; that of everyone only where they have none.
func (s *SignIn) role(user string, groups []string) (best owned.Role) {
	roles := s.roles()
	names := []string{user}
	for _, g := range groups {
		names = append(names, "group:"+g)
	}
	for _, name := range names {
		if name == "*" {
			continue
		}
		if r, ok := roleOf(roles[name]); ok && (best == "" || r.AtLeast(best)) {
			best = r
		}
	}
	if best == "" {
		best, _ = roleOf(roles["*"])
	}
	return best
}

func (s *SignIn) out(w http.ResponseWriter, r *http.Request) {
	if p, ok := s.Person(r); ok && s.opt.Did != nil {
		s.opt.Did(r.Context(), p, "sign-out", "", "")
	}
	s.clear(w, visitCookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *SignIn) whoami(w http.ResponseWriter, r *http.Request) {
	p, ok := s.Person(r)
	if !ok {
		s.fail(w, http.StatusUnauthorized, "nobody is signed in; sign in at "+Path, nil)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"user": p.User, "name": p.Name, "role": string(p.Role), "by": p.By})
}

// fail tells the person what to do, and the log why.
func (s *SignIn) fail(w http.ResponseWriter, status int, text string, why error) {
	if why != nil {
		s.opt.Log.Warn("sign-in: "+text, "error", why)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}
