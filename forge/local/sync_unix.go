//go:build !windows

package local

// sync brings the names in a folder down to the disk.
func (f *Forge) sync(folder string) error {
	dir, err := f.root.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
