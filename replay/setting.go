package replay

// Setting is a setting of steering that sessions can be played again with.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as it is now
	Doc   string `json:"doc"`
	Takes string `json:"takes"`         // what it may be
	Off   string `json:"off,omitempty"` // what it switches, where that is on now
}
