package improve

import "maps"

// unquoted stands in the place of what a person said.
const unquoted = "(a person's own words, which are not quoted where nobody approves what is sent)"

// withheld is a pattern without the words of the person that it was found in: they were said
// to an agent, and not to whoever reads an issue. Where they are in the session stays.
func withheld(p Pattern) Pattern {
	switch p.Type {
	case Frustration, SaidNo, Interrupted, ReportedRed, SameCorrection, PrematureStop:
	default:
		return p
	}
	samples := make([]Sample, 0, len(p.Samples))
	for _, s := range p.Samples {
		s.Excerpt = unquoted
		samples = append(samples, s)
	}
	p.Samples = samples
	if p.Type == SameCorrection { // what it is about are the words themselves
		p.Context = maps.Clone(p.Context)
		delete(p.Context, KeyAbout)
		delete(p.Context, KeySignature)
	}
	return p
}
