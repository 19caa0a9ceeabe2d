package secret_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// D6: the kinds that were missed. The values are put together here, so that whoever
// scans this file finds none.
func TestD6_TheMissedKindsAreFound(t *testing.T) {
	discord := "MTA4" + "NzY1NDMyMTA5ODc2NTQz" + "." + "GxYz1a" + "." + "q8Wm2Lr5Tt0Vn7Bk3Hd6Js9Pf1Xc4Zg8Qe2Ra5"
	hash := strings.Repeat("Ab3/xY9.", 10) + "Qw7rTy"
	for text, value := range map[string]string{
		"token in the log: " + discord + " ok":                                    discord,
		"bot.run('" + discord + "')":                                              discord,
		"database:\n  password: correct-horse-battery\n":                          "correct-horse-battery",
		`DB_PASSWORD = "with spaces"`:                                             "with spaces",
		"DB_PASSWORD='my dog ate it'":                                             "my dog ate it",
		"the admin password is Sommer2026, tell nobody":                           "Sommer2026",
		"Password is `tr0ub4dor&3`.":                                              "tr0ub4dor&3",
		"sshpass -p Hunter2Hunter2 ssh root@host":                                 "Hunter2Hunter2",
		"sshpass -p 'two words' ssh root@host":                                    "two words",
		"mysql -u root -pHunter2Hunter2 app":                                      "Hunter2Hunter2",
		"mysqldump -h db -u root -p'Hunter2' app":                                 "Hunter2",
		`{"command":"mysql -u root -pHunter2Hunter2 -e \"select 1\""}`:            "Hunter2Hunter2",
		"redis-cli -h x -a swordfish9 ping":                                       "swordfish9",
		"docker login -u me -p swordfish9 reg.example":                            "swordfish9",
		"root:$6$rounds=5000$saltsalt$" + hash + ":19000":                         hash,
		"root:$6$saltsalt$" + hash + ":19000":                                     hash,
		"bob:$apr1$x8Fd2kQz$" + "J7uWq0ZbR1s5TnY3mKc9E/":                          "J7uWq0ZbR1s5TnY3mKc9E/",
		"hash $2b$12$" + "abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTU0123456789.": "ABCDEFGHIJKLMNOPQRSTU",
		`co = cohere.Client("` + "Zk3vQ9xLm2Rt7Wp5Yb8Nc4Hd6Jf1Gs0Ka3Ue9Ti" + `")`: "Zk3vQ9xLm2Rt7Wp5Yb8Nc4Hd6Jf1Gs0Ka3Ue9Ti",
	} {
		clean, found := scanner.Redact(text)
		if strings.Contains(clean, value) {
			t.Errorf("%q became %q: %v", text, clean, found)
		}
	}
}

// D6: a colour or a character without width in the middle hides nothing.
func TestD6_SecretsSplitByWhatCannotBeSeen(t *testing.T) {
	for _, c := range secrettest.Make(7) {
		at := strings.Index(c.Text, c.Value)
		if at < 0 || len(c.Value) < 12 || strings.Contains(c.Value, "\n") || inLines(c.Kind) {
			continue
		}
		for _, cut := range []string{"\x1b[01;31m\x1b[K", "\x1b[0m", "\u200b", "\u00ad", "\ufeff", "\u2060", `\u001b[31m`, `\u200b`, "\u009b31m"} {
			for _, n := range []int{2, len(c.Value) / 2, len(c.Value) - 2} {
				split := c.Value[:n] + cut + c.Value[n:]
				clean, _ := scanner.Redact("before " + c.Text[:at] + split + c.Text[at+len(c.Value):] + " after")
				if strings.Contains(clean, c.Value[:n]+cut) && strings.Contains(clean, cut+c.Value[n:]) {
					t.Errorf("%s with %q at %d became %q", c.Kind, cut, n, clean)
				}
			}
		}
	}
}

// inLines are the kinds that are found only over several lines or in base64, where
// the split is another text.
func inLines(kind string) bool {
	return strings.Contains(kind, "key") && strings.HasPrefix(kind, "rsa")
}

// D6: what looks like them and is none.
func TestD6_OrdinaryTextIsStillLeftAlone(t *testing.T) {
	for _, text := range []string{
		"mkdir -p some/long/folder1", "git log -p HEAD~3", "ssh -p 2222 host", "docker run -p 8080:80 nginx1", "mysql -u root -p\nEnter password:", "mysql -u root -p app", "nmap -p 22,80 host9", "tar -a archive7",
		"the password is required", "the password is sha256 hashed", "Password is too short", "the password is base64-encoded", "password: string", "password: not-set", "password is case-sensitive",
		`PASSWORD_HINT = "the name of your first dog"`, `ERR_PASSWORD = "password is too short"`, `LABEL_PASSWORD = "Please enter it"`, "s/\\(a\\)/$1$2$3/", "awk '{print $6$5}'", "$1$2", "git commit -m 'x' -p",
		"\x1b[31mFAIL\x1b[0m ordinary output with colours and numbers 123456", "a\u200bb zero width",
		`datadog.Counter("requests.total.count")`, `sentry.captureException("something went wrong here")`, "MTA4.x.y", "version MTA4NzY1",
	} {
		if clean, found := scanner.Redact(text); len(found) > 0 {
			t.Errorf("%q became %q: %v", text, clean, found)
		}
	}
}
