package mode

import (
	"strings"
	"testing"
)

func TestEveryModeIsATemplateThatCanBeUsed(t *testing.T) {
	for _, base := range append(BuiltIn(), Sessions()...) {
		d := Template(base, "product-naming")
		if d.Name != "Product Naming" {
			t.Errorf("%s gives the name %q", base.ID, d.Name)
		}
		if flaws := Check(d); len(flaws) > 0 {
			t.Errorf("%s: %v", base.ID, flaws)
		}
		data, err := File(d)
		if err != nil {
			t.Fatal(err)
		}
		head, text, _ := strings.Cut(string(data), "{")
		if !strings.HasPrefix(head, "// A mode of your own.") {
			t.Errorf("%q", head)
		}
		again, problems := Parse("product-naming.json", []byte("{"+text))
		if len(problems) > 0 || again.ID != d.ID || again.Entry != d.Entry {
			t.Errorf("%s: %v", base.ID, problems)
		}
	}
}
