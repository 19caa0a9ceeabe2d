package claude

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

const (
	exportHead = 8 << 10 // of which bytes the id of an export is made
	maxBlock   = 1 << 20 // the longest piece of an export that is kept whole, in bytes
)

// ReadExport returns the messages of the text that /export writes: the conversation as it
// stood on the screen. It is a transcript.Reader.
//
// A screen shows less than a session holds. Calls that Claude Code shows as a sum ("Ran 2
// shell commands") are an Opaque part of the kind host.HiddenCalls; long commands and outputs
// end where the screen ended. There are neither ids nor times: the session's id is made of the
// first bytes, messages are named by their lines, and the time is the file's.
func ReadExport(in io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	var at time.Time
	if f, ok := in.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil {
			at = info.ModTime().UTC()
		}
	}
	head := make([]byte, exportHead)
	n, err := io.ReadFull(in, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	if err != nil {
		return func(yield func(transcript.Item, error) bool) { yield(transcript.Item{}, err) }
	}
	sum := sha256.Sum256(head[:n])
	id := "export-" + hex.EncodeToString(sum[:8])
	opt.Branches = true // what was taken back is not on the screen
	return feed.Lines(io.MultiReader(bytes.NewReader(head[:n]), in), opt, func(f *feed.Feed) feed.Taker {
		return &screen{Feed: f, session: id, at: at, width: 80}
	})
}

// screen is one pass over an export.
type screen struct {
	*feed.Feed
	session, project string
	at               time.Time
	width            int    // of the screen, as far as lines have told
	prompt           string // the mark of this file's prompts: versions differ

	kind      blockKind
	line      int // where the block begins
	last      int // the line before
	used      int // the width of the same
	text      strings.Builder
	reply     transcript.Item // the model's message that is being put together
	open      string          // the call whose result has not come
	compacted bool
}

// blockKind is what a piece of the screen is.
type blockKind int

const (
	banner  blockKind = iota // what stands above the first prompt
	prompt                   // a person's
	spoken                   // the model's: its words, or a call
	result                   // below a call or a command
	notice                   // what Claude Code says by itself
	thought                  // the model's thinking
)

// The marks at the beginning of a line.
const (
	resultMark = "⎿"
	cursorMark = "❯"
)

var (
	replyMarks  = []string{"●", "⏺"}
	noticeMarks = []string{"✻", "✢", "✽", "✶", "✳", "∗", "※", "!", "═", "╌"}
	bannerMarks = []string{"▐▛", "▝▜", "▘▘", "▝▝", "╭", "│", "╰"}
)

// Take takes a line in: it begins a block, or goes on with the one before.
func (s *screen) Take(b []byte) error {
	line := string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
	padded := utf8.RuneCountInString(line)
	line = strings.TrimRight(line, " \t")
	used := utf8.RuneCountInString(line)
	if line == "" {
		return nil
	}
	if padded > used && s.kind == prompt || strings.HasPrefix(line, "╭") && strings.Contains(line, "Claude Code v") { // these lines are as wide as the screen
		s.width = padded
	}
	defer func() { s.last, s.used = s.N, used }()
	kind, rest, begins := s.begins(line)
	switch {
	case begins:
		if err := s.end(kind); err != nil {
			return err
		}
		s.kind, s.line = kind, s.N
		s.add(rest)
	case s.kind != banner && s.kind != thought && s.N-s.last > 1 && collapsed(line):
		if err := s.end(spoken); err != nil {
			return err
		}
		s.kind, s.line = spoken, s.N
		s.add(strings.TrimSpace(line))
	case s.kind == banner:
		s.banner(line)
	default:
		s.goOn(line)
	}
	return nil
}

