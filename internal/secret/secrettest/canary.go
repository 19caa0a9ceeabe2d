package secrettest

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// Canary is a made secret.
type Canary struct {
	Kind  string // what it imitates
	Value string // what must be found nowhere
	Text  string // Value where such a secret stands: a line of a file, a header, a command
}

// kind says how a canary is made. In value, [set]{n} is n characters of a set;
// in text, VALUE is the value.
type kind struct{ kind, value, text string }

const (
	word  = "[A-Za-z0-9]"
	loose = "[A-Za-z0-9_-]"
	low   = "[a-z0-9]"
	digit = "[a-f0-9]"
	b64   = "[A-Za-z0-9+/]"
)

// kinds are sixty. The form of each is its issuer's.
func kinds() []kind {
	return []kind{
		{"aws-access-key", "AKIA[A-Z2-7]{16}", "aws_access_key_id = VALUE"},
		{"aws-secret-key", b64 + "{40}", "aws_secret_access_key = VALUE"},
		{"google-api-key", "AIza" + loose + "{35}", "https://maps.googleapis.com/maps/api/js?key=VALUE"},
		{"google-oauth", "ya29." + loose + "{120}", "access_token: VALUE"},
		{"gcp-service-account", "PEM", `{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\nVALUE\n-----END PRIVATE KEY-----\n"}`},
		{"azure-client-secret", word + "{3}8Q~" + loose + "{33}", `AZURE_CLIENT_SECRET="VALUE"`},
		{"azure-storage-key", b64 + "{86}==", "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=VALUE;EndpointSuffix=core.windows.net"},
		{"azure-sas", word + "{43}%3D", "https://acct.blob.core.windows.net/c/f?sv=2024-01-01&sp=r&sig=VALUE"},
		{"digitalocean-token", "dop_v1_" + digit + "{64}", "doctl auth init -t VALUE"},
		{"heroku-key", "HRKU-AA" + loose + "{58}", "HEROKU_API_KEY=VALUE"},
		{"github-pat", "ghp_" + word + "{36}", "git clone https://VALUE@github.com/acme/app.git"},
		{"github-oauth", "gho_" + word + "{36}", "oauth_token: VALUE"},
		{"github-app", "ghs_" + word + "{36}", "GITHUB_TOKEN=VALUE"},
		{"github-fine-grained", "github_pat_" + word + "{22}_" + word + "{59}", "export GH_TOKEN=VALUE"},
		{"gitlab-pat", "glpat-" + loose + "{20}", "PRIVATE-TOKEN: VALUE"},
		{"gitlab-runner", "glrt-" + loose + "{20}", "gitlab-runner register --token VALUE"},
		{"gitea-token", digit + "{40}", "GITEA_TOKEN=VALUE"},
		{"bitbucket-token", "ATBB" + word + "{32}", "bitbucket app password VALUE"},
		{"slack-bot", "xoxb-[1-9]{12}-[1-9]{12}-" + word + "{24}", "slack: VALUE"},
		{"slack-app", "xapp-1-[A-Z0-9]{11}-[1-9]{13}-" + digit + "{64}", "SLACK_APP_TOKEN=VALUE"},
		{"slack-webhook", "T[A-Z0-9]{8}/B[A-Z0-9]{10}/" + word + "{24}", "curl https://hooks.slack.com/services/VALUE"},
		{"discord-webhook", "[1-9]{18}/" + loose + "{68}", "https://discord.com/api/webhooks/VALUE"},
		{"discord-bot", "MT" + word + "{22}." + loose + "{6}." + loose + "{38}", "DISCORD_TOKEN=VALUE"},
		{"telegram-bot", "[1-9]{10}:AA" + loose + "{33}", "https://api.telegram.org/botVALUE/getMe"},
		{"stripe-live", "sk_live_" + word + "{24}", "Stripe.api_key = 'VALUE'"},
		{"stripe-restricted", "rk_live_" + word + "{99}", "stripe VALUE"},
		{"twilio-key", "SK" + digit + "{32}", "TWILIO_API_KEY=VALUE"},
		{"twilio-auth", digit + "{32}", "TWILIO_AUTH_TOKEN: VALUE"},
		{"sendgrid-key", "SG." + loose + "{22}." + loose + "{43}", "sendgrid.setApiKey('VALUE')"},
		{"mailgun-key", "key-" + digit + "{32}", "curl -s --user 'api:VALUE' https://api.mailgun.net/v3"},
		{"npm-token", "npm_" + word + "{36}", "//registry.npmjs.org/:_authToken=VALUE"},
		{"pypi-token", "pypi-AgEIcHlwaS5vcmc" + loose + "{70}", "[pypi]\nusername = __token__\npassword = VALUE"},
		{"docker-auth", "BASIC", `{"auths": {"https://index.docker.io/v1/": {"auth": "VALUE"}}}`},
		{"dockerhub-pat", "dckr_pat_" + loose + "{27}", "docker login -u me -p VALUE"},
		{"openai-key", "sk-proj-" + loose + "{74}T3BlbkFJ" + loose + "{74}", "OPENAI_API_KEY=VALUE"},
		{"openai-legacy", "sk-" + word + "{20}T3BlbkFJ" + word + "{20}", `client = OpenAI(api_key="VALUE")`},
		{"anthropic-key", "sk-ant-api03-" + loose + "{93}AA", "x-api-key: VALUE"},
		{"openrouter-key", "sk-or-v1-" + digit + "{64}", "Authorization: Bearer VALUE"},
		{"huggingface-token", "hf_[A-Za-z]{34}", "huggingface-cli login --token VALUE"},
		{"groq-key", "gsk_" + word + "{52}", `{"apiKey":"VALUE"}`},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx" + word + "{60}." + loose + "{43}", "Cookie: session=VALUE; theme=dark"},
		{"rsa-key", "PEM", "-----BEGIN RSA PRIVATE KEY-----\nVALUE\n-----END RSA PRIVATE KEY-----"},
		{"ssh-key", "PEM", "cat ~/.ssh/id_ed25519\n-----BEGIN OPENSSH PRIVATE KEY-----\nVALUE\n-----END OPENSSH PRIVATE KEY-----\n"},
		{"age-key", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "VALUE"},
		{"postgres-url", word + "{18}", "DATABASE_URL=postgres://app:VALUE@db.internal:5432/app?sslmode=require"},
		{"mongodb-url", word + "{20}", "mongodb+srv://svc:VALUE@cluster0.mongodb.net/test"},
		{"basic-auth-url", word + "{16}", "https://deploy:VALUE@artifacts.internal/repo"},
		{"basic-header", "BASIC", "Authorization: Basic VALUE"},
		{"session-cookie", low + "{32}", "Set-Cookie: sid=VALUE; Path=/; HttpOnly"},
		{"env-password", word + "{6}!9" + word + "{8}", "DB_PASSWORD=VALUE"},
		{"yaml-password", word + "{14}7", "  password: VALUE"},
		{"json-secret", loose + "{30}1a2", `{"client_secret": "VALUE", "client_id": "app"}`},
		{"netrc", word + "{14}4", "machine api.internal login bob password VALUE"},
		{"kubeconfig-token", word + "{40}", "users:\n- name: admin\n  user:\n    token: VALUE"},
		{"kubernetes-secret", b64 + "{24}", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: VALUE\n"},
		{"vault-token", "hvs." + loose + "{95}", "VAULT_TOKEN=VALUE"},
		{"datadog-key", digit + "{32}", "DD_API_KEY=VALUE"},
		{"shopify-token", "shpat_" + digit + "{32}", "X-Shopify-Access-Token: VALUE"},
		{"wireguard-key", b64 + "{43}=", "[Interface]\nPrivateKey = VALUE"},
		{"signing-secret", "whsec_" + word + "{32}", "endpoint secret VALUE"},
	}
}

// Make returns sixty canaries. The same seed makes the same ones.
func Make(seed uint64) []Canary {
	c := chance(seed)
	var out []Canary
	for _, k := range kinds() {
		var value string
		switch k.value {
		case "PEM":
			var lines []string
			for range 12 {
				lines = append(lines, c.fill(b64+"{64}"))
			}
			value = strings.Join(lines, "\n")
			if strings.Contains(k.text, `\n`) {
				value = strings.Join(lines, `\n`)
			}
		case "BASIC":
			value = base64.StdEncoding.EncodeToString([]byte(c.fill("user:" + word + "{16}5")))
		default:
			value = c.fill(k.value)
		}
		out = append(out, Canary{k.kind, value, strings.ReplaceAll(k.text, "VALUE", value)})
	}
	return out
}

// chance is a stream of numbers that looks random and is always the same: the
// mixing function of SplitMix64.
type chance uint64

func (c *chance) next(n int) int {
	*c += 0x9E3779B97F4A7C15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(n)) // less than n
}

// fill writes a form with chosen characters. The first of a set's characters is
// a letter or a digit of it, and so is the last: a sign at either end would be
// taken for the text around it.
func (c *chance) fill(form string) string {
	var b strings.Builder
	for rest := form; rest != ""; {
		inside, after, ok := strings.Cut(rest, "]{")
		if rest[0] != '[' || !ok {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		count, after, _ := strings.Cut(after, "}")
		n, err := strconv.Atoi(count)
		if err != nil {
			n = 1
		}
		set := members(inside[1:])
		for i := range n {
			from := set
			if plain := strings.TrimRight(set, "_-+/"); i == 0 || i == n-1 {
				from = plain
			}
			b.WriteByte(from[c.next(len(from))])
		}
		rest = after
	}
	return b.String()
}

// members writes out a set: "a-f0-9".
func members(set string) string {
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			for ch := set[i]; ch <= set[i+2]; ch++ {
				b.WriteByte(ch)
			}
			i += 2
			continue
		}
		b.WriteByte(set[i])
	}
	return b.String()
}
