// Package worker makes the thirteen steps of an improvement durable, on DBOS: after
// a kill at any moment the work goes on at the step where it was.
//
// Items come from an improve.Queue. A worker takes one under a lease, renews it while it
// works, and asks before each effect whether the item is still its own; if not, it stops at
// once. What a step left is recorded by the engine, as a step of the run, and nowhere else;
// the item then shows a copy of it, under the lease's fence. The fence is part of the run's
// id, since the engine has none: who takes an item over goes on in a run forked from the one
// that the item names, and a worker that wakes up after its lease can write to nothing but
// its own old one.
//
// The engine keeps its records in an SQLite file, or in PostgreSQL where a URL is set: in
// one place for all who use the queue. One process at a time works for a data folder, under
// a file lock; others read the queue, as Watch does. Nothing here talks to DBOS's own
// services, opens a port, decides what is worth doing, or knows what a step does.
//
//	f, err := worker.New(ctx, worker.Config{Folder: folder}, worker.Options{Queue: queue, Env: env})
//	…
//	defer f.Close()
//	err = f.Run(ctx) // until ctx ends; Drain returns when nothing is left
package worker
