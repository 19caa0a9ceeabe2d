package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/secret"
)

func TestP15_KnownValuesAreTakenOutWhateverTheyLookLike(t *testing.T) {
	values := []string{"open sesame", "ünïcödé \"quoted\" <&> \\ back", "plainword", "a/b+c=d e%f", "line one\nline two", strings.Repeat("long and dull ", 300), "1234"}
	s := secret.New(secret.Options{Known: append(values, "abc", "")})
	for _, v := range values {
		inJSON := strings.Trim(encode(t, v), `"`)
		forms := map[string]string{
			"plain": v, "JSON": inJSON, "JSON in JSON": strings.Trim(encode(t, inJSON), `"`), "URL": url.QueryEscape(v), "path": url.PathEscape(v), "HTML": html.EscapeString(v),
			"shell": strings.ReplaceAll(v, "'", `'\''`),
		}
		if len(v) >= 6 {
			forms["hexadecimal"] = hex.EncodeToString([]byte(v))
			for i, before := range []string{"", "x", "xy", "xyz"} {
				forms["base64"+strings.Repeat("'", i)] = base64.StdEncoding.EncodeToString([]byte(before + v + "z"))
				forms["base64 for URLs"+strings.Repeat("'", i)] = base64.RawURLEncoding.EncodeToString([]byte(before + v + "z"))
			}
		}
		for name, form := range forms {
			clean, found := s.Redact("before " + form + " after")
			if !strings.HasPrefix(clean, "before ") || !strings.HasSuffix(clean, " after") {
				t.Errorf("%q in %s: took out too much: %q", v, name, clean)
			}
			rest := strings.TrimSuffix(strings.TrimPrefix(clean, "before "), " after")
			if i, j := strings.Index(rest, "[REDACTED:known]"), len("[REDACTED:known]"); i < 0 || i > 4 || len(rest)-i-j > 4 {
				t.Errorf("%q in %s: left %q, %v", v, name, clean, found)
			}
		}
	}
	if _, found := s.Redact("abc and the empty value are too short"); len(found) > 0 {
		t.Errorf("a value of three bytes was taken out: %v", found)
	}
}

func TestP15_ManyKnownValues(t *testing.T) {
	var values []string
	for i := range 200 {
		values = append(values, strings.Repeat(string(rune('a'+i%26)), 5)+strings.Repeat(string(rune('A'+i/26)), 40))
	}
	s := secret.New(secret.Options{Known: values})
	for _, v := range []string{values[0], values[70], values[199]} {
		if clean, _ := s.Redact("x " + v + " y"); clean != "x [REDACTED:known] y" {
			t.Errorf("got %q", clean)
		}
	}
}

func TestP15_TheEnvironmentTellsWhatIsSecret(t *testing.T) {
	pat := canary(t, "github-pat")
	env := []string{
		"MY_API_KEY=abcdefgh-not-random", "DB_PASS=longish pass", "SOMETHING=" + pat.Value, "DATABASE_URL=postgres://u:h4rdly@h/db", "SECRET_SHORT=abc",
		"PATH=/usr/bin:/bin", "HOME=/home/jane", "SSH_AUTH_SOCK=/tmp/ssh/agent.1", "KEY_FILE=/etc/key.pem", "TOKEN_LIMIT=123456789", "MAX_TOKENS=12345678", "PWD=/srv/work/dir", "LANG=en_US.UTF-8", "broken", "A_TOKEN=$OTHER_TOKEN",
	}
	want := []string{"abcdefgh-not-random", "longish pass", pat.Value, "postgres://u:h4rdly@h/db"}
	got := secret.FromEnviron(env)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
