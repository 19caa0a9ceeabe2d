package transcript

import (
	"bytes"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// SQLite is what Detect says of a database: whose it is, only its tables tell.
const SQLite = "sqlite"

// ClaudeExport is what Detect says of the text that Claude Code's /export writes.
const ClaudeExport = "claude export"

// Detect names the host that wrote a file by the beginning of it: "claude",
// "codex", "gemini", "qwen", "pi", "opencode" for its export, "trimtab" for our own,
// ClaudeExport for the text of a screen, SQLite for a database, "" if it is of none that can be read. A few thousand bytes are enough;
// the last line may be cut off.
func Detect(head []byte) string {
	if bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return SQLite
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	switch f := namesOf(head); {
	case f["sessionId"] != nil && f["projectHash"] != nil: // its older versions wrote one object
		return "gemini"
	case f["sessionId"] != nil && f["messages"] != nil:
		return "trimtab"
	case f["messages"] != nil && jsonscan.FindFirst(f["info"], "id") != nil && jsonscan.FindFirst(f["info"], "directory") != nil:
		return "opencode"
	}
	for line := range bytes.Lines(head) {
		if host := hostOf(namesOf(line)); host != "" {
			return host
		}
	}
	if isScreen(head) {
		return ClaudeExport
	}
	return ""
}

// isScreen tells the text of Claude Code's screen: it begins with its name, or with a prompt
// that is followed by a reply and by what a tool gave. Documents that quote one do not.
func isScreen(head []byte) bool {
	begins, replies, results, n := false, false, false, 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, " \r\n")
		if len(line) == 0 {
			continue
		}
		if n++; n <= 3 && isBanner(bytes.TrimLeft(line, " ")) {
			return true
		}
		if n == 1 {
			begins = bytes.HasPrefix(line, []byte("❯ ")) || bytes.HasPrefix(line, []byte("> "))
		}
		if n >= 3 && !begins {
			return false
		}
		replies = replies || bytes.HasPrefix(line, []byte("● ")) || bytes.HasPrefix(line, []byte("⏺ "))
		results = results || bytes.HasPrefix(line, []byte("  ⎿ "))
	}
	return begins && replies && results
}

// isBanner tells the line in which Claude Code says its name.
func isBanner(line []byte) bool {
	if bytes.HasPrefix(line, []byte("▐▛")) || bytes.HasPrefix(line, []byte("╭─")) {
		return bytes.Contains(line, []byte(" Claude Code v"))
	}
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("│")), " ")
	return bytes.HasPrefix(line, []byte("✻ Welcome to Claude Code"))
}

// hostOf tells a line by the names in it.
func hostOf(f map[string][]byte) string {
	switch {
	case f["sessionId"] != nil && f["projectHash"] != nil:
		return "gemini"
	case isCodex(f):
		return "codex"
	case isPi(f):
		return "pi"
	case isQwen(f):
		return "qwen"
	case isClaude(f):
		return "claude"
	}
	return ""
}

// isCodex tells a line of a rollout: an envelope with a payload, or the head of
// one of the first rollouts.
func isCodex(f map[string][]byte) bool {
	if f["timestamp"] == nil || f["sessionId"] != nil {
		return false
	}
	return f["type"] != nil && f["payload"] != nil || f["type"] == nil && f["id"] != nil && f["instructions"] != nil
}

// isPi tells the first line of a session of pi.
func isPi(f map[string][]byte) bool {
	return jsonscan.Is(f["type"], "session") && f["id"] != nil && f["cwd"] != nil
}

// isQwen tells Qwen Code's lines from those of Claude Code, its close relatives: a
// message has parts and no content, and lines say where they come from.
func isQwen(f map[string][]byte) bool {
	if f["uuid"] == nil || f["sessionId"] == nil || f["isSidechain"] != nil && f["provenance"] == nil {
		return false
	}
	return f["provenance"] != nil || jsonscan.FindFirst(f["message"], "parts") != nil
}

// isClaude tells Claude Code's lines by their names.
func isClaude(f map[string][]byte) bool {
	switch {
	case f["isSidechain"] != nil:
		return true
	case f["sessionId"] != nil:
		return f["type"] != nil && f["uuid"] == nil
	}
	return jsonscan.Is(f["type"], "summary") && f["leafUuid"] != nil ||
		jsonscan.Is(f["type"], "file-history-snapshot")
}

// namesOf returns the top fields of an object that may be cut off. The value of
// the field in which it breaks off is empty, but there.
func namesOf(b []byte) map[string][]byte {
	f := map[string][]byte{}
	c := jsonscan.Object(b)
	for c.Next() {
		f[string(c.Key)] = c.Value
	}
	if c.Key != nil {
		f[string(c.Key)] = []byte{}
	}
	return f
}
