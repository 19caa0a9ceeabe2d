package hookcmd

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/codex"
)

// maxPlan is how much of the end of a host's file is looked through for its todo
// list: the host waits.
const maxPlan = 1 << 20

// lastPlan is the newest write of the todo list near the end of Codex's own file
// that Codex did not refuse.
func lastPlan(path string) (last trimtab.ToolCall, found bool) {
	tail, err := endOf(path, maxPlan)
	if err != nil {
		return last, false
	}
	open := map[string]trimtab.ToolCall{}
	for item, err := range codex.Read(bytes.NewReader(tail), transcript.Options{}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			continue
		}
		if err != nil {
			break
		}
		for _, part := range item.Message.Parts {
			switch p := part.(type) {
			case trimtab.ToolCall:
				if host.IsTodoTool(p.Name) {
					open[p.ID] = p
				}
			case trimtab.ToolResult:
				if call, ok := open[p.ID]; ok && !p.Failed {
					last, found = call, true
				}
			}
		}
	}
	return last, found
}

// endOf reads the whole lines at the end of a plain file.
func endOf(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.Open(path) // #nosec G304 -- the host says where its own file is
	if err != nil {
		return nil, err
	}
	defer file.Close()
	from := max(info.Size()-most, 0)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, most))
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return tail, err
}
