package secret

import "strings"

// contexts are the rules that know a secret by what stands beside it. The kind
// of a general one gives way to that of a rule which knows the form.
func contexts() []rule {
	return []rule{
		{kind: "jwt", words: []string{"eyJ"}, find: jwt},
		{kind: "private-key", words: []string{"-----BEGIN"}, find: pem},
		{kind: "private-key", words: []string{"PuTTY-User-Key-File"}, find: putty},
		{kind: "aws-secret-key", words: []string{"AKIA", "ASIA"}, find: awsSecret},
		{kind: "url-password", words: []string{"://", `:\/\/`}, find: userinfo},
		{kind: "authorization", words: variants("authorization"), find: authorization, general: true},
		{kind: "authorization", words: []string{"Bearer ", "bearer ", "BEARER ", "Bearer%20", "Bearer+"}, find: bearer, general: true},
		{kind: "cookie", words: variants("cookie"), find: cookie, general: true},
		{kind: "basic-auth", words: []string{" -u", "--user", "--proxy-user"}, find: curlUser},
		{kind: "netrc-password", words: []string{"login ", "login\n", `login\n`}, find: netrc},
		{kind: "kubernetes-secret", words: []string{"kind: Secret", `kind: "Secret"`, `"kind": "Secret"`, `"kind":"Secret"`}, find: kubernetes, general: true},
		{kind: "password", words: variants("password", "passwd", "passphrase", "passwort", "pwd"), find: assigned(strong), general: true},
		{kind: "password", words: []string{"PASS=", "PASS:", "Pass=", "pass=", `pass"`, "pass:"}, find: assigned(strong), general: true},
		{kind: "password", words: flagWords(), find: flagPassword},
		{kind: "password", words: saidWords(), find: said, general: true},
		{kind: "secret", words: variants("secret", "credential", "creds"), find: assigned(middling), general: true},
		{kind: "token", words: variants("token"), find: assigned(middling), general: true},
		{kind: "api-key", words: append(variants("key", "api"), "Auth", "auth", "AUTH", "access", "Access", "ACCESS"), find: assigned(weak), general: true},
		{kind: "vendor-key", words: variants(vendors()...), find: assigned(vendor), general: true},
	}
}

// variants returns words as they are written in names: token, Token, TOKEN.
func variants(words ...string) []string {
	var out []string
	for _, w := range words {
		out = append(out, w, strings.ToUpper(w[:1])+w[1:], strings.ToUpper(w))
	}
	return out
}

// vendors are those whose keys have no form of their own: only their name beside
// the value tells what it is.
func vendors() []string {
	return []string{
		"adafruit", "adobe", "airtable", "algolia", "alibaba", "asana", "atlassian", "confluence", "jira", "beamer", "bitbucket", "bittrex", "meraki", "cloudflare",
		"codecov", "cohere", "coinbase", "confluent", "contentful", "datadog", "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity", "finnhub",
		"flickr", "forgejo", "freemius", "freshbooks", "freshdesk", "gitea", "gitter", "gocardless", "heroku", "hubspot", "intercom", "jfrog", "artifactory", "bintray", "xray", "kraken",
		"kucoin", "launchdarkly", "linear", "linkedin", "linked_in", "linked-in", "looker", "mailchimp", "mailgun", "mapbox", "mattermost", "messagebird",
		"message_bird", "message-bird", "mistral", "netlify", "newrelic", "new_relic", "new-relic", "nytimes", "newyorktimes", "okta", "plaid", "privateai", "private_ai",
		"private-ai", "rapidapi", "sendbird", "sentry", "contribsys__com", "snyk", "sonar", "sourcegraph", "squarespace", "sumo", "telegr", "travis", "twilio", "twitch",
		"twitter", "yandex", "zendesk", "authress", "shippo",
	}
}
