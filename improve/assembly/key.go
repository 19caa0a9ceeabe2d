package assembly

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// MarkerKey is the key that signs what we file, so that we know it again. Who has
// it could make us take their issue for ours, so it stays here.
func (a *Assembly) MarkerKey() ([]byte, error) {
	dir := a.Folder()
	file := filepath.Join(dir, "marker.key")
	for range 2 {
		key, err := os.ReadFile(file)
		switch {
		case err == nil && len(key) == 32:
			return key, nil
		case err == nil:
			return nil, fmt.Errorf("%s has %d bytes and not 32: put the right one back, or issues that were filed are not known again", file, len(key))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		if err := writeOnce(file, key); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s cannot be read back", file)
}

// writeOnce makes a file that is there whole or not at all, and never replaces one.
func writeOnce(file string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file)
}