// begins tells what a line begins, if it begins something.
func (s *screen) begins(line string) (kind blockKind, rest string, ok bool) {
	if rest, ok := strings.CutPrefix(line, "  "+resultMark); ok {
		return result, strings.TrimLeft(rest, " \u00a0"), true
	}
	for _, mark := range replyMarks {
		if rest, ok := cutMark(line, mark); ok {
			return spoken, rest, true
		}
	}
	for _, mark := range []string{cursorMark, ">"} {
		if rest, ok := cutMark(line, mark); ok && (s.prompt == "" || s.prompt == mark) {
			s.prompt = mark
			return prompt, rest, true
		}
	}
	for _, mark := range noticeMarks {
		if rest, ok := strings.CutPrefix(line, mark); ok && (s.kind != prompt || mark != "!") {
			rest = strings.Trim(rest, " ═╌")
			if strings.HasPrefix(rest, "Thinking") {
				return thought, "", true
			}
			return notice, rest, true
		}
	}
	if s.kind != prompt || s.prompt == cursorMark { // older versions do not indent what a person pasted
		for _, mark := range bannerMarks {
			if strings.HasPrefix(strings.TrimLeft(line, " "), mark) && !strings.HasPrefix(line, "   ") && s.kind != spoken && s.kind != result {
				s.banner(line)
				return banner, "", true
			}
		}
	}
	return 0, "", false
}

// cutMark cuts off a mark that stands alone.
func cutMark(line, mark string) (rest string, ok bool) {
	if line == mark {
		return "", true
	}
	if rest, ok = strings.CutPrefix(line, mark+" "); ok {
		return rest, true
	}
	return strings.CutPrefix(line, mark+"\u00a0")
}

// banner finds the folder in what stands above the first prompt.
func (s *screen) banner(line string) {
	if s.project != "" {
		return
	}
	shown := strings.TrimSpace(strings.Trim(line, " │▐▛▜▌▝▘█▀"))
	shown = strings.TrimSpace(strings.TrimPrefix(shown, "cwd:"))
	if strings.HasPrefix(shown, "/") && !strings.ContainsAny(shown, " …│") && !strings.HasPrefix(shown, "/help") {
		s.project = shown
	}
}

// goOn adds a line to the block, without what the screen indents it by.
func (s *screen) goOn(line string) {
	indent := 2
	switch {
	case s.kind == result:
		indent = 5
	case s.kind == spoken && s.text.Len() < 4096 && shownCall().MatchString(s.text.String()):
		indent = 6
	}
	for indent > 0 && strings.HasPrefix(line, " ") {
		line, indent = line[1:], indent-1
	}
	s.add(line)
}

// add puts a line behind the block: after a blank line a new paragraph, and where the screen
// was at its end the same line.
func (s *screen) add(line string) {
	if s.text.Len()+len(line) > maxBlock {
		return
	}
	switch {
	case s.text.Len() == 0:
	case s.N-s.last > 1:
		s.text.WriteString("\n\n")
	case s.wrapped(line):
		s.text.WriteByte(' ')
	default:
		s.text.WriteByte('\n')
	}
	s.text.WriteString(line)
}

// wrapped reports whether a line only begins because the one before it could not hold its
// first word. Output of programs is as they wrote it.
func (s *screen) wrapped(line string) bool {
	if s.kind == result || line == "" || line[0] == ' ' {
		return false
	}
	word, _, _ := strings.Cut(line, " ")
	return s.used+1+utf8.RuneCountInString(word) > s.width
}

// collapsed reports whether a line is a sum of calls that the screen does not show.
func collapsed(line string) bool {
	return strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") && isSum(strings.TrimSpace(line))
}

func isSum(line string) bool {
	return strings.HasSuffix(line, " to expand)") && len(line) < 200 && !strings.HasPrefix(line, "…")
}

// end closes the block, before one of another kind begins.
func (s *screen) end(next blockKind) error {
	text := strings.TrimRight(s.text.String(), " \n")
	s.text.Reset()
	switch s.kind {
	case prompt:
		return s.person(text, next)
	case spoken:
		return s.model(text, next)
	case result:
		return s.result(text)
	case notice:
		s.compacted = s.compacted || strings.HasPrefix(text, "Conversation compacted")
		return s.flush()
	case banner, thought:
	}
	return nil
}

