package claude

import (
	"bytes"

	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// link returns the place of a line of the main conversation in the tree.
func (l *line) link() feed.Link {
	at := feed.Link{ID: l.uuid, Parent: l.parent}
	if jsonscan.Null(at.Parent) && l.boundary() {
		at.Parent = l.joint()
	}
	switch {
	case l.boundary() || l.summary:
		at.Cut = true
	case l.kind == assistant:
		at.Reply = l.message.id
	case l.kind != user || l.meta || l.byTool() || l.message.hasResult():
		at.Beside = true
	}
	return at
}

// joint returns the line that a rewriting of history joins on to; nil is the line
// before in the file. What it summed up was not taken back. The parent that it
// names stands before the messages that it kept as they were, where those came
// last; and where those came first, before the ones that it summed up.
func (l *line) joint() []byte {
	anchor, tail := kept(l.compaction)
	switch {
	case !jsonscan.Null(anchor) && bytes.Equal(anchor, l.uuid): // the kept ones came first
		return nil
	case !jsonscan.Null(tail):
		return tail
	}
	return l.logicalParent
}

// kept returns which line the kept messages were put behind, and the last of
// them.
func kept(compaction []byte) (anchor, tail []byte) {
	c := jsonscan.Object(compaction)
	for c.Next() {
		if string(c.Key) != "preservedSegment" {
			continue
		}
		segment := jsonscan.Object(c.Value)
		for segment.Next() {
			switch string(segment.Key) {
			case "anchorUuid":
				anchor = segment.Value
			case "tailUuid":
				tail = segment.Value
			}
		}
	}
	return anchor, tail
}
