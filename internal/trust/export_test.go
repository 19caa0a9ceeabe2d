package trust

// What only tests need to name.
const (
	MaxFiles = maxFiles
	MaxBytes = maxBytes
	MaxDepth = maxDepth
)

var (
	ErrDamaged = errDamaged
	ErrNewer   = errNewer
	ErrOpen    = errOpen
)

type Refusal = refusalError
