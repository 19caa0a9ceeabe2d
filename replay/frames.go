package replay

import (
	"cmp"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/todotool"
	"github.com/trimtab/trimtab/replay/cache"
	"github.com/trimtab/trimtab/steer/frame"
)

// FrameOptions are the policy to try and the providers to pay. Zero values take
// the defaults.
type FrameOptions struct {
	Steering trimtab.Config
	Frames   frame.Config
	Autonomy frame.Autonomy
	System   int              // tokens of system prompt and tools before the messages; 0 is 16,000
	Caches   []cache.Provider // nil is all that are known
}

const usualSystem = 16_000

// FrameReport is where the heuristics would have drawn boundaries in a recorded
// session, and what folding would have saved. No model was called: what it would
// have said with less before its eyes is not known.
type FrameReport struct {
	Session    string     `json:"session"`
	Title      string     `json:"title,omitempty"`
	Messages   int        `json:"messages"`
	Steps      int        `json:"steps"`
	Requests   int        `json:"requests"`
	Tokens     int        `json:"tokens"`     // of all messages, once
	System     int        `json:"system"`     // tokens before the messages, in every request
	Boundaries []Boundary `json:"boundaries"` // that the heuristics drew, each followed at once
	Suggested  int        `json:"suggested"`  // suggestions, had nobody followed any
	Highest    []Peak     `json:"highest"`    // of push and pop, had nobody followed
	Ways       []FrameWay `json:"ways"`       // unfolded; with the frames that were asked for; with the suggested ones too
	Faults     []string   `json:"faults,omitempty"`
}

// Boundary is a push or pop that the heuristics recommended and that was done.
type Boundary struct {
	Kind       frame.Side    `json:"kind"`
	Step       int           `json:"step"`
	Frame      string        `json:"frame"`
	Goal       string        `json:"goal"`
	Status     frame.Status  `json:"status,omitempty"`
	Reason     string        `json:"reason"`
	Confidence int           `json:"confidence"`
	Scores     []frame.Score `json:"scores"`
}

// Peak is the moment at which one side was nearest to its threshold.
type Peak struct {
	frame.Evaluation
	Step int `json:"step"`
}

// FrameWay is what a session sends, worked on in one way. Sizes are tokens.
type FrameWay struct {
	Name     string      `json:"name"` // unfolded, asked or followed
	Frames   int         `json:"frames"`
	Popped   int         `json:"popped"`
	Folds    int         `json:"folds"`           // made, opened ones too
	Sent     int         `json:"sent"`            // messages of all requests, without the system prompt
	Share    float64     `json:"share"`           // of what is sent unfolded
	Largest  int         `json:"largest"`         // request
	Last     int         `json:"last"`            // request
	Promised int         `json:"promised"`        // what the folds said they keep from the requests
	Kept     int         `json:"kept"`            // what they did
	Short    int         `json:"short,omitempty"` // the most by which any moment's folds kept less than promised
	Edits    int         `json:"edits"`           // of files that were shown before
	Unseen   int         `json:"unseen"`          // of those, where what showed the file was folded away
	Again    int         `json:"again"`           // calls that were made before, and whose answer was folded away
	Bills    []FrameBill `json:"bills"`           // by cache
}

// FrameBill is what the input cost at one kind of cache.
type FrameBill struct {
	Cache string  `json:"cache"`
	Cost  float64 `json:"cost"`  // in tokens of plain input, with the system prompt
	Read  float64 `json:"read"`  // share that was read from the cache
	Share float64 `json:"share"` // of the cost unfolded
}

// Frames takes a recorded session through frames alone: as it was, with the
// frames that its commands ask for, and with every recommendation followed.
func Frames(info trimtab.Info, recorded iter.Seq2[trimtab.Event, error], opt FrameOptions) (FrameReport, error) {
	var events []trimtab.Event
	for ev, err := range recorded {
		if err != nil {
			return FrameReport{}, err
		}
		events = append(events, ev)
	}
	if opt.System == 0 {
		opt.System = usualSystem
	}
	if opt.Caches == nil {
		opt.Caches = cache.Known()
	}
	r := FrameReport{Session: info.ID, Title: info.Title, System: opt.System, Boundaries: []Boundary{}}
	plain := FrameWay{Name: "unfolded"}
	for i, p := range opt.Caches {
		got := cache.Play{Provider: p, System: opt.System * cache.TokenBytes}.Run(info, events)
		plain.take(got, p, i == 0)
		r.Steps, r.Requests = got.Steps, got.Requests
	}
	for _, ev := range events {
		if said, ok := ev.(trimtab.Said); ok {
			r.Messages++
			r.Tokens += said.Message.Size()
		}
	}
	r.Tokens = tokens(r.Tokens)
	r.Ways = []FrameWay{plain}
	for _, way := range []string{"manual", "suggest", "auto"} {
		w, err := r.way(way, info, events, opt)
		if err != nil {
			return FrameReport{}, err
		}
		if way != "suggest" {
			r.Ways = append(r.Ways, w)
		}
	}
	for i := range r.Ways {
		r.Ways[i].compare(plain)
	}
	return r, nil
}

// way plays the session at one level of autonomy, at each cache.
func (r *FrameReport) way(level string, info trimtab.Info, events []trimtab.Event, opt FrameOptions) (FrameWay, error) {
	opt.Autonomy.Level = level
	frames, err := frame.New(opt.Frames, opt.Autonomy)
	if err != nil {
		return FrameWay{}, err
	}
	opt.Steering.Todos = cmp.Or[trimtab.TodoTools](opt.Steering.Todos, todotool.Tools{})
	engine, err := trimtab.New(opt.Steering, trimtab.Use(frames))
	if err != nil {
		return FrameWay{}, err
	}
	w := &watch{engine: engine, report: r, way: FrameWay{Name: map[string]string{"manual": "asked", "auto": "followed"}[level]}, level: level}
	for i, p := range opt.Caches {
		play := cache.Play{Engine: engine, Provider: p, System: opt.System * cache.TokenBytes}
		if i == 0 { // the session is the same at all of them
			play.Watch = w.step
		}
		w.way.take(play.Run(info, events), p, i == 0)
		if level == "suggest" {
			break
		}
	}
	w.end()
	return w.way, nil
}

func (w *FrameWay) take(got cache.Result, p cache.Provider, first bool) {
	if first {
		w.Sent, w.Largest, w.Last = tokens(got.Sent), tokens(got.Largest), tokens(got.Last)
	}
	w.Bills = append(w.Bills, FrameBill{Cache: p.Name, Cost: got.Cost(p.Prices), Read: got.Share()})
}

func (w *FrameWay) compare(plain FrameWay) {
	if plain.Sent > 0 {
		w.Share = float64(w.Sent) / float64(plain.Sent)
	}
	for i := range w.Bills {
		if of := plain.Bills[i].Cost; of > 0 {
			w.Bills[i].Share = w.Bills[i].Cost / of
		}
	}
}
