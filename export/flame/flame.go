// Package flame draws the frames of a session as a flame graph: a frame is a box
// whose width is its tokens and whose colour is its status, and its children
// stand on it. A picture needs nothing else to be shown: no script in the SVG,
// one small one in the page, no network in either. The package reads no session and
// writes no file; all text is escaped, whoever wrote it.
//
//	graph, err := flame.Parse(reply.Data) // the answer to "frame tree" or "frame status"
//	graph.Title = session.Title
//	svg, err := flame.SVG(graph)
//	page, err := flame.HTML(graph)
package flame

import (
	"encoding/json"
	"fmt"
	"time"
)

// Graph is a tree of frames, as the command "frame tree" tells it to programs.
type Graph struct {
	Session string  `json:"session"`
	Title   string  `json:"title,omitempty"`
	Active  string  `json:"active,omitempty"`
	Frames  []Frame `json:"frames"`       // a parent before its children
	Before  int     `json:"tokensBefore"` // of the history
	After   int     `json:"tokensAfter"`  // of what is in view
}

// Frame is one box and what is known of it.
type Frame struct {
	ID        string    `json:"id"`
	Parent    string    `json:"parent,omitempty"`
	Goal      string    `json:"goal"`
	Criteria  string    `json:"successCriteria,omitempty"`
	Status    string    `json:"status"`
	Summary   string    `json:"summary,omitempty"`
	Results   string    `json:"results,omitempty"`
	Artifacts []string  `json:"artifacts,omitempty"`
	Decisions []string  `json:"decisions,omitempty"`
	Reason    string    `json:"invalidationReason,omitempty"`
	By        string    `json:"by,omitempty"`
	Messages  int       `json:"messages,omitempty"`
	Own       int       `json:"ownTokens"` // without those of the frames below it
	Folded    bool      `json:"folded,omitempty"`
	Above     bool      `json:"above,omitempty"` // folded while a frame below it is active
	Gone      bool      `json:"gone,omitempty"`  // the host rewrote its messages
	Created   time.Time `json:"createdAt,omitzero"`
	Updated   time.Time `json:"updatedAt,omitzero"`
	Log       []string  `json:"log,omitempty"` // its messages, a line each, if they are to be in the page
}

// Limits of what is drawn.
const (
	maxInput  = 16 << 20
	maxFrames = 2000
	maxDepth  = 64
	maxTokens = 1 << 40
)

// Parse reads a graph from the JSON of "frame tree". Fields that it does not
// know are passed over.
func Parse(raw []byte) (Graph, error) {
	var g Graph
	if len(raw) > maxInput {
		return g, fmt.Errorf("the frames are %d bytes of JSON; at most %d can be drawn", len(raw), maxInput)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		return Graph{}, fmt.Errorf("the frames are not the tree that was expected: %w", err)
	}
	if _, err := g.lay(); err != nil {
		return Graph{}, err
	}
	return g, nil
}
