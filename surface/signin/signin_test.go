package signin_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/fakeoidc"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
	"github.com/trimtab/trimtab/surface/signin"
)

// eve is who everybody is at a provider of newProvider, with claims over the usual ones.
func eve(claims map[string]any) map[string]any {
	all := map[string]any{"sub": "1", "email": "eve@example.com", "email_verified": true, "name": "Eve"}
	maps.Copy(all, claims)
	return all
}

func newProvider(t *testing.T) *fakeoidc.Provider {
	t.Helper()
	p := fakeoidc.New(t, "trimtab", "client-secret")
	p.Is(eve(nil))
	return p
}

func enc(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// site is a server that people sign in to.
func site(t *testing.T, i *fakeoidc.Provider, st *memory.Store, cfg signin.Config) (*httptest.Server, *signin.SignIn) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	base := "http://" + srv.Listener.Addr().String()
	cfg.Issuer, cfg.ClientID, cfg.Groups = i.URL, "trimtab", "groups"
	in, err := signin.New(signin.Options{Config: cfg, ClientSecret: key.New("client-secret", ""), URL: base, Hosts: []string{srv.Listener.Addr().String()}, Files: st.Queue()})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = in.Handler(person.Need(owned.View, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := person.Of(r.Context())
		fmt.Fprintf(w, "%s %s %s", p.User, p.Role, r.URL.RequestURI())
	})))
	srv.Start()
	t.Cleanup(srv.Close)
	return srv, in
}

