package improve

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/trimtab/trimtab"
)

// Thresholds from which something is a pattern.
const (
	leastSame     = 3   // the same call
	leastBusy     = 10  // one tool, whatever it was called for
	leastErrors   = 3   // failed results
	leastAngry    = 2   // different complaints
	mostMessages  = 100 // a longer session is long
	staleReplies  = 20  // replies after which an open todo counts as left lying
	leastStopped  = 1
	leastOverflow = 1
)

// The keys of a pattern's context.
const (
	KeySignature = "signature" // folded: the same in every session
	KeyAbout     = "about"     // the same in words, redacted
	KeyTool      = "tool"
	KeyCommand   = "command" // a command line that failed so, as it was given
	KeyCheck     = "check"   // the command that would have shown it, where it was named
	KeyKind      = "kind"    // which rule of the type it was
	KeyScope     = "scope"   // ScopeGeneral, or absent
)

// ScopeGeneral marks a pattern that is about a session as a whole. Such ones have
// the same fingerprint in all sessions and say little by themselves, so they stand
// behind those that name a cause.
const ScopeGeneral = "general"

// General reports whether the pattern is about a session as a whole.
func (p Pattern) General() bool { return p.Context[KeyScope] == ScopeGeneral }

// Result tells what was found. It is false where there is nothing to tell of: no
// message was seen, or the session is one that our own workflow ran. The time of
// the result is that of the last message, and now where no message has one.
func (r *Reflector) Result(now time.Time) (Result, bool) {
	if r.ours || r.seen == 0 {
		return Result{}, false
	}
	out := Result{SessionID: r.opt.Session, Parent: r.opt.Parent, Timestamp: now, Metrics: r.metrics, Patterns: []Pattern{}, Suggestions: []string{}}
	if !r.last.IsZero() {
		out.Timestamp = r.last
		minutes := int(r.last.Sub(r.first) / time.Minute)
		out.Metrics.DurationMinutes = &minutes
	}
	out.Timestamp = out.Timestamp.UTC()
	r.endTurn()
	for _, found := range [][]Pattern{r.sameCalls(), r.errors(), r.fromPeople(), r.fromWork(), r.fromSession(), r.fromLoops(), r.busy()} {
		out.Patterns = append(out.Patterns, found...)
	}
	out.Faint = r.faint()
	if r.opt.Exposure {
		out.Exposure = r.exposed()
		out.Exposure.Changed = r.work.Last > 0
	}
	slices.SortStableFunc(out.Patterns, order)
	top := 0
	for _, p := range out.Patterns {
		top = max(top, p.Score)
		if !slices.Contains(out.Suggestions, p.Suggestion) {
			out.Suggestions = append(out.Suggestions, p.Suggestion)
		}
	}
	out.Priority = PriorityOf(top)
	return out, true
}

// order puts what names a cause before what is general, then the larger score.
func order(a, b Pattern) int {
	general := func(p Pattern) int {
		if p.General() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(general(a), general(b)), cmp.Compare(b.Score, a.Score), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Fingerprint, b.Fingerprint))
}

// pattern makes one of a count.
func (r *Reflector) pattern(kind, signature string, count int, samples []Sample, context map[string]string) Pattern {
	p := Pattern{Type: kind, Count: count, Context: Context{KeySignature: trimtab.Clip(Fold(r.redact(signature)), maxSignature)}, Samples: append([]Sample{}, samples...)}
	for k, v := range context {
		if v != "" {
			p.Context[k] = v
		}
	}
	p.Fingerprint = Fingerprint(kind, signature)
	p.finish()
	return p
}

// finish sets what follows from the type and the count.
func (p *Pattern) finish() {
	p.Severity = SeverityOf(p.Type, p.Count)
	p.Score = ScoreOf(*p, time.Time{}, time.Time{})
	p.Suggestion = advice(*p)
}

// largest are the rows with at least so many, by number and then by key; only the
// first ones.
func (t *table) largest(least int) []*tally {
	keys := slices.Sorted(maps.Keys(t.rows))
	var out []*tally
	for _, k := range keys {
		if t.rows[k].n >= least {
			out = append(out, t.rows[k])
		}
	}
	slices.SortStableFunc(out, func(a, b *tally) int { return cmp.Compare(b.n, a.n) })
	return out
}

