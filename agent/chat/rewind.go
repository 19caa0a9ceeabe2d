package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/filelock"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/plural"
)

// Rewound is what came of taking turns back.
type Rewound struct {
	Prompt   string   // the one that was taken back, to be written anew
	Files    []string // put back
	Left     []string // not put back, each with why
	Messages int      // out of the model's sight
	Frame    string   // "frame unfold" of it shows the messages to the model again
	Stays    []string // commands whose effect stays: what git has in its history
}

// lasting are commands of git that change more than files of the working tree.
var lasting = lazyregexp.Pattern(`\bgit\s+(commit|merge|rebase|reset|tag|checkout|switch|push|stash|cherry-pick|revert|pull|am)\b`)

// staying finds the commands of a message whose effect putting files back does not undo.
func staying(m trimtab.Message) (all []string) {
	for _, p := range m.Parts {
		call, ok := p.(trimtab.ToolCall)
		var in struct{ Command string }
		if !ok || call.Name != "bash" || json.Unmarshal(call.Input, &in) != nil {
			continue
		}
		for _, found := range lasting().FindAllStringSubmatch(in.Command, -1) {
			all = append(all, "git "+found[1])
		}
	}
	return all
}

// Rewinding is the reason of frames whose messages were taken back.
const Rewinding = "rewound by the person"

// errNoRecord says that nothing is kept.
var errNoRecord = errors.New("what turns did is not recorded here")

// Rewind takes back the turns from the prompt with this number on: files are put back to
// what they were before it, and the model no longer sees the messages. Files that
// somebody else changed since are left as they are, unless force says otherwise. Nothing
// is deleted: the messages stay in the session, in a frame that can be unfolded.
func (c *Chat) Rewind(ctx context.Context, id string, seq int, force bool) (r Rewound, err error) {
	if c.log == nil {
		return r, errNoRecord
	}
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return r, err
	}
	bytes := 0
	for m, err := range c.opt.Archive.Messages(ctx, id, seq-1) {
		if err != nil {
			return r, err
		}
		if r.Messages++; r.Messages == 1 {
			if !m.IsPrompt() {
				return r, fmt.Errorf("message %d is no prompt", seq)
			}
			r.Prompt = m.Typed()
		}
		bytes += m.Size()
		for _, what := range staying(m) {
			if !slices.Contains(r.Stays, what) {
				r.Stays = append(r.Stays, what)
			}
		}
	}
	if r.Messages == 0 {
		return r, fmt.Errorf("there is no message %d", seq)
	}
	changes, err := c.log.Since(id, seq)
	if err != nil {
		return r, err
	}
	restored := c.folder.Restore(changes, force)
	r.Files, r.Left = restored.Done, restored.Left
	if err := c.log.TakenBack(id, seq); err != nil {
		return r, err
	}
	r.Frame, err = c.fold(ctx, id, seq, s.Seq, bytes, r)
	return r, err
}

// Undo takes the last turn back that was not, and says what came of it.
func (c *Chat) Undo(ctx context.Context, id string) (string, error) {
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return "", err
	}
	gone, seq, last := TakenBack(s), 0, 0
	for m, err := range c.opt.Archive.Messages(ctx, id, 0) {
		if err != nil {
			return "", err
		}
		seq++
		if m.IsPrompt() && !slices.ContainsFunc(gone, func(f trimtab.Fold) bool { return f.First.Seq <= seq && seq <= f.Last.Seq }) {
			last = seq
		}
	}
	if last == 0 {
		return "", errors.New("nothing was said yet that could be taken back")
	}
	r, err := c.Rewind(ctx, id, last, false)
	return r.text("taken back"), err
}

// text says what came of it.
func (r Rewound) text(what string) string {
	text := fmt.Sprintf("%s: %s, %s put back", what, plural.Count(r.Messages, "message"), plural.Count(len(r.Files), "file"))
	for _, left := range r.Left {
		text += "\nnot put back: " + left
	}
	if len(r.Stays) > 0 {
		text += "\ngit's history stays as it is: " + few(r.Stays)
	}
	return text
}

// RedoText brings back what was taken back last, and says what came of it.
func (c *Chat) RedoText(ctx context.Context, id string) (string, error) {
	r, err := c.Redo(ctx, id, false)
	return r.text("brought back"), err
}

// errNoRedo says that there is nothing to do again.
var errNoRedo = errors.New("nothing was taken back last: after /undo or /rewind, and before the next prompt, /redo brings it back")