func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func get(t *testing.T, c *http.Client, method, address string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// X5: a person signs in with their provider, is who it says with the role of the settings,
// at every server on the store, until they sign out.
func TestX5_APersonSignsIn(t *testing.T) {
	i, st := newProvider(t), memory.New()
	one, _ := site(t, i, st, signin.Config{Roles: map[string]string{"eve@example.com": "approve"}})
	c := browser(t)
	if status, _ := get(t, c, "GET", one.URL+"/page"); status != 401 {
		t.Errorf("a stranger: %d", status)
	}
	status, body := get(t, c, "GET", one.URL+signin.Path+"?to=/page%3Fx=1")
	if status != 200 || body != "eve@example.com approve /page?x=1" {
		t.Fatal(status, body)
	}
	if status, body := get(t, c, "GET", one.URL+"/trimtab/whoami"); status != 200 || !strings.Contains(body, `"role":"approve"`) {
		t.Error(status, body)
	}
	two, _ := site(t, i, st, signin.Config{Roles: map[string]string{"eve@example.com": "approve"}}) // another server on the store
	u, _ := url.Parse(one.URL)
	for _, cookie := range c.Jar.Cookies(u) {
		if _, body := get(t, http.DefaultClient, "GET", two.URL+"/", "Cookie", cookie.String()); body != "eve@example.com approve /" {
			t.Errorf("at another server: %s", body)
		}
		if strings.Contains(cookie.Value, "eve") {
			t.Errorf("the cookie can be read: %s", cookie.Value)
		}
	}
	// A form of another site, or of nobody knows where, changes nothing.
	for origin, want := range map[string]int{one.URL: 200, "http://evil.example": 401, "": 401} {
		headers := []string{"Origin", origin}
		if origin == "" {
			headers = nil
		}
		if status, body := get(t, c, "POST", one.URL+"/do", headers...); status != want {
			t.Errorf("from %q: %d %s", origin, status, body)
		}
	}
	get(t, c, "POST", one.URL+"/trimtab/signout", "Origin", one.URL)
	if status, _ := get(t, c, "GET", one.URL+"/page"); status != 401 {
		t.Errorf("after sign-out: %d", status)
	}
}

func TestX5_RolesComeFromNamesAndGroups(t *testing.T) {
	i := newProvider(t)
	roles := map[string]string{"ann@example.com": "view", "group:leads": "steer", "group:all": "use"}
	for _, c := range []struct {
		name   string
		claims map[string]any
		roles  map[string]string
		want   string
		status int
	}{
		{"by name", map[string]any{"email": "ann@example.com"}, roles, "ann@example.com view", 200},
		{"the highest of several", map[string]any{"email": "ann@example.com", "groups": []string{"all", "leads"}}, roles, "ann@example.com steer", 200},
		{"a role that shows nothing", map[string]any{"groups": []string{"all"}}, roles, `takes the role \"view\"`, 403},
		{"no role", nil, roles, "have no role here", 403},
		{"everyone", nil, map[string]string{"*": "view"}, "eve@example.com view", 200},
		{"who calls themselves everyone", map[string]any{"email": "*"}, map[string]string{"*": "use", "x": "approve"}, `takes the role`, 403},
		{"an email that nobody verified", map[string]any{"email_verified": false}, map[string]string{"*": "approve"}, "could not be signed in", 403},
		{"without a name", map[string]any{"email": ""}, map[string]string{"*": "approve"}, "could not be signed in", 403},
		{"with the name for all", map[string]any{"email": "all"}, map[string]string{"*": "approve"}, "could not be signed in", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			i.Is(eve(c.claims))
			srv, _ := site(t, i, memory.New(), signin.Config{Roles: c.roles})
			if status, body := get(t, browser(t), "GET", srv.URL+signin.Path); status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

// X5, bad input: tokens of another issuer, for another audience, expired, of another key or
// of none are refused, at sign-in and as the token of a program.
func TestX5_TokensThatAreNotForUsAreRefused(t *testing.T) {
	i, other := newProvider(t), newProvider(t)
	srv, _ := site(t, i, memory.New(), signin.Config{Roles: map[string]string{"*": "approve"}})
	if status, body := get(t, http.DefaultClient, "GET", srv.URL+"/x", "Authorization", "Bearer "+i.Token(t, nil)); status != 200 {
		t.Fatal(status, body)
	}
	good := strings.Split(i.Token(t, nil), ".")
	forged := enc([]byte(`{"alg":"none"}`)) + "." + good[1] + "."
	for name, token := range map[string]string{
		"of another issuer":              other.Token(t, nil),
		"of another issuer, as this one": other.Token(t, map[string]any{"iss": i.URL}),
		"which says another issuer":      i.Token(t, map[string]any{"iss": other.URL}),
		"for another audience":           i.Token(t, map[string]any{"aud": "somebody"}),
		"expired":                        i.Token(t, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
		"without an end":                 i.Token(t, map[string]any{"exp": nil}),
		"without a signature":            forged,
		"changed":                        good[0] + "." + enc([]byte(`{"iss":"`+i.URL+`","aud":"trimtab","email":"root@example.com","email_verified":true,"exp":9999999999}`)) + "." + good[2],
		"no token":                       "a.b.c",
	} {
		if status, body := get(t, http.DefaultClient, "GET", srv.URL+"/x", "Authorization", "Bearer "+token); status != 401 {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for name, change := range map[string]func(map[string]any){
		"of another sign-in":   func(c map[string]any) { c["nonce"] = "another" },
		"for another audience": func(c map[string]any) { c["aud"] = "somebody" },
		"expired":              func(c map[string]any) { c["exp"] = time.Now().Add(-time.Minute).Unix() },
		"of another issuer":    func(c map[string]any) { c["iss"] = other.URL },
	} {
		i.Alter(change)
		c := browser(t)
		if status, body := get(t, c, "GET", srv.URL+signin.Path); status != 403 || !strings.Contains(body, "begin again") {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if status, _ := get(t, c, "GET", srv.URL+"/x"); status != 401 {
			t.Errorf("%s: signed in all the same: %d", name, status)
		}
	}
	i.Alter(nil)
	if status, _ := get(t, browser(t), "GET", srv.URL+signin.Path+"/callback?code=x&state=y"); status != 400 {
		t.Errorf("a callback that nobody began: %d", status)
	}
	for _, cookie := range []string{"trimtab-person=x", "trimtab-person=" + enc([]byte(`{"u":"eve","r":"approve"}`)), "trimtab-person=" + strings.Repeat("A", 5000)} {
		if status, _ := get(t, http.DefaultClient, "GET", srv.URL+"/x", "Cookie", cookie); status != 401 {
			t.Errorf("%.40s: %d", cookie, status)
		}
	}
	if _, body := get(t, browser(t), "GET", srv.URL+signin.Path+"?to=//evil.example/x"); body != "eve@example.com approve /" {
		t.Errorf("sign-in leads elsewhere: %s", body)
	}
}

// The cookie of an attempt does not stand for a visit, and a visit ends.
func TestX5_AVisitEnds(t *testing.T) {
	i, st := newProvider(t), memory.New()
	srv, _ := site(t, i, st, signin.Config{Roles: map[string]string{"*": "approve"}})
	c := browser(t)
	get(t, c, "GET", srv.URL+signin.Path)
	u, _ := url.Parse(srv.URL)
	later, err := signin.New(signin.Options{Config: signin.Config{Issuer: i.URL, ClientID: "trimtab"}, URL: srv.URL, Files: st.Queue(), Clock: func() time.Time { return time.Now().Add(9 * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range c.Jar.Cookies(u) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(cookie)
		if p, ok := later.Person(r); ok {
			t.Errorf("after nine hours: %+v", p)
		}
	}
	stop := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+signin.Path, nil)
	reply, err := stop.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	for _, cookie := range reply.Cookies() {
		if status, _ := get(t, http.DefaultClient, "GET", srv.URL+"/x", "Cookie", "trimtab-person="+cookie.Value); status != 401 {
			t.Errorf("an attempt counts as a visit: %d", status)
		}
	}
}

func TestSignInSaysWhatIsMissing(t *testing.T) {
	st := memory.New()
	for want, opt := range map[string]signin.Options{
		"no https URL":    {Config: signin.Config{Issuer: "http://id.example"}},
		"signIn.clientId": {Config: signin.Config{Issuer: "https://id.example"}},
		`role "admin"`:    {Config: signin.Config{Issuer: "https://id.example", ClientID: "x", Roles: map[string]string{"a": "admin"}}, URL: "https://x", Files: st.Queue()},
	} {
		if _, err := signin.New(opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	in, err := signin.New(signin.Options{Config: signin.Config{Issuer: "http://127.0.0.1:1", ClientID: "x"}, URL: "https://x", Files: st.Queue()})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	in.Handler(nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, signin.Path, nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("a provider that is away: %d %s", w.Code, w.Body)
	}
}

// X5, bad input: a visit does not outlive the role. One that the settings take away ends with
// the next request, at a server that runs; one that came by a group ends when the provider is
// asked again, which a browser does not notice while it is there.
func TestX5_AVisitEndsWithTheRole(t *testing.T) {
	i, st := newProvider(t), memory.New()
	member := func(groups ...string) {
		i.Is(eve(map[string]any{"groups": groups, "exp": time.Now().Add(100 * time.Hour).Unix()}))
	}
	member("leads", "all")
	var mu sync.Mutex
	now, roles, broken := time.Now(), map[string]string{"group:leads": "steer"}, error(nil)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	set := func(to map[string]string, err error) {
		mu.Lock()
		defer mu.Unlock()
		roles, broken = to, err
	}
	srv := httptest.NewUnstartedServer(nil)
	base := "http://" + srv.Listener.Addr().String()
	in, err := signin.New(signin.Options{
		Config: signin.Config{Issuer: i.URL, ClientID: "trimtab", Groups: "groups", Roles: roles}, ClientSecret: key.New("client-secret", ""), URL: base, Hosts: []string{srv.Listener.Addr().String()}, Files: st.Queue(), Clock: clock,
		Current: func() (signin.Config, error) {
			mu.Lock()
			defer mu.Unlock()
			return signin.Config{Roles: roles}, broken
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = in.Handler(person.Need(owned.View, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := person.Of(r.Context())
		fmt.Fprintf(w, "%s %s %s", p.User, p.Role, r.URL.RequestURI())
	})))
	srv.Start()
	t.Cleanup(srv.Close)
	c := browser(t)
	look := func(what string, status int, want string, headers ...string) {
		t.Helper()
		pass(3 * time.Second)
		if got, body := get(t, c, "GET", base+"/page?x=1", headers...); got != status || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", what, got, body)
		}
	}
	page := []string{"Sec-Fetch-Mode", "navigate"}
	if status, body := get(t, c, "GET", base+signin.Path); status != 200 {
		t.Fatal(status, body)
	}
	look("signed in", 200, "eve@example.com steer")
	set(map[string]string{"group:leads": "use"}, nil)
	look("another role", 403, `takes the role \"view\"`)
	set(nil, errors.New("no JSON"))
	look("settings that cannot be read", 403, `role \"use\"`)
	set(map[string]string{"group:others": "steer"}, nil)
	look("no role any more", 401, "nobody is signed in")
	set(map[string]string{"group:leads": "steer"}, nil)
	look("the role is back", 200, "eve@example.com steer")

	pass(time.Hour)
	look("a program, after an hour", 401, "nobody is signed in")
	look("a page, after an hour: the provider was asked", 200, "eve@example.com steer /page?x=1", page...)
	look("a program after that", 200, "eve@example.com steer")
	member("all")
	look("the group is gone at the provider, not asked yet", 200, "eve@example.com steer")
	pass(time.Hour)
	look("asked again", 403, "have no role here", page...)
	look("and then", 401, "nobody is signed in")

	member("leads")
	get(t, c, "GET", base+signin.Path)
	for range 20 { // however often it is asked again, the visit is not longer
		pass(31 * time.Minute)
		get(t, c, "GET", base+"/page", page...)
	}
	look("after its hours", 401, "nobody is signed in")
}
