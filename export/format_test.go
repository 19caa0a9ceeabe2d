package export_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/export"
)

func TestAFilesEndingSaysTheFormat(t *testing.T) {
	for file, want := range map[string]string{"a.json": export.JSON, "A.MD": export.Markdown, "a.markdown": export.Markdown, "a.htm": export.HTML, "a.html": export.HTML, "a.txt": "", "a": "", "": ""} {
		if got := export.FormatOf(file); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
	for format, begins := range map[string]string{"": "{", export.JSON: "{", export.Markdown: "#", export.HTML: "<!"} {
		write, err := export.Writer(format)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := write(export.Document{}, &b); err != nil || !strings.HasPrefix(b.String(), begins) {
			t.Errorf("%s: %.40q, %v", format, b.String(), err)
		}
	}
	if _, err := export.Writer("pdf"); err == nil {
		t.Error("pdf is known")
	}
}
