package fakemodel

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const defaultMaxBody = 32 << 20

// errTooLarge is a body over the limit, packed or unpacked.
var errTooLarge = errors.New("request exceeds the maximum size")

// readBody reads a body whole and undoes its content-encoding. What is too large
// is read to its end all the same, up to a limit, so that the client has written
// its request before it gets the answer.
func readBody(r *http.Request, limit int64) (body []byte, encoding string, err error) {
	encoding = strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	packed, err := readUpTo(r.Body, limit)
	if errors.Is(err, errTooLarge) {
		_, _ = io.CopyN(io.Discard, r.Body, 4*limit)
	}
	if err != nil {
		return nil, encoding, err
	}
	body, err = unpack(packed, encoding, limit)
	return body, encoding, err
}

func unpack(packed []byte, encoding string, limit int64) ([]byte, error) {
	switch encoding {
	case "", "identity":
		return packed, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("content-encoding gzip: %w", err)
		}
		return readUpTo(z, limit)
	case "zstd":
		// One goroutine less, and no memory beyond what a request may have.
		z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)+1))
		if err != nil {
			return nil, fmt.Errorf("content-encoding zstd: %w", err)
		}
		defer z.Close()
		b, err := readUpTo(z, limit)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
			err = errTooLarge
		}
		return b, err
	}
	return nil, fmt.Errorf("content-encoding %q is not supported; send gzip, zstd or none", encoding)
}

func readUpTo(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, nil
}
