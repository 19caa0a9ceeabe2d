package secret

import "slices"

// The sets of characters that tokens are made of.
const (
	wordSet  = "A-Za-z0-9"
	nameSet  = "A-Za-z0-9_"
	looseSet = "A-Za-z0-9_-"
	b64Set   = "A-Za-z0-9+/"
	hexSet   = "a-fA-F0-9"
)

// tokens are the forms that issuers publish. One row may hold several words.
func tokens() []token {
	return withTable(slices.Concat(clouds(), builds(), models(), payments(), posts(), identities()))
}

// clouds are the tokens of clouds.
func clouds() []token {
	return []token{
		{kind: "aws-access-key", words: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, after: "[A-Z0-9]{16}", edge: true, bits: 2.5},
		{kind: "aws-access-key", words: []string{"A3T"}, after: "[A-Z0-9]{17}", edge: true, bits: 2.5},
		{kind: "aws-bedrock-key", words: []string{"ABSK"}, after: "[" + b64Set + "]{100,280}={0,2}", edge: true},
		{kind: "aws-bedrock-key", words: []string{"bedrock-api-key-"}, after: "[" + b64Set + "]{20,2000}={0,2}"},
		{kind: "google-api-key", words: []string{"AIza"}, after: "[" + looseSet + "]{35}", edge: true, bits: 3},
		{kind: "google-api-key", words: []string{"AQ.Ab"}, after: "[" + looseSet + "]{35,100}", edge: true, bits: 3},
		{kind: "google-oauth", words: []string{"GOCSPX-"}, after: "[" + looseSet + "]{20,40}"},
		{kind: "google-oauth", words: []string{"ya29."}, after: "[" + looseSet + ".]{20,1000}"},
		{kind: "google-oauth", words: []string{"1//0"}, after: "[" + looseSet + "]{40,200}", edge: true},
		{kind: "azure-client-secret", before: "[" + nameSet + "~.]{3}[0-9]", words: []string{"Q~"}, after: "[" + nameSet + "~.-]{31,34}"},
		{kind: "azure-sas", words: []string{"sig=", "sig%3D", `sig\u003d`}, after: "[A-Za-z0-9+/%_-]{40,100}={0,1}", edge: true, bits: 3},
		{kind: "digitalocean-token", words: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, after: "[" + hexSet + "]{64}"},
		{kind: "alibaba-key", words: []string{"LTAI"}, after: "[" + wordSet + "]{12,24}", edge: true, bits: 2.5},
		{kind: "cloudflare-key", words: []string{"v1.0-"}, after: "[" + hexSet + "]{24}-[" + hexSet + "]{146}"},
		{kind: "yandex-key", words: []string{"AQVN", "YCAJ", "YC"}, after: "[" + looseSet + "]{35,40}", edge: true, bits: 3.5},
		{kind: "heroku-key", words: []string{"HRKU-"}, after: "[" + looseSet + "]{36,70}"},
		{kind: "flyio-token", words: []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, after: "[A-Za-z0-9+/_-]{40,1000}={0,3}"},
		{kind: "scalingo-token", words: []string{"tk-us-"}, after: "[" + looseSet + "]{48}"},
	}
}

