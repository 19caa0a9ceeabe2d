package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

// read reads a recorded session: our own export, or a transcript of Claude Code.
func read(file string) (session, error) {
	f, err := os.Open(file)
	if err != nil {
		return session{}, err
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return session{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return session{}, err
	}
	s := session{name: filepath.Base(file)}
	switch transcript.Detect(head[:n]) {
	case "trimtab":
		err = s.fromExport(f)
	case "claude":
		err = s.fromClaude(f)
	default:
		err = fmt.Errorf("%w: neither a trimtab export nor a Claude Code transcript", trimtab.ErrDamaged)
	}
	return s, err
}

func (s *session) fromClaude(r io.Reader) error {
	for item, err := range claude.Read(r, transcript.Options{}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			continue
		}
		if err != nil {
			return err
		}
		if s.info.ID == "" {
			s.info = trimtab.Info{ID: item.Session, Host: "claude", Project: item.Project, Created: item.Message.At}
		}
		s.events = append(s.events, trimtab.Said{Message: item.Message})
		if item.Compacted {
			s.events = append(s.events, trimtab.Rewritten{All: true, Size: item.Message.Size()})
		}
	}
	return nil
}

// fromExport takes the messages that are not ours, and where there is a journal
// the commands between them.
func (s *session) fromExport(r io.Reader) error {
	doc, err := export.Read(r, export.MaxSize)
	if err != nil {
		return err
	}
	s.info = doc.Info
	messages := map[string]trimtab.Message{}
	for _, m := range doc.Messages {
		if m.From == "" {
			messages[m.ID] = m
			s.events = append(s.events, trimtab.Said{Message: m})
		}
	}
	if doc.Trimtab == nil || len(doc.Trimtab.Journal) == 0 {
		return nil
	}
	s.events = nil
	for _, e := range doc.Trimtab.Journal {
		switch ev := e.Event.(type) {
		case trimtab.Said:
			if m, ok := messages[ev.Message.ID]; ok {
				s.events = append(s.events, trimtab.Said{Message: m})
			}
		case trimtab.Asked, trimtab.Resumed, trimtab.Reset, trimtab.Rewritten:
			s.events = append(s.events, ev)
		}
	}
	return nil
}
