// Package judge holds what steering would say in recorded sessions against what people
// think of it: it plays sessions through the lineup, walks a person through every note
// that would be given, keeps their labels in a file without any text of a session, and
// counts precision and recall beside a rule that knows nothing but length.
//
// It calls no model, opens no connection, and writes nothing but the file of labels.
//
//	corpora, err := judge.Find("sessions/")
//	known, err := judge.ReadLabels("labels.json")
//	res, err := judge.Measure(ctx, corpora, judge.Options{Read: read, Engine: engine, Known: known})
//	err = judge.Write(os.Stdout, res, false)
//
// A Book is a file of labels that is being written, a Walk the way of a person through
// sessions; surface/tui/judge shows it on a terminal.
package judge
