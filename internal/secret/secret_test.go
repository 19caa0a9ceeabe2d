package secret_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// scanner knows the rules and nothing else.
var scanner = secret.New(secret.Options{})

// canary returns a made secret of a kind: none is written into this file, for
// whoever scans it would have to be told that it is none.
func canary(t testing.TB, kind string) secrettest.Canary {
	t.Helper()
	for _, c := range secrettest.Make(99) {
		if c.Kind == kind {
			return c
		}
	}
	t.Fatalf("no canary of the kind %s", kind)
	return secrettest.Canary{}
}

func TestR14_AFindingIsReplacedByItsKind(t *testing.T) {
	c := canary(t, "github-pat")
	text, found := scanner.Redact("the log says " + c.Value + ", so revoke it")
	if want := "the log says [REDACTED:github-token], so revoke it"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if diff := cmp.Diff([]secret.Finding{{Kind: "github-token", Start: 13, End: 13 + len(c.Value)}}, found); diff != "" {
		t.Error(diff)
	}
}

func TestR14_WhatKindItIs(t *testing.T) {
	for kind, want := range map[string]string{
		"aws-access-key": "aws-access-key", "aws-secret-key": "secret", "gcp-service-account": "private-key", "azure-storage-key": "api-key", "gitlab-pat": "gitlab-token",
		"slack-bot": "slack-token", "slack-webhook": "webhook", "discord-webhook": "webhook", "telegram-bot": "telegram-token", "stripe-live": "stripe-key",
		"npm-token": "npm-token", "pypi-token": "pypi-token", "openai-key": "openai-key", "anthropic-key": "anthropic-key", "google-api-key": "google-api-key",
		"huggingface-token": "huggingface-token", "jwt": "jwt", "ssh-key": "private-key", "age-key": "age-key", "postgres-url": "url-password", "basic-header": "authorization",
		"session-cookie": "cookie", "env-password": "password", "netrc": "netrc-password", "kubernetes-secret": "kubernetes-secret", "vault-token": "vault-token",
		"shopify-token": "shopify-token", "digitalocean-token": "digitalocean-token", "docker-auth": "api-key", "sendgrid-key": "sendgrid-key", "twilio-key": "twilio-key",
	} {
		text, found := scanner.Redact(canary(t, kind).Text)
		if len(found) == 0 || !strings.Contains(text, "[REDACTED:"+want+"]") {
			t.Errorf("%s: got %v, want the kind %s", kind, found, want)
		}
	}
}

// TestR14_RedactingTwiceChangesNothing mixes canaries, marks, ordinary text and
// broken pieces in every order.
func TestR14_RedactingTwiceChangesNothing(t *testing.T) {
	var pieces []string
	for _, c := range secrettest.Make(5) {
		pieces = append(pieces, c.Text, c.Value, c.Text[:len(c.Text)/2], c.Value[len(c.Value)/2:])
	}
	pieces = append(pieces, "[REDACTED:jwt]", "[REDACTED:", "]", "password=", "token: ", "\"", "\n", " ", "=", "-----BEGIN PRIVATE KEY-----", "Authorization: Bearer ", "://a:", "@host", "Cookie: a=")
	private := secret.New(secret.Options{Private: true, Known: []string{"correct horse", "REDACTED"}})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		for _, redact := range []func(string) (string, []secret.Finding){scanner.Redact, private.Redact} {
			once, _ := redact(text)
			if twice, found := redact(once); twice != once {
				t.Fatalf("%q\nonce  %q\ntwice %q\n%v", text, once, twice, found)
			}
		}
	})
}