// End closes the last block.
func (s *screen) End() error {
	if err := s.end(banner); err != nil {
		return err
	}
	return s.flush()
}

// person passes on what stands behind the mark of a prompt. A command of Claude Code is the
// host's, as in its own files.
func (s *screen) person(text string, next blockKind) error {
	if err := s.flush(); err != nil || text == "" {
		return err
	}
	by := trimtab.Person
	if isCommand(text, next) {
		by = trimtab.Host
	}
	var d markup.Divider
	return s.put(s.line, trimtab.RoleUser, feed.Append(nil, &d, text, by))
}

// isCommand reports whether a prompt is a command of Claude Code, and no path.
func isCommand(text string, next blockKind) bool {
	word, _, _ := strings.Cut(text, " ")
	word, _, _ = strings.Cut(word, "\n")
	if !strings.HasPrefix(word, "/") || len(word) < 2 {
		return false
	}
	return strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyz0123456789-_:") == "" || next == result && !strings.Contains(word[1:], "/")
}

// model takes words of the model, a call, or a sum of calls.
func (s *screen) model(text string, next blockKind) error {
	if s.open != "" { // a call without a result: it was broken off, or nothing came of it
		s.open = ""
	}
	if text == "" {
		return nil
	}
	if isSum(text) {
		if hides(text) {
			return s.say(trimtab.Opaque{Kind: host.HiddenCalls, By: trimtab.Model})
		}
		return nil
	}
	if call, ok := readCall(text); ok && next == result {
		call.ID = fmt.Sprintf("line-%d", s.line)
		if err := s.say(call); err != nil {
			return err
		}
		s.open = call.ID
		return nil
	}
	return s.say(trimtab.Text{Text: text, By: trimtab.Model})
}

// say adds to the model's message.
func (s *screen) say(p trimtab.Part) error {
	if len(s.reply.Message.Parts) >= 256 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if len(s.reply.Message.Parts) == 0 {
		s.reply = s.item(s.line, trimtab.RoleAssistant)
	}
	s.reply.Message.Parts = append(s.reply.Message.Parts, p)
	return nil
}

// flush passes on the model's message.
func (s *screen) flush() error {
	s.open = ""
	if len(s.reply.Message.Parts) == 0 {
		return nil
	}
	it := s.reply
	s.reply = transcript.Item{}
	return s.Put(it, 0)
}

// result passes on what stands below a call; below anything else Claude Code speaks.
func (s *screen) result(text string) error {
	broken := strings.HasPrefix(text, "Interrupted")
	if s.open != "" {
		id := s.open
		if err := s.flush(); err != nil {
			return err
		}
		failed, told := outcome(text)
		if broken {
			failed, told = true, "[Request interrupted by user for tool use]"
		}
		if !failed {
			told = s.Brief(told, trimtab.Tool)
		}
		if err := s.put(s.line, trimtab.RoleUser, s.One(trimtab.ToolResult{ID: id, Text: told, Failed: failed})); err != nil {
			return err
		}
	}
	if !broken {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.put(s.line, trimtab.RoleUser, s.One(trimtab.Text{Text: "[Request interrupted by user]", By: trimtab.Host}))
}

func (s *screen) put(line int, role trimtab.Role, parts []trimtab.Part) error {
	if len(parts) == 0 {
		return nil
	}
	it := s.item(line, role)
	it.Message.Parts = parts
	return s.Put(it, 0)
}

// item is a message at a line.
func (s *screen) item(line int, role trimtab.Role) transcript.Item {
	it := transcript.Item{Line: line, Session: s.session, Project: s.project, Compacted: s.compacted}
	s.compacted = false
	it.Message = trimtab.Message{ID: fmt.Sprintf("line-%d-%s", line, role), Role: role, At: s.at}
	return it
}
