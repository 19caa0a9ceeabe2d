package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	user = 65532   // nobody else's, and never root's
	data = "/data" // sessions, token, keys' hashes where there is no server for them
)

// build is the image for one system, from the programs in a folder.
func build(folder, version string, at time.Time, p v1.Platform) (v1.Image, error) {
	files, err := layer(folder, at)
	if err != nil {
		return nil, err
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{Layer: l, History: v1.History{Created: v1.Time{Time: at}, CreatedBy: "trimtab packaging/image"}})
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = p.OS, p.Architecture, v1.Time{Time: at}
	file.Config = v1.Config{
		User:         "65532:65532",
		Entrypoint:   []string{"/usr/bin/trimtab"},
		Cmd:          []string{"serve"},
		Env:          []string{"PATH=/usr/bin", "HOME=" + data, "TRIMTAB_DATA=" + data},
		WorkingDir:   data,
		Volumes:      map[string]struct{}{data: {}},
		ExposedPorts: map[string]struct{}{"8787/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "trimtab",
			"org.opencontainers.image.description": "Steers AI agents in long sessions with small, well-timed messages",
			"org.opencontainers.image.version":     version,
			"org.opencontainers.image.source":      "https://github.com/trimtab/trimtab",
			"org.opencontainers.image.licenses":    "MIT",
		},
	}
	return mutate.ConfigFile(img, file)
}

// layer is the whole file system of the image.
func layer(folder string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	var errs []error
	add := func(h tar.Header, body []byte) {
		h.ModTime, h.Size, h.Format = at, int64(len(body)), tar.FormatPAX
		err := w.WriteHeader(&h)
		if err == nil {
			_, err = w.Write(body)
		}
		errs = append(errs, err)
	}
	dir := func(name string, mode int64, owner int) {
		add(tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: mode, Uid: owner, Gid: owner}, nil)
	}
	file := func(name string, mode int64, body []byte) {
		add(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}, body)
	}
	for _, name := range []string{"etc", "etc/ssl", "etc/ssl/certs", "etc/trimtab", "usr", "usr/bin"} {
		dir(name, 0o755, 0)
	}
	dir("tmp", 0o1777, 0)
	dir(data[1:], 0o700, user)
	file("etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\ntrimtab:x:65532:65532:trimtab:/data:/sbin/nologin\n"))
	file("etc/group", 0o644, []byte("root:x:0:\ntrimtab:x:65532:\n"))
	file("etc/ssl/certs/ca-certificates.crt", 0o644, authorities())
	for _, name := range []string{"trimtab", "trimtab-hook"} {
		program, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		file("usr/bin/"+name, 0o755, program)
	}
	errs = append(errs, w.Close())
	return b.Bytes(), errors.Join(errs...)
}

// authorities are those that Mozilla trusts, by the version of a module: what the machine
// trusts on which the image is built does not get into it. One that is trusted only for
// certificates of before a day is left out, since a file of certificates cannot say so.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return b.Bytes()
}
