// Package improve turns what went wrong in sessions into requests for
// improvement, and says which of them may become work.
//
// It is pure: it reads messages that are handed to it, counts, ranks and decides.
// It reads no file, asks no clock, and files nothing: improve/steps does the
// thirteen steps, a store keeps the queue. Only what a person typed counts as a
// person's word, and all that is quoted passes the Redact that it was given.
//
//	r := improve.NewReflector(improve.Options{Session: id, Redact: redact})
//	for m := range messages {
//		if !r.See(m) {
//			break // one of our own workflow's sessions: there is no result
//		}
//	}
//	result, ok := r.Result(now)
//	merged := improve.Merge([]improve.Result{result, other})
//	c := improve.Cases(merged, project)[0]
//	verdict := improve.Decide(cfg, c, improve.Situation{Now: now, Past: items, Forge: improve.NotFiled})
//	if !verdict.Fire {
//		fmt.Println(verdict.No()) // which gate, and what would change it
//	}
package improve
