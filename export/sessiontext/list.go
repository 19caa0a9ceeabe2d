package sessiontext

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// List is a table of sessions, a line each. Titles are as they were said: print it where
// text is made harmless.
func List(sessions []trimtab.Info) string {
	ids, hosts := 0, 0
	for _, i := range sessions {
		ids, hosts = max(ids, len(i.ID)), max(hosts, len(i.Host))
	}
	var b strings.Builder
	for _, i := range sessions {
		line := fmt.Sprintf("%-*s  %s  %-*s  %s", min(ids, 60), i.ID, i.Updated.Local().Format("2006-01-02 15:04"), hosts, i.Host, i.Title)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
