// Package assembly puts together what the work on improvements is done with, from
// settings and the folders of a person: the forge of a project, the agent, the
// project's own commands, git, the key that signs what we file, and the worker.
//
// It makes choices of wiring only: which steps there are, and when one may begin, is
// decided in improve/steps and improve/worker. It reads no settings file and no
// environment but the one that it is given.
//
//	a, err := assembly.New(assembly.Options{Data: folder, Config: cfg, Queue: queue, Environ: os.Environ(), Redact: redact})
//	…
//	w, err := a.Worker(ctx, assembly.WorkerOptions{Progress: board.Show})
//	…
//	defer w.Close()
//	err = w.Drain(ctx)
package assembly