// builds are the tokens of forges, registries and build systems.
func builds() []token {
	return []token{
		{kind: "github-token", words: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, after: "[" + nameSet + "]{36,255}"},
		{kind: "github-token", words: []string{"github_pat_"}, after: "[" + nameSet + "]{22,255}"},
		{
			kind:  "gitlab-token",
			words: []string{"glpat-", "gldt-", "glft-", "glrt-", "glrtr-", "glsoat-", "glimt-", "glagent-", "gloas-", "glptt-", "glcbt-", "glffct-", "glwt-", "GR1348941"},
			after: "[" + looseSet + "]{20,300}[.]{0,1}[0-9a-z]{0,9}",
		},
		{kind: "gitlab-token", words: []string{"_gitlab_session="}, after: "[0-9a-z]{32}"},
		{kind: "bitbucket-token", words: []string{"ATBB", "ATCTT3", "ATATT3"}, after: "[" + looseSet + "=]{28,400}", edge: true, bits: 3},
		{kind: "npm-token", words: []string{"npm_"}, after: "[" + wordSet + "]{36}"},
		{kind: "pypi-token", words: []string{"pypi-AgE"}, after: "[" + looseSet + "]{50,1000}"},
		{kind: "rubygems-token", words: []string{"rubygems_"}, after: "[a-f0-9]{48}"},
		{kind: "crates-token", words: []string{"cio"}, after: "[" + wordSet + "]{32}", edge: true, bits: 3.5},
		{kind: "nuget-key", words: []string{"oy2"}, after: "[a-z0-9]{43}", edge: true, bits: 3},
		{kind: "clojars-token", words: []string{"CLOJARS_", "clojars_"}, after: "[" + wordSet + "]{60}"},
		{kind: "docker-token", words: []string{"dckr_pat_", "dckr_oat_"}, after: "[" + looseSet + "]{20,60}"},
		{kind: "artifactory-key", words: []string{"AKCp", "cmVmd"}, after: "[" + wordSet + "]{59,70}", edge: true, bits: 4},
		{kind: "terraform-token", before: "[" + wordSet + "]{14}", words: []string{".atlasv1."}, after: "[" + looseSet + "=]{60,70}"},
		{kind: "pulumi-token", words: []string{"pul-"}, after: "[a-f0-9]{40}"},
		{kind: "circleci-token", words: []string{"CCIPAT_"}, after: "[" + nameSet + "]{40,80}"},
		{kind: "buildkite-token", words: []string{"bkua_"}, after: "[a-z0-9]{40}"},
		{kind: "octopus-key", words: []string{"API-"}, after: "[A-Z0-9]{26}", edge: true, bits: 3},
		{kind: "openshift-token", words: []string{"sha256~"}, after: "[" + looseSet + "]{43}", bits: 3},
		{kind: "sourcegraph-token", words: []string{"sgp_"}, after: "[" + wordSet + "]{5,40}[_]{0,1}[" + hexSet + "]{0,40}", bits: 2.5},
		{kind: "sentry-token", words: []string{"sntrys_", "sntryu_"}, after: "[A-Za-z0-9+/=_-]{40,600}"},
		{kind: "harness-key", words: []string{"pat.", "sat."}, after: "[" + looseSet + "]{22}.[" + wordSet + "]{24}.[" + wordSet + "]{20}", edge: true},
		{kind: "infracost-token", words: []string{"ico-"}, after: "[" + wordSet + "]{32}", edge: true, bits: 3},
	}
}

// models are the tokens of those who serve models.
func models() []token {
	return []token{
		{kind: "anthropic-key", words: []string{"sk-ant-"}, after: "[" + looseSet + "]{20,250}"},
		{kind: "openai-key", words: []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, after: "[" + looseSet + "]{20,250}"},
		{kind: "openai-key", words: []string{"sk-"}, after: "[" + wordSet + "]{32,64}", edge: true, bits: 3},
		{kind: "openrouter-key", words: []string{"sk-or-v1-"}, after: "[a-f0-9]{64}"},
		{kind: "huggingface-token", words: []string{"hf_", "api_org_"}, after: "[" + wordSet + "]{34,40}", edge: true},
		{kind: "groq-key", words: []string{"gsk_"}, after: "[" + wordSet + "]{40,60}"},
		{kind: "xai-key", words: []string{"xai-"}, after: "[" + wordSet + "]{60,100}"},
		{kind: "perplexity-key", words: []string{"pplx-"}, after: "[" + wordSet + "]{40,60}"},
		{kind: "replicate-token", words: []string{"r8_"}, after: "[" + wordSet + "]{37}", edge: true},
		{kind: "nvidia-key", words: []string{"nvapi-"}, after: "[" + looseSet + "]{60,80}"},
		{kind: "langsmith-key", words: []string{"lsv2_pt_", "lsv2_sk_"}, after: "[a-f0-9]{32}_[a-f0-9]{10}"},
		{kind: "tavily-key", words: []string{"tvly-"}, after: "[" + looseSet + "]{20,60}"},
		{kind: "pinecone-key", words: []string{"pcsk_"}, after: "[" + nameSet + "]{40,80}"},
	}
}

// payments are the tokens of payments and shops.
func payments() []token {
	return []token{
		{kind: "stripe-key", words: []string{"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"}, after: "[" + wordSet + "+/=]{10,250}"},
		{kind: "shopify-token", words: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, after: "[" + hexSet + "]{32}"},
		{kind: "square-token", words: []string{"EAAA", "sq0atp-", "sq0csp-"}, after: "[" + looseSet + "]{22,64}", edge: true, bits: 3},
		{kind: "facebook-token", words: []string{"EAAC", "EAAM"}, after: "[" + wordSet + "]{100,400}", edge: true},
		{kind: "facebook-token", before: "[0-9]{15,16}", words: []string{"|", "%7C", "%"}, after: "[" + looseSet + "]{27,40}", edge: true, bits: 3},
		{kind: "flutterwave-key", words: []string{"FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-"}, after: "[a-hA-H0-9]{12,32}"},
		{kind: "duffel-token", words: []string{"duffel_test_", "duffel_live_"}, after: "[" + looseSet + "=]{43}"},
		{kind: "easypost-key", words: []string{"EZAK", "EZTK"}, after: "[" + wordSet + "]{54}", edge: true},
		{kind: "shippo-token", words: []string{"shippo_live_", "shippo_test_"}, after: "[" + hexSet + "]{40}"},
		{kind: "plaid-token", words: []string{"access-sandbox-", "access-development-", "access-production-"}, after: "[a-f0-9]{8}-[a-f0-9-]{27}"},
		{kind: "gocardless-token", words: []string{"live_", "sandbox_"}, after: "[" + looseSet + "=]{35,40}", edge: true, bits: 3.5},
		{kind: "lob-key", words: []string{"live_", "test_", "live_pub_", "test_pub_"}, after: "[" + hexSet + "]{31,35}", edge: true},
	}
}

