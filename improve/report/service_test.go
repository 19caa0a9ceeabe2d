package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve/report"
)

// TestR27_ServiceFilesAreWhole: each names the program and the data folder, whatever signs
// they hold.
func TestR27_ServiceFilesAreWhole(t *testing.T) {
	opt := report.ServiceOptions{Program: "/opt/my tools/trim&tab", Data: `/home/a "b"/50%'s`, Path: "/usr/bin:/bin"}
	want := map[string][]string{
		"systemd": {`ExecStart="/opt/my tools/trim&tab" --data "/home/a \"b\"/50%%'s" improve run --stay`, "Restart=on-failure", "WantedBy=default.target"},
		"launchd": {"<string>/opt/my tools/trim&amp;tab</string>", "improve</string>", "<key>KeepAlive</key>"},
		"cron":    {`*/15 * * * * '/opt/my tools/trim&tab' --data '/home/a "b"/50\%'\''s' improve run --quiet`, "PATH=/usr/bin:/bin"},
		"github":  {"${{ secrets.ANTHROPIC_API_KEY }}", "trimtab improve run --forge github", "environment: improvements"},
	}
	for _, name := range report.Services() {
		var b strings.Builder
		if err := report.Service(&b, name, opt); err != nil {
			t.Fatal(err)
		}
		for _, w := range want[name] {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s does not hold %q:\n%s", name, w, b.String())
			}
		}
		if name != "launchd" {
			continue
		}
		d := xml.NewDecoder(strings.NewReader(b.String()))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := report.Service(io.Discard, "upstart", opt); err == nil {
		t.Error("an unknown one")
	}
}
