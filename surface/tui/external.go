package tui

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab/surface/tui/edit"
)

// edited is what came back from the external editor.
type edited struct {
	text string
	err  error
}

// external opens what is written in the person's own editor.
func (c *chat) external() tea.Cmd {
	words := strings.Fields(c.opt.Editor)
	if len(words) == 0 {
		c.complain("no editor is known: set EDITOR or VISUAL")
		return nil
	}
	file, err := draft(c.text.String())
	if err != nil {
		return func() tea.Msg { return edited{err: err} }
	}
	cmd := exec.CommandContext(c.ctx, words[0], append(words[1:], file)...)
	if c.opt.In == nil {
		cmd.Stdin = os.Stdin // the terminal itself: what the chat reads from is no file to a program
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		if err != nil {
			return edited{err: fmt.Errorf("editor %s: %w; what you wrote is unchanged", words[0], err)}
		}
		info, err := os.Stat(file)
		if err == nil && info.Size() > edit.MaxSize {
			err = fmt.Errorf("%s: %d bytes are over the limit of %d", file, info.Size(), edit.MaxSize)
		}
		if err != nil {
			return edited{err: err}
		}
		text, err := os.ReadFile(file)
		return edited{strings.TrimSuffix(string(text), "\n"), err} // editors end the last line too
	})
}

// draft writes a file that only the person can read.
func draft(text string) (string, error) {
	f, err := os.CreateTemp("", "trimtab-*.md")
	if err != nil {
		return "", fmt.Errorf("a file for the editor: %w", err)
	}
	_, err = f.WriteString(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", fmt.Errorf("a file for the editor: %w", err)
	}
	return f.Name(), nil
}

func (c *chat) edited(e edited) {
	c.pulse.wake()
	if e.err != nil {
		c.complain(e.err.Error())
		return
	}
	c.text.Set(e.text)
}