func TestR14_EscapedAndEncodedForms(t *testing.T) {
	inJSON := func(s string) string { return encode(t, s) }
	forms := map[string]func(string) string{
		"JSON":                inJSON,
		"JSON in JSON":        func(s string) string { return inJSON(inJSON(s)) },
		"JSON in JSON thrice": func(s string) string { return inJSON(inJSON(inJSON(s))) },
		"URL":                 url.QueryEscape,
		"path":                url.PathEscape,
		"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64, shifted":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte("ab" + s)) },
		"base64, shifted on":  func(s string) string { return "data:" + base64.RawStdEncoding.EncodeToString([]byte("x"+s)) },
		"base64, wrapped":     func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 76) },
	}
	hidden := map[string]bool{}
	for name, form := range forms {
		for _, c := range secrettest.Make(3) {
			if strings.HasPrefix(name, "base64") && !inBase64(c.Kind) {
				continue
			}
			if name == "URL" && c.Kind == "netrc" { // with + for blanks and nothing else escaped, no sign says that it is
				continue
			}
			clean, found := scanner.Redact(form(c.Text))
			if len(found) == 0 || len(secrettest.In(name, []byte(strings.ReplaceAll(clean, "\n", "")), []secrettest.Canary{c})) > 0 || strings.Contains(clean, strings.Trim(form(c.Value), `"\`)) {
				hidden[c.Kind+" in "+name] = true
			}
		}
	}
	for k := range hidden {
		t.Errorf("left in: %s", k)
	}
}

// inBase64 are the kinds that are looked for inside base64.
func inBase64(kind string) bool {
	switch kind {
	case "aws-access-key", "github-pat", "github-oauth", "github-app", "github-fine-grained", "gitlab-pat", "slack-bot", "slack-app", "stripe-live", "npm-token", "pypi-token",
		"openai-key", "anthropic-key", "openrouter-key", "rsa-key", "ssh-key", "gcp-service-account", "env-password", "yaml-password", "json-secret", "age-key", "jwt", "dockerhub-pat":
		return true
	}
	return false
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func wrap(s string, width int) string {
	var lines []string
	for len(s) > width {
		lines, s = append(lines, s[:width]), s[width:]
	}
	return strings.Join(append(lines, s), "\n")
}

func TestR14_KeysOverSeveralLines(t *testing.T) {
	key := canary(t, "ssh-key")
	lines := strings.Split(key.Text, "\n")
	for name, text := range map[string]string{
		"as it is":             key.Text,
		"with CR":              strings.ReplaceAll(key.Text, "\n", "\r\n"),
		"indented":             strings.ReplaceAll(key.Text, "\n", "\n    "),
		"quoted in a mail":     strings.ReplaceAll(key.Text, "\n", "\n> "),
		"added by a patch":     strings.ReplaceAll(key.Text, "\n", "\n+"),
		"on one line":          strings.ReplaceAll(key.Text, "\n", " "),
		"cut off":              strings.Join(lines[:9], "\n"),
		"cut off, text after":  strings.Join(lines[:9], "\n") + "\n\nThe rest of the file was not shown.",
		"between other blocks": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" + key.Text + "-----BEGIN PUBLIC KEY-----\nMIIC\n-----END PUBLIC KEY-----",
	} {
		clean, _ := scanner.Redact(text)
		for _, p := range secrettest.In(name, []byte(clean), []secrettest.Canary{key}) {
			t.Errorf("%v", p)
		}
		if strings.Contains(text, "CERTIFICATE") && (!strings.Contains(clean, "MIIB") || !strings.Contains(clean, "MIIC")) {
			t.Errorf("%s: what is public was taken out too:\n%s", name, clean)
		}
		if strings.Contains(text, "The rest") && !strings.Contains(clean, "The rest of the file") {
			t.Errorf("%s: the text after it was taken out too:\n%s", name, clean)
		}
	}
}

func TestR14_OrdinaryTextIsLeftAlone(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	long := sha512.Sum512([]byte("x"))
	digest := hex.EncodeToString(sum[:])
	image := strings.Repeat(base64.StdEncoding.EncodeToString(long[:]), 40)
	for _, text := range []string{
		"commit " + digest[:40] + "\nAuthor: A\n",
		"index " + digest[:7] + ".." + digest[8:15] + " 100644",
		"sha256:" + digest,
		"github.com/x/y v1.2.3 h1:" + base64.StdEncoding.EncodeToString(sum[:]),
		`"integrity": "sha512-` + base64.StdEncoding.EncodeToString(long[:]) + `"`,
		`"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz#` + digest[:40] + `"`,
		`<img src="data:image/png;base64,` + image + `">`,
		`{"id": "3f2b8c1e-9d4a-4f6b-8a7c-0123456789ab", "session_id": "3f2b8c1e-9d4a-4f6b-8a7c-0123456789ab"}`,
		`{"type":"tool_use","id":"toolu_01A09q90qw90lq917835lq9","name":"bash"}`,
		`"key": "` + digest[:40] + `"`, "key=3f2b8c1e-9d4a-4f6b-8a7c-0123456789ab", "access: " + digest,
		`"prompt_cache_key": "01a1dd03-f172-74b0-b312-3b2de6f6f078"`,
		"password: string\nPassword string `json:\"password\"`\nfunc (u *User) SetPassword(password string) error {",
		`password = os.Getenv("DB_PASSWORD")`, "PASSWORD=$DB_PASSWORD", `PASSWORD="${DB_PASSWORD}"`, "password: {{ .Values.password }}", "password=changeme", "password: <your password>", "token: ********",
		"the password must have 8 characters", "max_tokens: 4096", "input_tokens=183220", "token = parser.next2()", "key := strings.ToLower(name)",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", `-H "Authorization: Bearer ${GITHUB_TOKEN}"`, "Authorization header is required",
		"https://example.com:8080/a@b", "git@github.com:acme/app.git", "postgres://user:password@localhost/db", "see http://localhost:3000/x?y=1#z", "mailto:a@b.example",
		"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqfGQqzCqX6Zc0Wm3nV8kqM5q3Xy0n7H1rS2T4u9vWb me@host",
		"AKIAIOSFODNN7EXAMPLE", "gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "PrivateKey: testRSA2048PrivateKey,", "curl -u user:$PASS https://x", "git push -u origin feat/a:b",
		"[REDACTED:password]", "key=[REDACTED:api-key]", "cookie: yes", "Set-Cookie: theme=dark; Path=/", "the keyboard: qwerty123", "monkey: banana42banana", "primary key: user_id2",
	} {
		if clean, found := scanner.Redact(text); len(found) > 0 {
			t.Errorf("%q\nbecame %q: %v", text[:min(len(text), 200)], clean[:min(len(clean), 200)], found)
		}
	}
}

func TestR14_ContextTellsWhatAValueIs(t *testing.T) {
	sum := sha256.Sum256([]byte("y"))
	digest, id := hex.EncodeToString(sum[:]), "3f2b8c1e-9d4a-4f6b-8a7c-0123456789ab"
	for _, format := range []string{
		"DATADOG_API_KEY=%s", `{"api_key": "%s"}`, "heroku_token: %s", `client.secret = '%s'`, "--token %s", "x-api-key: %s", "<apiKey>%s</apiKey>", "GITEA_TOKEN=%s", `setHeader("X-Auth-Token", "%s")`,
		"export FOO_SECRET=%s;", `\"auth_token\":\"%s\"`, "api_key%%3D%s%%26x", "https://x/?access_token=%s&y=1", "//registry.npmjs.org/:_authToken=%s", "Authorization: token %s", "gitea %s",
	} {
		for _, value := range []string{digest[:32], digest[:40], digest, id} {
			if format == "gitea %s" { // a name and a blank say nothing
				continue
			}
			clean, _ := scanner.Redact(fmt.Sprintf(format, value))
			if strings.Contains(clean, value) {
				t.Errorf("%s left in %q", value, format)
			}
		}
	}
}

func TestR14_WordsOfPasswords(t *testing.T) {
	for _, text := range []string{
		"password=hunter2", "DB_PASSWORD=correcthorse", `password: "Tr0ub4dor&3"`, "passwd = 's3cr3t!'", "pwd:p@ssw0rd!", "PGPASSWORD=battery-staple psql", `{"password":"pa\"ss9word"}`,
		"mysql://root:toor9@localhost/x", "redis://:p4ss@cache:6379", "amqp://svc:a%40b%2Fc1@mq/vhost", "machine x.org\n  login me\n  password swordfish1", "curl -u bob:swordfish1 https://x",
		"curl --user 'bob:sword fish1' https://x",
	} {
		clean, found := scanner.Redact(text)
		for _, word := range []string{"hunter2", "correcthorse", "Tr0ub4dor", "s3cr3t", "p@ssw0rd", "battery", "ss9word", "toor9", "p4ss", "40b", "swordfish1", "sword fish1"} {
			if strings.Contains(text, word) && strings.Contains(clean, word) {
				t.Errorf("%q became %q: %v", text, clean, found)
			}
		}
	}
}

func TestR14_PrivateTakesPersonsOut(t *testing.T) {
	for text, want := range map[string]string{
		"mail jane.doe+x@corp.co.uk now":                  "mail [REDACTED:email] now",
		"at /home/jane/src/app.go:12":                     "at /home/[REDACTED:home]/src/app.go:12",
		"/Users/jane.doe/Library":                         "/Users/[REDACTED:home]/Library",
		`C:\Users\Jane\x`:                                 `C:\Users\[REDACTED:home]\x`,
		`"C:\\Users\\Jane\\x"`:                            `"C:\\Users\\[REDACTED:home]\\x"`,
		"git@github.com:a/b, dev@example.com, a@v1.2.3":   "git@github.com:a/b, dev@example.com, a@v1.2.3",
		"1234+jane@users.noreply.github.com, icon@2x.png": "1234+jane@users.noreply.github.com, icon@2x.png",
		"/home/, /home/runner/work":                       "/home/, /home/runner/work",
	} {
		if got, _ := secret.New(secret.Options{Private: true}).Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if got, found := scanner.Redact(text); got != text {
			t.Errorf("without the option %q became %q: %v", text, got, found)
		}
	}
}

// TestR14_CardsAndInnerHostsDoNotLeave: they are no secrets of a program, and nobody else's
// to know.
func TestR14_CardsAndInnerHostsDoNotLeave(t *testing.T) {
	private := secret.New(secret.Options{Private: true})
	for text, want := range map[string]string{
		"paid with 4111 1111 1111 1111 today":                "paid with [REDACTED:card] today",
		"card=5555-5555-5555-4444;":                          "card=[REDACTED:card];",
		"card 5555-5555-5555-4444;":                          "card [REDACTED:card];",
		"378282246310005":                                    "[REDACTED:card]",
		"4111 1111 1111 1112":                                "4111 1111 1111 1112", // the check digit is wrong
		"id 41111111111111111":                               "id 41111111111111111",
		"x4111111111111111":                                  "x4111111111111111",
		"dial db-7.prod.corp:5432: refused":                  "dial [REDACTED:host]:5432: refused",
		"https://wiki.acme.internal/page":                    "https://[REDACTED:host]/page",
		"postgres.svc.cluster.local is down":                 "[REDACTED:host] is down",
		"10.4.0.17 and 192.168.1.20 and 172.20.0.3, 8.8.8.8": "[REDACTED:host] and [REDACTED:host] and [REDACTED:host], 8.8.8.8",
		"version 10.4.0 of module 10.4.0.17.2":               "version 10.4.0 of module 10.4.0.17.2",
		"package com.acme.internal does not exist":           "package com.acme.internal does not exist",
		"github.com/acme/ship/internal/rudder":               "github.com/acme/ship/internal/rudder",
		"acme.internal.Foo and self.internal":                "acme.internal.Foo and self.internal",
		"172.15.0.1 127.0.0.1 localhost":                     "172.15.0.1 127.0.0.1 localhost",
	} {
		got, _ := private.Redact(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again, _ := private.Redact(got); again != got {
			t.Errorf("%q is redacted again: %q", got, again)
		}
		if plain, _ := secret.New(secret.Options{}).Redact(text); strings.Contains(plain, ":card]") || strings.Contains(plain, ":host]") {
			t.Errorf("%q: in a change they are no secrets: %q", text, plain)
		}
	}
}
