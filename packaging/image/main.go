// Command image writes the container image of Trimtab without a container engine and
// without a registry: one layer with the programs, the certificates of public authorities,
// a user who is not root and a folder for data, on nothing. The same programs, version and
// time give the same bytes.
//
//	image -o OUT -version 0.1.0 -time 1700000000 linux/amd64=FOLDER linux/arm64=FOLDER
//
// OUT gets oci/, an image layout with one image for each system, and an archive of each for
// docker load and podman load. A FOLDER holds trimtab and trimtab-hook.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func main() {
	out := flag.String("o", "", "`folder` to write to; what an earlier run left there is replaced")
	version := flag.String("version", "", "`version` of the programs")
	at := flag.Int64("time", 0, "seconds since 1970 that files and image are dated with")
	flag.Parse()
	if err := run(*out, *version, time.Unix(*at, 0).UTC(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(out, version string, at time.Time, targets []string) error {
	if out == "" || version == "" || len(targets) == 0 {
		return errors.New("usage: image -o OUT -version VERSION [-time SECONDS] SYSTEM/PROCESSOR=FOLDER…")
	}
	var index v1.ImageIndex = empty.Index
	for _, target := range targets {
		platform, folder, ok := strings.Cut(target, "=")
		if !ok {
			return fmt.Errorf("%s: give SYSTEM/PROCESSOR=FOLDER, as in linux/amd64=bin", target)
		}
		p, err := v1.ParsePlatform(platform)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		img, err := build(folder, version, at, *p)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := archive(out, version, *p, img); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p}})
	}
	dir := filepath.Join(out, "oci")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	_, err := layout.Write(dir, index)
	return err
}

// archive writes an image as docker load and podman load read it.
func archive(out, version string, p v1.Platform, img v1.Image) error {
	tag, err := name.NewTag("trimtab:" + version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // it is for everyone
		return err
	}
	return tarball.WriteToFile(filepath.Join(out, fmt.Sprintf("trimtab_%s_%s_%s.image.tar", version, p.OS, p.Architecture)), tag, img)
}
