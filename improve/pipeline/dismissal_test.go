package pipeline

import (
	"testing"

	"github.com/trimtab/trimtab/improve"
)

func TestADismissalIsNamedByTheBeginningOfItsFingerprint(t *testing.T) {
	all := improve.Dismissals{}
	for _, f := range []string{"abcdef01", "abcdef02", "123456ab"} {
		all[f] = improve.Dismissal{Fingerprint: f}
	}
	for which, want := range map[string]string{"123456": "123456ab", "abcdef01": "abcdef01", "abcdef": "", "12345": "", "": "", "777777": ""} {
		if d, ok := dismissal(all, which); d.Fingerprint != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", which, d.Fingerprint, ok, want)
		}
	}
}
