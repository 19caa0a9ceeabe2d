package local

// sync does nothing: Windows keeps names with their files and cannot flush a
// folder.
func (f *Forge) sync(string) error { return nil }