// posts are the tokens of chats, mail and the tools of offices.
func posts() []token {
	return []token{
		{kind: "slack-token", words: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.", "xapp-", "xwfp-"}, after: "[" + wordSet + ".-]{10,250}"},
		{kind: "webhook", words: []string{"hooks.slack.com/"}, after: "[a-z]{3,12}/[A-Za-z0-9/+_-]{20,120}"},
		{kind: "webhook", words: []string{"/api/webhooks/", "/webhooks/"}, after: "[0-9]{15,22}/[" + looseSet + "]{30,100}"},
		{kind: "webhook", words: []string{".webhook.office.com/"}, after: "[a-z0-9]{1,12}/[A-Za-z0-9@/-]{60,300}"},
		{kind: "webhook", words: []string{"hooks.zapier.com/hooks/catch/"}, after: "[0-9]{4,12}/[a-z0-9]{5,12}"},
		{kind: "discord-token", words: discordWords(), after: "[" + looseSet + "]{20,27}.[" + looseSet + "]{6}.[" + looseSet + "]{27,45}", edge: true, bits: 3.5},
		{kind: "telegram-token", before: "[0-9]{5,16}", words: []string{":A"}, after: "[" + looseSet + "]{34}", bits: 3},
		{kind: "telegram-token", before: "[0-9]{5,16}", words: []string{"%3AA"}, after: "[" + looseSet + "]{34}", bits: 3},
		{kind: "twilio-key", words: []string{"SK"}, after: "[" + hexSet + "]{32}", edge: true, bits: 2.5},
		{kind: "sendgrid-key", words: []string{"SG."}, after: "[" + looseSet + "=.]{60,80}", edge: true},
		{kind: "mailgun-key", words: []string{"key-", "pubkey-"}, after: "[a-f0-9]{32}", edge: true},
		{kind: "mailchimp-key", before: "[a-f0-9]{32}", words: []string{"-us"}, after: "[0-9]{1,2}", edge: true},
		{kind: "sendinblue-key", words: []string{"xkeysib-", "xsmtpsib-"}, after: "[a-f0-9]{64}-[" + wordSet + "]{16}"},
		{kind: "linear-key", words: []string{"lin_api_", "lin_oauth_"}, after: "[" + wordSet + "]{32,80}"},
		{kind: "notion-token", words: []string{"ntn_"}, after: "[" + wordSet + "]{40,60}"},
		{kind: "notion-token", words: []string{"secret_"}, after: "[" + wordSet + "]{43}", edge: true, bits: 3.5},
		{kind: "figma-token", words: []string{"figd_", "figo_"}, after: "[" + looseSet + "]{35,60}"},
		{kind: "airtable-token", words: []string{"pat"}, after: "[" + wordSet + "]{14}.[a-f0-9]{64}", edge: true},
		{kind: "typeform-token", words: []string{"tfp_"}, after: "[" + looseSet + ".=]{40,70}"},
		{kind: "contentful-token", words: []string{"CFPAT-"}, after: "[" + looseSet + "]{40,60}"},
		{kind: "readme-token", words: []string{"rdme_"}, after: "[a-z0-9]{70}"},
		{kind: "frameio-token", words: []string{"fio-u-"}, after: "[" + looseSet + "=]{60,70}"},
		{kind: "mapbox-token", words: []string{"sk.eyJ", "pk.eyJ"}, after: "[" + looseSet + "]{30,200}.[" + looseSet + "]{20,30}"},
		{kind: "intra42-secret", words: []string{"s-s4t2ud-", "s-s4t2af-"}, after: "[" + hexSet + "]{64}"},
		{kind: "mapbox-token", words: []string{"pk."}, after: "[a-zA-Z0-9]{60}.[a-zA-Z0-9]{22}", edge: true},
	}
}

// identities are the tokens of monitoring, databases and identity.
func identities() []token {
	return []token{
		{kind: "grafana-token", words: []string{"glc_"}, after: "[" + b64Set + "]{32,400}={0,3}"},
		{kind: "grafana-token", words: []string{"glsa_"}, after: "[" + wordSet + "]{32}_[" + hexSet + "]{8}"},
		{kind: "grafana-token", words: []string{"eyJrIjoi"}, after: "[" + b64Set + "]{60,400}={0,3}"},
		{kind: "newrelic-key", words: []string{"NRAK-", "NRJS-", "NRII-", "NRAL-"}, after: "[" + wordSet + "-]{19,40}"},
		{kind: "dynatrace-token", words: []string{"dt0c01.", "dt0s01.", "dt0s16."}, after: "[" + wordSet + "]{8,24}.[" + wordSet + "]{64}"},
		{kind: "vault-token", words: []string{"hvs.", "hvb.", "hvr."}, after: "[" + looseSet + "]{24,300}", edge: true, bits: 3},
		{kind: "doppler-token", words: []string{"dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."}, after: "[" + wordSet + "._-]{40,80}"},
		{kind: "databricks-token", words: []string{"dapi"}, after: "[a-f0-9]{32}[-]{0,1}[0-9]{0,1}", edge: true, bits: 2.5},
		{kind: "planetscale-token", words: []string{"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, after: "[" + looseSet + "=.]{32,64}"},
		{kind: "postman-key", words: []string{"PMAK-"}, after: "[" + hexSet + "]{24}-[" + hexSet + "]{34}"},
		{kind: "prefect-key", words: []string{"pnu_", "pnb_"}, after: "[" + wordSet + "]{36}", edge: true},
		{kind: "supabase-key", words: []string{"sbp_", "sb_secret_"}, after: "[" + nameSet + "]{20,60}", edge: true, bits: 3},
		{kind: "tailscale-key", words: []string{"tskey-"}, after: "[" + looseSet + "]{20,100}"},
		{kind: "clickhouse-key", words: []string{"4b1d"}, after: "[" + wordSet + "]{38}", edge: true, bits: 3},
		{kind: "maxmind-key", before: "[" + wordSet + "]{6}_[" + wordSet + "]{29}", words: []string{"_mmk"}, edge: true},
		{kind: "1password-key", words: []string{"A3-"}, after: "[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", edge: true, bits: 3},
		{kind: "1password-key", words: []string{"A3-"}, after: "[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", edge: true, bits: 3},
		{kind: "1password-token", words: []string{"ops_eyJ"}, after: "[" + b64Set + "]{100,1500}={0,3}"},
		{kind: "adobe-secret", words: []string{"p8e-"}, after: "[" + wordSet + "]{32}", edge: true},
		{kind: "authress-key", words: []string{".acc_", ".acc-"}, before: "[" + wordSet + "_]{5,45}.[" + wordSet + "]{4,6}", after: "[" + wordSet + "-]{10,32}.[A-Za-z0-9+/_=-]{30,120}"},
		{kind: "settlemint-token", words: []string{"sm_aat_", "sm_pat_", "sm_sat_"}, after: "[" + wordSet + "]{16}", edge: true},
		{kind: "defined-token", words: []string{"dnkey-"}, after: "[" + looseSet + "=]{26,100}"},
		{kind: "password-hash", words: []string{"$6$", "$5$"}, after: "[A-Za-z0-9./=]{1,24}$[A-Za-z0-9./]{8,86}[$]{0,1}[A-Za-z0-9./]{0,86}", bits: 3},
		{kind: "password-hash", words: []string{"$1$", "$apr1$"}, after: "[A-Za-z0-9./]{1,8}$[A-Za-z0-9./]{22}", bits: 3},
		{kind: "password-hash", words: []string{"$2a$", "$2b$", "$2y$"}, after: "[0-9]{2}$[A-Za-z0-9./]{53}", bits: 3},
		{kind: "password-hash", words: []string{"$y$", "$gy$"}, after: "[A-Za-z0-9./]{1,10}$[A-Za-z0-9./]{1,90}$[A-Za-z0-9./]{43}", bits: 3},
		{kind: "password-hash", words: []string{"$argon2"}, after: "[id]{1,2}$v=[0-9]{2}$[mtp=,0-9]{5,40}$[" + b64Set + "]{8,100}$[" + b64Set + "]{8,200}", bits: 3},
		{kind: "age-key", words: []string{"AGE-SECRET-KEY-1", "age-secret-key-1"}, after: "[A-Za-z0-9]{58}"},
		{kind: "age-key", words: []string{"AGE-PLUGIN-"}, after: "[A-Z0-9-]{2,40}-1[A-Z0-9]{20,300}"},
	}
}
