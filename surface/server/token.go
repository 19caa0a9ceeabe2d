package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Token reads the token of the management API and of MCP from a file. Where there
// is no file it makes one that only its owner can read.
func Token(file string) (string, error) {
	for range 2 { // the second time after another process made the file first
		raw, err := os.ReadFile(file)
		if err == nil {
			token := strings.TrimSpace(string(raw))
			if len(token) < 32 {
				return "", fmt.Errorf("%s holds no token; remove it, and a new one is made", file)
			}
			return token, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := makeToken(file); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s could not be read", file)
}

// makeToken never replaces a file: another process may have handed out its token.
func makeToken(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	_, err = fmt.Fprintln(f, hex.EncodeToString(key))
	return errors.Join(err, f.Close())
}
