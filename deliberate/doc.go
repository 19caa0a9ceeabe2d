// Package deliberate lets several personas argue about one brief until they have a
// document, or until it is clear what they do not agree on.
//
// They talk on one history: a session like any other, which goes through the one
// service and is steered by the same interventions, so that the mode's phases, loops
// and criteria hold here as they do in a chat. This package adds the floor (who speaks
// next, and what is asked of them), the table (who proposed what, who is for and
// against it), a researcher who may look things up, meters that tell agreement from
// fatigue, and the result. It never judges a criterion, never moves a phase by
// itself, and writes no file.
//
// Who says what is a fact of the message and never read from its text: a persona's
// words are a reply whose span is by the model and from the persona's id
// (Text.By is Model, Text.From its id). What the researcher brings is by a tool, so
// it can mark nothing. What a person types is a prompt and counts double.
//
// Everything that decides what comes next is in the stored messages: a debate that
// was killed goes on at the message at which it was.
//
//	d, err := deliberate.Begin(ctx, options, deliberate.Plan{ID: id, Mode: "copywrite", Brief: brief, Cast: cast})
//	…
//	for ev, err := range d.Run(ctx) {
//		// draw what happens; after an error the debate can be resumed
//	}
//	result := d.Result()
//	text := result.Markdown()
package deliberate
