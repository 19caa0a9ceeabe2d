package report

import (
	"embed"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
)

//go:embed service/*.txt
var services embed.FS

// Services are the names of the ways to have improvements worked on while nobody looks.
func Services() []string { return []string{"systemd", "launchd", "cron", "github"} }

// ServiceOptions are what the file of a service names.
type ServiceOptions struct {
	Program string // full path of trimtab
	Data    string // the data folder
	Path    string // where programs are found
}

// Service writes the file by which a service manager, cron or a forge runs trimtab improve
// run.
func Service(w io.Writer, name string, opt ServiceOptions) error {
	if !slices.Contains(Services(), name) {
		return fmt.Errorf("%q is not one of: %s", name, strings.Join(Services(), ", "))
	}
	page, err := template.New(name+".txt").Funcs(template.FuncMap{"systemd": quoteSystemd, "xml": escapeXML, "cron": quoteCron}).ParseFS(services, "service/"+name+".txt")
	if err != nil {
		return err
	}
	return page.Execute(w, opt)
}

// quoteSystemd makes one word of a text: % and $ mean something there.
func quoteSystemd(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", " ").Replace(s) + `"`
}

func escapeXML(s string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(s))
	return b.String(), err
}

// quoteCron makes one word of a text for the shell that cron starts: % is a line's end to
// cron itself.
func quoteCron(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "%", `\%`, "\n", " ").Replace(s) + "'"
}
