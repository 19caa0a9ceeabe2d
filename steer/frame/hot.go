package frame

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
)

// stay is a run of messages that remains in view inside of what is folded: the person's
// newest prompt, or the calls that show what a file holds now.
type stay struct {
	Before trimtab.Ref `json:"before,omitzero"` // the message in front of it
	Next   trimtab.Ref `json:"next,omitzero"`   // the one behind it
	Size   int         `json:"size"`
	Files  []uint32    `json:"files,omitempty"` // hashes of the files that it shows; none where they were read again since
}

// maxHot is how many runs are kept in view. Beyond it the oldest are given up, and their
// files have to be read again before they are edited.
const maxHot = 96

// readers are the hosts' tools that show a file.
var readers = map[string]bool{
	"read": true, "view": true, "cat": true, "Read": true, "NotebookRead": true, "read_file": true, "ReadFile": true, "view_file": true,
}

// showers are the commands with which a shell shows files.
var showers = map[string]bool{"cat": true, "head": true, "tail": true, "sed": true, "nl": true, "less": true, "bat": true, "more": true, "awk": true}

// views are the files that a call shows, as keys, and whether it shows them whole, so that
// what was seen of them before no longer matters.
func views(p trimtab.ToolCall, written []string) (files []string, whole bool) {
	switch {
	case len(written) > 0:
		return written, wholeWriters[p.Name]
	case readers[p.Name]:
		files, _ = filesOf(p.Input)
		part := strings.Contains(string(p.Input), `"offset"`) || strings.Contains(string(p.Input), `"limit"`) || strings.Contains(string(p.Input), `"view_range"`)
		return files, !part
	case p.Name == "str_replace_based_edit_tool" || p.Name == "str_replace_editor" || p.Name == "developer__text_editor":
		files, _ = filesOf(p.Input)
		return files, false
	case runners[p.Name]:
		return shown(commandOf(p.Input)), false
	}
	return nil, false
}

// wholeWriters are the tools that write a file whole: their input shows all of it, and
// nothing has to be seen before.
var wholeWriters = map[string]bool{"write": true, "Write": true, "write_file": true, "create_file": true}

// commandOf is the command line of a runner's call: a text, or words of which the last is
// the script of a shell.
func commandOf(input json.RawMessage) string {
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     json.RawMessage `json:"cmd"`
	}
	if len(input) > 1<<20 || json.Unmarshal(input, &in) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{in.Command, in.Cmd} {
		var text string
		var words []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			return text
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			return words[len(words)-1]
		}
	}
	return ""
}

// shown are the files that a command line prints.
func shown(command string) (files []string) {
	for part := range strings.FieldsFuncSeq(trimtab.Clip(command, 2000), func(r rune) bool { return r == ';' || r == '|' || r == '&' || r == '\n' }) {
		words := strings.Fields(part)
		if len(words) < 2 || !showers[words[0]] {
			continue
		}
		for _, w := range words[1:] {
			if w = strings.Trim(w, `'"`); !strings.HasPrefix(w, "-") && strings.ContainsAny(w, "./") && !strings.ContainsAny(w, "<>$*{}") {
				files = list(files, w)
			}
		}
	}
	return files
}

// fileKey names a file by its last two parts: the same one is named from its root and
// from the project's.
func fileKey(path string) uint32 {
	parts := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	h := fnv.New32a()
	h.Write([]byte(strings.Join(parts[max(0, len(parts)-2):], "/")))
	return h.Sum32()
}

// sees notes that an answered call shows files.
func (m Memory) sees(c call) Memory {
	for _, f := range c.Shows {
		if c.Whole {
			m.Hot = forget(m.Hot, f)
		}
		m.Unseen = slices.DeleteFunc(slices.Clone(m.Unseen), func(u glimpse) bool { return u.File == f })
		if !slices.Contains(m.Seeing, f) && len(m.Seeing) < maxListed {
			m.Seeing = append(slices.Clip(m.Seeing), f)
		}
	}
	return m
}

// forget takes a file from what was seen of it before. A run that shows nothing else is
// of no more use; that it stays a cut in what is folded already keeps the cached prefix.
func forget(hot []stay, file uint32) []stay {
	out := slices.Clone(hot)
	for i := range out {
		out[i].Files = slices.DeleteFunc(slices.Clone(out[i].Files), func(f uint32) bool { return f == file })
	}
	return out
}

// keepSeen closes the run of messages that ends here, where it showed files.
func (m Memory) keepSeen() Memory {
	if len(m.Seeing) == 0 {
		return m
	}
	m.Hot = append(slices.Clip(m.Hot), stay{Before: m.Whole, Size: m.Tail, Files: m.Seeing})
	m.Seeing = nil
	if len(m.Hot) <= maxHot {
		return m
	}
	i := max(0, slices.IndexFunc(m.Hot, func(s stay) bool { return len(s.Files) == 0 }))
	for _, f := range m.Hot[i].Files {
		m.Unseen = append(slices.Clip(m.Unseen), glimpse{f, m.Hot[i].Before.Seq + 1})
	}
	m.Unseen = m.Unseen[max(0, len(m.Unseen)-maxUnseen):]
	m.Hot = slices.Concat(m.Hot[:i], m.Hot[i+1:])
	return m
}