// sameCalls are calls that were made again and again. Those that differ only in
// what folds away are one pattern.
func (r *Reflector) sameCalls() []Pattern {
	var out []Pattern
	at := map[string]int{}
	for _, row := range r.calls.largest(leastSame) {
		sign := row.tool + " " + r.near(r.redact(row.label))
		scope := ""
		if r.opt.Literal {
			sign = row.tool + " " + Fold(row.label)
		} else if !row.failed {
			scope = ScopeGeneral // the same file read again: it costs, and is seldom a project's to mend
		}
		if i, ok := at[sign]; ok {
			out[i].Count += row.n
			out[i].finish()
			continue
		}
		if len(out) == maxPatterns {
			continue
		}
		at[sign] = len(out)
		out = append(out, r.pattern(RepeatedTool, sign, row.n, row.samples, map[string]string{
			KeyTool: row.tool, KeyKind: "same_input", KeyScope: scope, KeyAbout: shorten(row.tool+" "+r.near(r.redact(row.label)), maxExcerpt),
		}))
	}
	return out
}

// busy are tools that were used often, whatever for: a statistic, and a pattern only for
// who wants the literal rules.
func (r *Reflector) busy() []Pattern {
	var out []Pattern
	if !r.opt.Literal {
		return nil
	}
	for _, row := range r.tools.largest(leastBusy) {
		if len(out) == maxPatterns {
			break
		}
		out = append(out, r.pattern(RepeatedTool, "tool "+row.tool, row.n, row.samples, map[string]string{
			KeyTool: row.tool, KeyKind: "same_tool", KeyAbout: row.tool,
		}))
	}
	return out
}

// errors are those that came back, each a pattern, and the rest together where
// they are many.
func (r *Reflector) errors() []Pattern {
	var out []Pattern
	rest := tally{}
	for _, row := range r.faults.largest(1) {
		if row.n < leastErrors || len(out) == maxPatterns {
			rest.n += row.n
			if len(rest.samples) < maxSamples {
				rest.samples = append(rest.samples, row.samples[:min(1, len(row.samples))]...)
			}
			continue
		}
		out = append(out, r.sameError(row, row.samples))
	}
	rest.n += r.faults.lost
	if rest.n >= leastErrors {
		out = append(out, r.pattern(ErrorPatterns, "various errors", rest.n, rest.samples, map[string]string{KeyKind: "various", KeyScope: ScopeGeneral, KeyAbout: "errors that are each another"}))
	}
	return out
}

func (r *Reflector) sameError(row *tally, samples []Sample) Pattern {
	return r.pattern(ErrorPatterns, row.sign, row.n, samples, map[string]string{KeyTool: row.tool, KeyKind: "same_error", KeyAbout: row.label, KeyCommand: row.command})
}

// faint is what came too seldom to be a pattern here, with a sample each.
func (r *Reflector) faint() []Pattern {
	var out []Pattern
	for _, row := range r.faults.largest(1) {
		if row.n < leastErrors && len(out) < maxFaint {
			out = append(out, r.sameError(row, row.samples[:min(1, len(row.samples))]))
		}
	}
	for _, k := range r.kinds() {
		for _, row := range k.rows.largest(1) {
			if row.n < k.least && len(out) < 3*maxFaint {
				out = append(out, k.pattern(row))
			}
		}
	}
	if p := &r.people; p.angry.n > 0 && p.angry.n < leastAngry {
		out = append(out, r.frustration())
	}
	return out
}

// kind is a type of pattern whose occurrences are counted by what they are about.
type kind struct {
	rows    *table
	least   int // in one session
	pattern func(*tally) Pattern
}

// kinds are those that come of what the person did and of how the agent worked.
func (r *Reflector) kinds() []kind {
	of := func(name string, about func(*tally) string) func(*tally) Pattern {
		return func(row *tally) Pattern {
			context := map[string]string{KeyTool: row.tool, KeyKind: row.detail, KeyAbout: about(row)}
			if row.detail == ScopeGeneral {
				context[KeyKind], context[KeyScope] = "", ScopeGeneral
			}
			p := r.pattern(name, row.sign, row.n, row.samples, context)
			if row.why > 0 {
				p.Context["reasons"] = row.why
			}
			if row.check != "" {
				p.Context[KeyCheck] = row.check
			}
			return p
		}
	}
	label := func(row *tally) string { return row.label }
	return []kind{
		{&r.people.red, 2, of(ReportedRed, func(row *tally) string { return row.label + " reported red by the person" })},
		{&r.people.denied, 2, of(SaidNo, label)},
		{&r.rules, 3, of(LintRule, label)},
		{&r.guessed, 2, of(GuessedPath, label)},
		{&r.ends, 3, of(Unproved, func(row *tally) string {
			if row.detail == RedEnd {
				return "ended while a check was red"
			}
			return "ended with changes that nothing had checked"
		})},
	}
}

