// Package pipeline is the way from sessions to requests for improvement: it
// reflects on the sessions of a project, asks every gate whether work may be asked
// for, and puts requests into the queue, where they wait for approval or a worker.
// It also takes in requests that other tools left, and tells whether what was done
// changed anything.
//
// It reads no settings and prints nothing: what it works with comes as Options, and
// what a person should know goes to Notify. It never changes a forge: it only asks
// what is filed there. The work itself is done by improve/worker.
//
//	p, err := pipeline.New(pipeline.Options{
//		Queue:    func(context.Context) (improve.Queue, error) { return store.Queue(), nil },
//		Sessions: scan.New(scan.Options{Redact: redact}),
//		Redact:   redact,
//	})
//	…
//	item, err := p.New(ctx, pipeline.Query{Project: folder, Names: files}, "", false)
//	fmt.Println(item.ID, item.State) // awaiting_approval
package pipeline
