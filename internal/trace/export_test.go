package trace

// What tests look at.
var (
	Find        = find
	ErrVariable = errVariable
	New         = newExporter
)

// Exporter is what Start starts.
type Exporter = exporter

// Options are options.
type Options = options

// Target is target.
type Target = target

// Pair is pair.
type Pair = pair
