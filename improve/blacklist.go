package improve

import (
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// subject is something that is never worked on by itself, and the words that tell
// of it. A word counts as a whole word, whatever its case; names in code are taken
// apart (userAuth, auth_token).
type subject struct {
	name  string
	words []string
}

var blacklist = []subject{
	{"authentication", []string{"auth", "authn", "authz", "authentication", "authenticate", "authorization", "authorize", "login", "logins", "logon", "signin", "oauth", "oauth2", "oidc", "sso", "saml", "jwt", "password", "passwords", "passwd", "credential", "credentials", "2fa", "mfa", "totp"}},
	{"payments", []string{"payment", "payments", "billing", "invoice", "invoices", "invoicing", "stripe", "paypal", "refund", "refunds", "credit card", "payout", "payouts"}},
	{"migrations", []string{"migration", "migrations", "migrate", "alembic", "flyway", "liquibase", "schema change"}},
	{"deployment", []string{"deploy", "deploys", "deployed", "deploying", "deployment", "deployments", "kubernetes", "kubectl", "k8s", "terraform", "ansible", "rollout", "production server"}},
	{"personal data", []string{"personal data", "personally identifiable", "pii", "gdpr", "hipaa", "ssn", "social security", "passport", "date of birth", "medical record", "medical records"}},
}

// Subjects names what is on the blacklist by default.
func Subjects() []string {
	var out []string
	for _, s := range blacklist {
		out = append(out, s.name)
	}
	return out
}

// WordsOf are the words that tell of a subject of the blacklist. A subject that is
// not known stands for itself.
func WordsOf(name string) []string {
	for _, s := range blacklist {
		if strings.EqualFold(s.name, strings.TrimSpace(name)) {
			return slices.Clone(s.words)
		}
	}
	return []string{name}
}

// marks are what redaction puts in the place of a secret, also where they were cut
// off. The kind of a secret is not what a request is about.
var marks = lazyregexp.Pattern(`\[REDACTED:[a-z0-9-]*\]?`)

// blacklisted finds the first subject of the list that the fields of a request
// speak of, and the word by which it does.
func blacklisted(list []string, req Request) (name, word string) {
	fields := []string{req.Title, req.Description, req.Pattern.Suggestion}
	for _, v := range req.Pattern.Context {
		fields = append(fields, textOf(v))
	}
	for _, v := range req.Context {
		fields = append(fields, textOf(v))
	}
	for _, s := range req.Pattern.Samples {
		fields = append(fields, s.Excerpt)
	}
	slices.Sort(fields)
	for i, f := range fields {
		fields[i] = " " + strings.Join(apart(marks().ReplaceAllString(f, " ")), " ") + " "
	}
	for _, name := range list {
		for _, w := range WordsOf(name) {
			needle := strings.Join(apart(w), " ")
			if needle != "" && slices.ContainsFunc(fields, func(f string) bool { return strings.Contains(f, " "+needle+" ") }) {
				return name, w
			}
		}
	}
	return "", ""
}

// apart splits a text into words in lower case: at what is neither letter nor
// digit, and where a capital follows a small letter. Of a name in code both the
// whole and its pieces are words.
func apart(text string) []string {
	var out []string
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		from := 0
		var before rune
		for i, r := range run {
			if i > 0 && unicode.IsUpper(r) && unicode.IsLower(before) {
				out = append(out, strings.ToLower(run[from:i]))
				from = i
			}
			before = r
		}
		out = append(out, strings.ToLower(run[from:]))
	}
	return out
}