// glimpse is where a file was shown that is no longer kept in view.
type glimpse struct {
	File uint32 `json:"file"`
	Seq  int    `json:"seq"`
}

const maxUnseen = 256

// within reports whether a run lies in what a frame has folded, ended or above.
func (m Memory) within(s stay, f Frame) bool {
	last := f.Last
	if !m.foldable(f) {
		if last = f.Upto; !f.Above || f.First.Seq == 0 {
			return false
		}
	}
	return s.Before.Seq >= f.First.Seq-1 && s.Before.Seq < last.Seq
}

// covered reports whether a run is folded away: by a frame that somebody asked for, which
// is folded whole.
func (m Memory) covered(s stay) bool {
	return slices.ContainsFunc(m.Frames, func(f Frame) bool { return !f.Keeps && m.within(s, f) })
}

// cool drops the runs of which nothing is of use and that are no cut in a fold.
func (m Memory) cool() Memory {
	cold := func(s stay) bool {
		return len(s.Files) == 0 && !slices.ContainsFunc(m.Frames, func(f Frame) bool { return m.within(s, f) })
	}
	if slices.ContainsFunc(m.Hot, cold) {
		m.Hot = slices.DeleteFunc(slices.Clone(m.Hot), cold)
	}
	return m
}

// follow notes the message behind the newest run that stays.
func (m Memory) follow(at trimtab.Ref) Memory {
	if n := len(m.Hot); n > 0 && m.Hot[n-1].Next.Seq == 0 && m.Hot[n-1].Before.Seq < at.Seq {
		m.Hot = slices.Clone(m.Hot)
		m.Hot[n-1].Next = at
	}
	return m
}

// stays are the runs of a frame, up to a message, that remain in view where it is folded,
// with the prompt that does.
func (m Memory) stays(f Frame, last trimtab.Ref, prompt *split) []stay {
	var out []stay
	if prompt != nil {
		out = append(out, stay{Before: prompt.Before, Next: prompt.Next, Size: prompt.Size})
	}
	if !f.Keeps {
		return out
	}
	for _, s := range m.Hot {
		if s.Before.Seq >= f.First.Seq-1 && s.Before.Seq < last.Seq && !m.covered(s) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b stay) int { return a.Before.Seq - b.Before.Seq })
	return out
}

// hotSize is how many bytes of a folded frame stay in view because they show files.
func (m Memory) hotSize(f Frame, last trimtab.Ref) int {
	n := 0
	for _, s := range m.stays(f, last, nil) {
		n += s.Size
	}
	return n
}

// span is a run of messages to fold.
type span struct{ first, last trimtab.Ref }

// pieces are the runs of a frame, up to a message, that do not stay in view.
func (m Memory) pieces(f Frame, last trimtab.Ref, prompt *split) []span {
	var out []span
	at := f.First
	for _, s := range m.stays(f, last, prompt) {
		if s.Before.Seq >= at.Seq {
			out = append(out, span{at, s.Before})
		}
		if s.Next.Seq == 0 || s.Next.Seq > last.Seq {
			return out
		}
		if s.Next.Seq > at.Seq {
			at = s.Next
		}
	}
	return append(out, span{at, last})
}

// moreText stands in the place of a further piece of a frame.
func moreText(f Frame, n int) string { return "[" + f.ID + " folded, part " + strconv.Itoa(n) + "]" }

// unseen refuses a call that edits a file whose reading is folded away: an edit of what
// the model cannot see goes wrong. Writing a file whole needs no look at it.
func (m Memory) unseen(t trimtab.Turn, c trimtab.ToolCall) []trimtab.Action {
	if t.Sub() || len(m.Folds) == 0 {
		return nil
	}
	for _, file := range FilesEdited(c) {
		if m.hides(fileKey(file)) {
			return []trimtab.Action{trimtab.Deny{Why: file + " was last shown in a part of this conversation that is folded away, so this edit would be made unseen. Read the file again, then repeat the edit. (Trimtab frames; this holds until the file is read.)"}}
		}
	}
	return nil
}

// hides reports whether all that showed a file is folded away.
func (m Memory) hides(file uint32) bool {
	hidden := slices.ContainsFunc(m.Unseen, func(u glimpse) bool {
		return u.File == file && slices.ContainsFunc(m.Folds, func(f fold) bool { return f.First.Seq <= u.Seq && u.Seq <= f.Last.Seq })
	})
	for _, s := range m.Hot {
		if slices.Contains(s.Files, file) {
			if !m.covered(s) {
				return false
			}
			hidden = true
		}
	}
	return hidden
}

// FilesEdited are the files that a call changes and does not write whole: an agent that
// makes it should have seen them. FilesRead are those that it shows.
func FilesEdited(c trimtab.ToolCall) []string {
	if !writers[c.Name] || wholeWriters[c.Name] {
		return nil
	}
	return changed(c.Input)
}

// FilesRead are the files that a call shows: what it reads, and what it writes whole.
func FilesRead(c trimtab.ToolCall) []string {
	if wholeWriters[c.Name] {
		return changed(c.Input)
	}
	files, _ := views(c, nil)
	return files
}
