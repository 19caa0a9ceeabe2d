package replay

// Setting is a setting of steering that sessions can be played again with.
type Setting struct {
	Key   string
	Value string // as it is now
	Doc   string
	Takes string // what it may be
	Off   string // what it switches, where that is on now
}
