// Package worker makes the thirteen steps of an improvement durable, on DBOS: after
// a kill at any moment the work goes on at the step where it was.
//
// Items come from an improve.Queue. A worker takes one under a lease, renews it
// while it works, and asks before each effect and each record whether the item is
// still its own; if not, it stops at once. What a step left is recorded in the
// queue under the lease's fence, and then in DBOS. The fence is part of the
// workflow's id in DBOS, which has no fence of its own: who takes an item over
// goes on in a workflow forked from the last one, and a worker that wakes up after
// its lease can write to nothing but its own old one.
//
// DBOS keeps its records in an SQLite file of the data folder, or in PostgreSQL
// where a URL is set. One process at a time works for a data folder, under a file
// lock; others read the queue, as Watch does. Nothing here talks to DBOS's own
// services, opens a port, decides what is worth doing, or knows what a step does.
//
//	f, err := flow.New(ctx, flow.Config{Folder: folder}, flow.Options{Queue: queue, Env: env})
//	…
//	defer f.Close()
//	err = f.Run(ctx) // until ctx ends; Drain returns when nothing is left
package worker
