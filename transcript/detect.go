package transcript

import (
	"bytes"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// Detect names the host that wrote a file by the beginning of it: "claude",
// "trimtab" for our own export, "" if it is of none that can be read. A few
// thousand bytes are enough; the last line may be cut off.
func Detect(head []byte) string {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	// Gemini CLI once wrote such an object, too; its own has a projectHash.
	if f := namesOf(head); f["sessionId"] != nil && f["messages"] != nil && f["projectHash"] == nil {
		return "trimtab"
	}
	for line := range bytes.Lines(head) {
		if isClaude(namesOf(line)) {
			return "claude"
		}
	}
	return ""
}

// isClaude tells Claude Code's lines by their names. Qwen Code's are close
// relatives, but a message of its own has a uuid and no isSidechain.
func isClaude(f map[string][]byte) bool {
	switch {
	case f["isSidechain"] != nil:
		return true
	case f["sessionId"] != nil:
		return f["type"] != nil && f["uuid"] == nil
	}
	return jsonl.Is(f["type"], "summary") && f["leafUuid"] != nil ||
		jsonl.Is(f["type"], "file-history-snapshot")
}

// namesOf returns the top fields of an object that may be cut off. The value of
// the field in which it breaks off is empty, but there.
func namesOf(b []byte) map[string][]byte {
	f := map[string][]byte{}
	c := jsonl.Object(b)
	for c.Next() {
		f[string(c.Key)] = c.Value
	}
	if c.Key != nil {
		f[string(c.Key)] = []byte{}
	}
	return f
}