// fromWork are the patterns of those kinds.
func (r *Reflector) fromWork() []Pattern {
	var out []Pattern
	for _, k := range r.kinds() {
		for i, row := range k.rows.largest(k.least) {
			if i == maxPatterns {
				break
			}
			out = append(out, k.pattern(row))
		}
	}
	return out
}

func (r *Reflector) frustration() Pattern {
	p := &r.people
	context := map[string]string{KeyAbout: "after no error that a tool reported", KeyScope: ScopeGeneral}
	sign := "no error before"
	if p.after != "" {
		sign = "after " + p.after
		context = map[string]string{KeyAbout: "after the error: " + shorten(p.trouble, maxExcerpt)}
	}
	return r.pattern(Frustration, sign, p.angry.n, p.angry.samples, context)
}

func (r *Reflector) fromPeople() []Pattern {
	var out []Pattern
	p := &r.people
	if p.angry.n >= leastAngry {
		out = append(out, r.frustration())
	}
	if p.broken.n > 0 {
		out = append(out, r.pattern(Interrupted, "broken off", p.broken.n, p.broken.samples, map[string]string{KeyScope: ScopeGeneral, KeyAbout: "the person broke the agent off and said something else"}))
	}
	if p.stops.n >= leastStopped {
		out = append(out, r.pattern(PrematureStop, "had to say go on", p.stops.n, p.stops.samples, map[string]string{KeyAbout: "the person had to say go on"}))
	}
	rows := slices.Clone(p.again)
	slices.SortStableFunc(rows, func(a, b *tally) int { return cmp.Compare(b.n, a.n) })
	for _, row := range rows[:min(len(rows), maxPatterns)] {
		out = append(out, r.pattern(SameCorrection, row.sign, row.n, row.samples, map[string]string{KeyAbout: shorten(row.label, maxExcerpt)}))
	}
	return out
}

func (r *Reflector) fromSession() []Pattern {
	var out []Pattern
	if r.metrics.TotalMessages > mostMessages {
		p := r.pattern(LongSession, "long session", 1, nil, map[string]string{KeyScope: ScopeGeneral, KeyAbout: strconv.Itoa(r.metrics.TotalMessages) + " messages"})
		p.Context["messages"] = r.metrics.TotalMessages
		out = append(out, p)
	}
	if r.overflow.n >= leastOverflow {
		out = append(out, r.pattern(Overflow, "context overflow", r.overflow.n, r.overflow.samples, map[string]string{KeyScope: ScopeGeneral, KeyAbout: "the context was full"}))
	}
	if open, about := r.leftLying(); len(open) > 0 {
		row := tally{}
		for _, t := range open {
			r.quote(&row, r.stop.id, t.Text)
		}
		out = append(out, r.pattern(IgnoredTodo, "open todos", len(open), row.samples, map[string]string{KeyScope: ScopeGeneral, KeyAbout: about}))
	}
	return out
}

// leftLying are the todos that the agent wrote down and did not come back to: it
// ended with them open, or did not look at its list for a long time. A session that
// breaks off in the middle of work left nothing lying.
func (r *Reflector) leftLying() (open []trimtab.Todo, about string) {
	open = trimtab.Todos{Items: r.todos.Todos}.Open()
	idle := r.todos.Step - r.wrote
	switch {
	case len(open) == 0:
		return nil, ""
	case idle >= staleReplies:
		return open, "open for " + strconv.Itoa(idle) + " replies without a look at the list"
	case r.stop.id != "" && !r.stop.calls && !r.stop.question:
		return open, "open when the agent ended"
	}
	return nil, ""
}

func (r *Reflector) fromLoops() []Pattern {
	var out []Pattern
	for _, row := range r.alarms.largest(1) {
		if len(out) == maxPatterns {
			break
		}
		out = append(out, r.pattern(Loop, row.sign, row.n, row.samples, map[string]string{KeyKind: row.detail, KeyAbout: row.label}))
	}
	return out
}