// Redo brings back what was taken back last, files and conversation, as long as nothing was
// said since. Files that somebody changed since are left as they are, unless force says
// otherwise.
func (c *Chat) Redo(ctx context.Context, id string, force bool) (r Rewound, err error) {
	if c.log == nil {
		return r, errNoRecord
	}
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return r, err
	}
	var last trimtab.Fold
	for _, f := range TakenBack(s) {
		if f.Last.Seq == s.Seq && (last.First.Seq == 0 || f.First.Seq < last.First.Seq) {
			last = f
		}
	}
	seq := last.First.Seq
	if seq == 0 {
		return r, errNoRedo
	}
	r.Messages, r.Frame = s.Seq-seq+1, frameOf(last.Key)
	_, out, err := c.opt.Service.Handle(ctx, id, trimtab.Asked{Command: "frame", Args: []string{"unfold", r.Frame}})
	if err != nil {
		return r, err
	}
	if reply, err := out.Reply(); err != nil || reply.Failed {
		return r, errors.Join(err, fmt.Errorf("the conversation cannot be brought back: %s", reply.Text))
	}
	changes, err := c.log.Undone(id, seq)
	if err != nil {
		return r, err
	}
	for i, ch := range changes {
		changes[i].Existed, changes[i].Exists, changes[i].Before, changes[i].After = ch.Exists, ch.Existed, ch.After, ch.Before
	}
	restored := c.folder.Restore(changes, force)
	r.Files, r.Left = restored.Done, restored.Left
	return r, c.log.Again(id, seq)
}

// frameOf is the frame whose fold has a key.
func frameOf(key string) string {
	for i, r := range key {
		if r != 'f' && !unicode.IsDigit(r) {
			return key[:i]
		}
	}
	return key
}

// fold takes the messages of turns that were taken back out of the model's sight.
func (c *Chat) fold(ctx context.Context, id string, first, last, bytes int, r Rewound) (string, error) {
	about := "No files were changed by them."
	if len(r.Files) > 0 {
		about = "The files that they changed are as before: " + few(r.Files) + "."
	}
	if len(r.Left) > 0 {
		about += " Not put back: " + few(r.Left) + "."
	}
	if len(r.Stays) > 0 {
		about += " What these did to git's history was not taken back: " + few(r.Stays) + "."
	}
	goal := strings.Join(strings.Fields(trimtab.Clip(r.Prompt, 200)), " ")
	if goal == "" {
		goal = "what was asked here"
	}
	args, err := json.Marshal(map[string]any{"first": first, "last": last, "goal": goal, "reason": Rewinding, "summary": "The person took this back. " + about, "bytes": bytes})
	if err != nil {
		return "", err
	}
	_, out, err := c.opt.Service.Handle(ctx, id, trimtab.Asked{Command: "frame", Args: []string{"turns", string(args)}})
	if err != nil {
		return "", err
	}
	reply, err := out.Reply()
	if err == nil && reply.Failed {
		err = fmt.Errorf("the files are back, but not the conversation: %s", reply.Text)
	}
	var frame struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(reply.Data, &frame) // without its name less is told
	return frame.ID, err
}

func few(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + fmt.Sprintf("%d more", len(names)-most)
}

// Diff is how files changed since a prompt, one after the other.
func (c *Chat) Diff(id string, seq int) (string, error) {
	if c.log == nil {
		return "", errNoRecord
	}
	changes, err := c.log.Since(id, seq)
	var b strings.Builder
	for _, change := range changes {
		b.WriteString(change.Diff())
	}
	return b.String(), err
}

// Changes are the files that each call of a session changed, by the call's id.
func (c *Chat) Changes(id string) map[string][]tool.FileChange {
	if c.log == nil {
		return nil
	}
	changes, err := c.log.Changes(id)
	if err != nil {
		return nil // the transcript shows what the tools said instead
	}
	return changes
}

// TakenBack are the runs of messages that the person rewound, and that are still out of
// the model's sight.
func TakenBack(s trimtab.Session) (out []trimtab.Fold) {
	for _, f := range s.Folds {
		if strings.Contains(f.Text, "\nReason: "+Rewinding+"\n") {
			out = append(out, f.Fold)
		}
	}
	return out
}

// Claim takes a session for this process alone, until release. Where another process has
// it, taken is false. Two that write into one conversation would not hear each other.
func (c *Chat) Claim(id string) (release func(), taken bool) {
	none := func() {}
	if c.opt.Record == "" {
		return none, true
	}
	dir := filepath.Join(c.opt.Record, ".open")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return none, true // what cannot be claimed is nobody's
	}
	unlock, err := filelock.Try(filepath.Join(dir, strings.Map(plainName, id)))
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return none, false
	case err != nil:
		return none, true
	}
	c.mine.Store(id, true)
	return func() { c.mine.Delete(id); unlock() }, true
}

func plainName(r rune) rune {
	if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return '_'
}
