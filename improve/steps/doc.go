// Package steps does the thirteen steps that turn a request for improvement into
// a pull request: clarify, issue, branch, design, implement, simplify, check,
// commit, pull request, review, feedback, compliance, mergeable.
//
// The steps are plain functions in one ordered list. Each does real work, leaves
// evidence, and first checks the evidence that it builds on; what is missing
// fails the work at that step. A step may be done again after a crash at any
// moment: a working tree is set back to what the step before left, and whatever
// is made at a forge is looked for first. Every effect outside asks the job's
// Guard first, so that a worker that lost its lease can do nothing more.
//
// The package keeps no state of its own beyond the folder of the item, knows no
// engine that makes the steps durable (improve/worker does), never merges, and lets
// nothing leave that was not redacted.
//
//	env, err := steps.New(cfg, steps.Options{Forge: hub, Agent: agent, …})
//	…
//	job, err := env.Job(item, guard, say)
//	for _, step := range steps.Steps() {
//		evidence, err := step.Run(ctx, job)
//		if err != nil {
//			err = job.Settle(ctx, step, err)
//			break
//		}
//		job.Item.Evidence = append(job.Item.Evidence, evidence)
//	}
package steps
