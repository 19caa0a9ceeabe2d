// Package summary writes, with a model, the summaries that finished pieces of work
// ask for.
//
// An intervention that wants one hands out an Enqueue of the kind "frame.summary";
// a Writer hears of it, reads the messages that it is about, asks the model, and
// gives the answer back as the command "frame summary ID TEXT". Until then, and
// whenever the model fails, the summary stands that was taken from the messages
// themselves. The package decides nothing, and never sees a session but through the
// one service.
//
//	w := summary.Writer{Service: h, History: store, Model: model}
//	go w.Watch(ctx, h.Subscribe(ctx))
package summary
