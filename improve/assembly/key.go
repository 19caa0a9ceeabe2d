package assembly

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// keyName is the name of the key in the store and in the folder. Keys that differ from the
// first have their sum behind it.
const keyName = "marker.key"

// MarkerKeys are the keys that sign what we file, so that every worker of a store knows it
// again; the first one signs. Who has one could make us take their issue for ours, so they
// stay in the store and in this folder, from which a store that was lost gets it back.
func (a *Assembly) MarkerKeys(ctx context.Context) ([][]byte, error) {
	q, err := a.opt.Queue(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(a.Folder(), keyName)
	mine, err := os.ReadFile(file)
	switch {
	case err == nil && len(mine) != keySize:
		return nil, fmt.Errorf("%s has %d bytes and not %d: put the right one back, or issues that were filed are not known again", file, len(mine), keySize)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	first := mine
	if mine == nil {
		first = make([]byte, keySize)
		_, _ = rand.Read(first) // never fails
	}
	kept, err := q.SaveOnce(ctx, "", improve.File{Name: keyName, Body: first})
	if err != nil {
		return nil, err
	}
	if mine == nil {
		if err := os.MkdirAll(a.Folder(), 0o700); err != nil {
			return nil, err
		}
		if err := writeOnce(file, kept.Body); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	} else if !bytes.Equal(mine, kept.Body) { // filed under before there was a store for all
		sum := sha256.Sum256(mine)
		if _, err := q.SaveOnce(ctx, "", improve.File{Name: keyName + "." + hex.EncodeToString(sum[:8]), Body: mine}); err != nil {
			return nil, err
		}
	}
	return storedKeys(ctx, q, kept.Body)
}

// keySize is that of a key, in bytes.
const keySize = 32

// storedKeys are all keys of the store, this one first.
func storedKeys(ctx context.Context, q improve.FileStore, first []byte) ([][]byte, error) {
	all, err := q.Files(ctx, "")
	if err != nil {
		return nil, err
	}
	keys := [][]byte{first}
	for _, f := range all {
		if !strings.HasPrefix(f.Name, keyName) {
			continue
		}
		if len(f.Body) != keySize {
			return nil, fmt.Errorf("%s in the store has %d bytes and not %d: issues that were filed would not be known again", f.Name, len(f.Body), keySize)
		}
		if f.Name != keyName {
			keys = append(keys, f.Body)
		}
	}
	return keys, nil
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
