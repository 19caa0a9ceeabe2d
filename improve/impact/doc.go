// Package impact says whether a change ended a trouble: it re-judges sessions by the rule
// that found the trouble, counts only those that had the occasion for it, and tells how
// sure the difference is.
//
// It reads no sessions and no clock. The exact text of an error does not decide: a
// command that still fails in other words is the same trouble.
//
//	counts := improve.ImpactOf(impact.ByRule(request.Pattern), mergedAt, results)
//	fmt.Println(impact.Tell(counts)) // "too few to tell: 3 of 4 sessions before, 0 of 2 after"
package impact
