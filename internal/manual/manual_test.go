package manual_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/manual"
)

func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "mill", Short: "Turn", Long: "Turns.\n\n.first and <last>", Run: run}
	root.PersistentFlags().Bool("json", false, "answer in JSON")
	grind := &cobra.Command{Use: "grind CORN", Short: "Grind corn", Example: "  mill grind oats\n  mill grind rye   slowly", Run: run}
	grind.Flags().StringP("stone", "s", "blue", "with this `stone`, or a|b")
	root.AddCommand(grind, &cobra.Command{Use: "secret", Hidden: true, Run: run})
	return root
}

func TestThePageHasEveryCommandAndFlag(t *testing.T) {
	var b strings.Builder
	if err := manual.Markdown(&b, tree()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n## mill\n", "\n## mill grind\n", "| `--json` | answer in JSON |", "| `-s, --stone stone` | with this stone, or a\\|b (default blue) |", "&lt;last>", "```sh\nmill grind oats\nmill grind rye   # slowly\n```"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "secret") {
		t.Error("a hidden command is told")
	}
}

func TestManPagesAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if err := manual.WriteMan(dir, tree(), "0.1.0"); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(all) != 2 {
		t.Fatalf("%q, %v", all, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "mill.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`.TH "MILL" 1 "" "trimtab 0.1.0"`, "\n\\&.first", `\fBmill\-grind\fR(1)`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestSettingsAreToldWithTypeAndDefault(t *testing.T) {
	var b strings.Builder
	err := manual.Settings(&b, []byte(`{"properties":{"$schema":{},"mill":{"properties":{"speed":{"type":"integer","default":3,"minimum":1,"maximum":9,"description":"turns a|b (only in your own config, never in a project's)"},"deep":{"properties":{"on":{"enum":["yes","no"]}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `mill.speed` * | integer, 1 to 9 | `3` | turns a\\|b |", "| `mill.deep.on` | yes, no |  |  |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if manual.Settings(&b, []byte("{")) == nil {
		t.Error("half a schema is taken")
	}
}
