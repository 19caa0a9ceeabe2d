// Package debate shows a debate as it happens: who speaks, how far the phase is,
// which criteria are met, what steering says, how the votes stand, and whether the
// speakers come to sound alike. A person can type a line at any time.
//
// It only shows: it never decides who speaks, stores nothing and knows no model.
// Where there is no terminal to draw on, Plain says each event in one line.
//
//	for ev, err := range d.Run(ctx) {
//		fmt.Fprintln(os.Stderr, debate.Plain(ev))
//	}
//
// On a terminal, Show runs the debate and draws it until it ends:
//
//	lines := make(chan string) // also the debate's Options.Lines
//	last, err := debate.Show(ctx, d, debate.Options{Lines: lines})
package debate
