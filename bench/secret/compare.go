package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/trimtab/trimtab/internal/secret"
)

// result is how a rule of gitleaks fared.
type result struct {
	rule   string
	made   int      // texts in which gitleaks found what the rule is for
	found  int      // of these, those from which we took the secret out
	missed []string // texts
}

// compare makes texts from each rule of gitleaks and counts those that both
// find.
func compare(count int, seed uint64) ([]result, error) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	rules := make([]string, 0, len(d.Config.Rules))
	for id := range d.Config.Rules {
		rules = append(rules, id)
	}
	slices.Sort(rules)
	var out []result
	for _, id := range rules {
		rule := d.Config.Rules[id]
		if rule.Regex == nil {
			continue // it looks at names of files
		}
		s := sampler{rand.New(rand.NewPCG(seed, uint64(len(out))))} // texts to compare, nothing to guard
		r := result{rule: id}
		for try := 0; try < count*20 && r.made < count; try++ {
			text := s.text(id, rule.Regex.String(), try)
			for _, f := range d.DetectString(text + "\n") {
				if f.RuleID != id {
					continue
				}
				r.made++
				if takenOut(text, f) {
					r.found++
				} else {
					r.missed = append(r.missed, text)
				}
				break
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// The parts that gitleaks puts around the name and the value in its rules for
// keys without a form of their own.
const (
	beforeName  = `[\w.-]{0,50}?`
	afterName   = `(?:[ \t\w.-]{0,20})`
	beforeValue = `[\x60'"\s=]{0,5}(`
)

// frames are the ways in which a name and a value are written.
var frames = []string{
	"%s_KEY=%s", "export %s_SECRET=%s", "%s: %s", "%s_token = %q", "  %s-key: '%s'", "{%q: %q}", "$%s = '%s';", "config.%s = %q", "%s := %q", "%s=>'%s'", "%s_key, %q", "\\\"%s\\\":\\\"%s\\\"",
}

// text makes a text for a rule: where the rule has a name and a value, as people
// write them; the expression as it is otherwise.
func (s sampler) text(id, expression string, n int) string {
	if form, ok := issued[id]; ok {
		return s.of(form)
	}
	left, right, ok := strings.Cut(expression, afterName)
	_, value, ok2 := strings.Cut(right, beforeValue)
	start := strings.LastIndex(left, beforeName)
	if !ok || !ok2 || start < 0 {
		return around(id) + s.of(expression)
	}
	name := s.of("(?i)" + left[start+len(beforeName):])
	if n%3 == 1 {
		name = strings.ToUpper(name)
	}
	return fmt.Sprintf(frames[n%len(frames)], name, s.of(fold(expression)+group(value)))
}

func fold(expression string) string {
	if strings.HasPrefix(expression, "(?i)") {
		return "(?i)"
	}
	return ""
}

// group returns what stands before the parenthesis that closes a group.
func group(s string) string {
	depth, class := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case class:
			class = s[i] != ']'
		case s[i] == '[':
			class = true
		case s[i] == '(':
			depth++
		case s[i] == ')':
			if depth--; depth < 0 {
				return s[:i]
			}
		}
	}
	return s
}

// issued are the forms of rules whose expression takes more than their issuer
// writes: in the wrong case, or with any character for a dot.
var issued = map[string]string{
	"private-key":               `-----BEGIN (RSA |EC |OPENSSH |ENCRYPTED |)PRIVATE KEY-----\n([A-Za-z0-9+/]{64}\n){6}[A-Za-z0-9+/]{22}==\n-----END (RSA |EC |OPENSSH |ENCRYPTED |)PRIVATE KEY-----`,
	"jwt":                       `eyJhbGciOiJIUzI1NiJ9\.eyJ[A-Za-z0-9_-]{60}\.[A-Za-z0-9_-]{43}`,
	"jwt-base64":                `ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4[A-Za-f]{2}I0TlRZM09Ea3dJbjAu[a-zA-Z]{3}zTEhhc2tkamFzZGtqYXNk`,
	"grafana-api-key":           `eyJrIjoi[A-Za-z0-9]{90}={0,2}`,
	"slack-webhook-url":         `https://hooks\.slack\.com/services/T[A-Z0-9]{8}/B[A-Z0-9]{10}/[A-Za-z0-9]{24}`,
	"slack-config-access-token": `xoxe\.xoxp-1-[A-Za-z0-9]{164}`,
	"kubernetes-secret-yaml":    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  pw: [A-Za-z0-9]{24}`,
	"sidekiq-sensitive-url":     `https://[a-f0-9]{8}:[a-f0-9]{8}@gems\.contribsys\.com/`,
	"atlassian-api-token":       `ATATT3[A-Za-z0-9_=-]{186}`,
	"freemius-secret-key":       `"secret_key" => "sk_[A-Za-z0-9]{29}"`,
}

// around is what some rules want to see beside their expression.
func around(id string) string {
	switch id {
	case "airtable-personnal-access-token":
		return "airtable "
	case "facebook-access-token":
		return "facebook "
	case "sourcegraph-access-token":
		return "sourcegraph "
	}
	return ""
}

// takenOut reports that no long part of the secret is left in what we redact.
func takenOut(text string, f report.Finding) bool {
	clean, _ := secret.New(secret.Options{}).Redact(text)
	s := f.Secret
	if _, value, ok := strings.Cut(s, ":"); ok && f.RuleID == "kubernetes-secret-yaml" {
		s = strings.TrimSpace(value)
	}
	s = strings.Trim(s, `"' `)
	if f.RuleID == "private-key" {
		s = s[40:]
	}
	return !strings.Contains(clean, s)
}

func printComparison(results []result, show bool) {
	made, found, rules, whole := 0, 0, 0, 0
	for _, r := range results {
		made, found = made+r.made, found+r.found
		if r.made > 0 {
			rules++
		}
		if r.made > 0 && r.found == r.made {
			whole++
		}
		if r.found < r.made || r.made == 0 {
			reason := exceptions[r.rule]
			if r.made == 0 {
				reason = "none could be made"
			}
			fmt.Printf("%-45s %3d of %3d  %s\n", r.rule, r.found, r.made, reason)
			if show {
				for _, m := range r.missed[:min(3, len(r.missed))] {
					fmt.Printf("    %q\n", m)
				}
			}
		}
	}
	fmt.Printf("%d of %d made secrets, %d of %d rules whole\n", found, made, whole, rules)
}

// exceptions are the rules of gitleaks that we do not follow, and why.
var exceptions = map[string]string{
	"asana-client-id":          "digits alone: the name of an application, no secret",
	"discord-client-id":        "digits alone: the name of an application, no secret",
	"sumologic-access-id":      "the name of a key, no secret; found where it looks made by chance",
	"linkedin-client-id":       chanceless,
	"looker-client-id":         chanceless,
	"confluent-access-token":   chanceless,
	"dropbox-api-token":        chanceless,
	"finicity-client-secret":   chanceless,
	"finnhub-access-token":     chanceless,
	"travisci-access-token":    chanceless,
	"twitter-access-token":     chanceless,
	"linkedin-client-secret":   chanceless,
	"generic-api-key":          chanceless,
	"twitter-bearer-token":     "made in small letters, which Twitter does not write: twenty-two times a is taken for a placeholder",
	"curl-auth-header":         "made with tabs and signs that no header has",
	"curl-auth-user":           "made with line ends inside of names, and with quotes in quotes",
	"sourcegraph-access-token": "forty digits of a hash after the word sourcegraph: any commit of theirs; found with its prefix, or where a name is set to it",
	"vault-service-token":      "s. and 24 letters: the field of any receiver called s; found with its newer prefix, or where a name is set to it",
}

const chanceless = "one in twenty or fewer: letters of both cases that might be a name; a digit more and it is found"
