package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStep12_SecretsInAddedLinesOnly(t *testing.T) {
	pat, key := canary(t, "github-pat").Value, canary(t, "ssh-key").Text
	patch := strings.Join([]string{
		"diff --git a/x.env b/x.env",
		"index 1..2 100644",
		"--- a/x.env",
		"+++ b/x.env",
		"@@ -1,4 +1,5 @@ TOKEN=" + pat,
		" KEEP=" + pat,
		"-GONE=" + pat,
		"+NEW=1",
		"+NEW_TOKEN=" + pat,
		"+++ a line of the file that looks like a head " + pat,
		" last",
		"diff --git a/key b/key",
		"new file mode 100644",
		"--- /dev/null",
		`+++ "b/a \303\244 b"`,
		fmt.Sprintf("@@ -0,0 +1,%d @@", strings.Count(key, "\n")+1),
		"+" + strings.ReplaceAll(strings.TrimSuffix(key, "\n"), "\n", "\n+"),
		`+`,
		`\ No newline at end of file`,
		"",
	}, "\n")
	type at struct {
		File, Kind string
		Line       int
	}
	var got []at
	for _, a := range scanner.FindDiff([]byte(patch)) {
		got = append(got, at{a.File, a.Kind, a.Line})
	}
	want := []at{{"x.env", "github-token", 3}, {"x.env", "github-token", 4}, {"a ä b", "private-key", 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStep12_ACombinedAndABrokenPatchAreLookedAt(t *testing.T) {
	pat := canary(t, "github-pat").Value
	for name, patch := range map[string]string{
		"combined":      "diff --cc f\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,2 @@@\n  x\n++T=" + pat + "\n",
		"no head":       "+T=" + pat + "\n",
		"CRLF":          "+++ b/f\r\n@@ -0,0 +1 @@\r\n+T=" + pat + "\r\n",
		"counts wrong":  "+++ b/f\n@@ -0,0 +1,1 @@\n+a\n+T=" + pat + "\n",
		"counts absurd": "+++ b/f\n@@ -0,0 +99999999999999999999,x @@\n+T=" + pat + "\n",
	} {
		if got := scanner.FindDiff([]byte(patch)); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
