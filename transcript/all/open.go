// Package all is the one place that knows all readers: it opens any file in which
// an agent keeps its sessions, whichever agent that is.
//
// The format is found by looking at the file, or named. It opens files for reading
// only, never looks for them itself, and decides nothing about what it reads.
//
//	file, err := pick.Open(ctx, path, "")
//	if err != nil {
//		return err
//	}
//	defer file.Close()
//	for info, err := range file.Sessions(ctx) {
//		for item, err := range file.Read(ctx, info.ID, transcript.Options{}) {
//			…
//		}
//	}
package all

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
	"github.com/trimtab/trimtab/transcript/codex"
	"github.com/trimtab/trimtab/transcript/gemini"
	"github.com/trimtab/trimtab/transcript/goose"
	"github.com/trimtab/trimtab/transcript/opencode"
	"github.com/trimtab/trimtab/transcript/pi"
	"github.com/trimtab/trimtab/transcript/qwen"
)

// Hosts lists the names of the hosts whose files can be read.
func Hosts() []string {
	var names []string
	for _, h := range host.All() {
		if len(h.Sessions) > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// Reader returns the reader of a host that keeps a session as lines; nil for any
// other.
func Reader(name string) transcript.Reader {
	switch name {
	case "claude":
		return claude.Read
	case "codex":
		return codex.Read
	case "gemini":
		return gemini.Read
	case "qwen":
		return qwen.Read
	case "pi":
		return pi.Read
	}
	return nil
}

// exportReader is the reader of what a host writes on request, beside its own files; nil for
// any other kind of file.
func exportReader(kind string) transcript.Reader {
	switch kind {
	case opencode.Host:
		return opencode.ReadExport
	case transcript.ClaudeExport:
		return claude.ReadExport
	}
	return nil
}

// headSize is how much of a file is looked at to know whose it is.
const headSize = 64 << 10

// Open opens a file of a host's sessions. Where host is "", it is found out.
func Open(ctx context.Context, path, host string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // to open a pipe would wait for somebody who writes
		return nil, fmt.Errorf("%w: %s is not a regular file; write what it gives into one first", trimtab.ErrDamaged, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	kind, err := look(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	if kind == transcript.SQLite {
		if err := f.Close(); err != nil {
			return nil, err
		}
		return openDatabase(ctx, path, host)
	}
	export := exportReader(kind)
	if export != nil {
		kind, _, _ = strings.Cut(kind, " ")
	}
	if host == "" {
		host = kind
	}
	read := Reader(host)
	if export != nil && host == kind {
		read = export
	}
	if read == nil {
		return nil, errors.Join(unknown(path, host), f.Close())
	}
	return &File{Host: host, Source: &lines{file: f, host: host, read: read}}, nil
}

// File is an open file of a host's sessions.
type File struct {
	Host string
	transcript.Source
}

// look says whose file it is, as far as its beginning tells, and goes back there.
func look(f *os.File) (string, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	_, err = f.Seek(0, io.SeekStart)
	return transcript.Detect(head[:n]), err
}

// openDatabase opens a database by its tables, or as the named host's.
func openDatabase(ctx context.Context, path, host string) (*File, error) {
	var errs []error
	if host == "" || host == opencode.Host {
		s, err := opencode.Open(ctx, path)
		if err == nil {
			return &File{Host: opencode.Host, Source: s}, nil
		}
		errs = append(errs, err)
	}
	if host == "" || host == goose.Host {
		s, err := goose.Open(ctx, path)
		if err == nil {
			return &File{Host: goose.Host, Source: s}, nil
		}
		errs = append(errs, err)
	}
	if host == "" || len(errs) == 0 {
		return nil, unknown(path, host)
	}
	return nil, errors.Join(errs...)
}

func unknown(path, host string) error {
	switch host {
	case "":
		return fmt.Errorf("%w: %s is not a file of sessions that can be read; those of %s can", trimtab.ErrDamaged, path, strings.Join(Hosts(), ", "))
	case opencode.Host, goose.Host:
		return fmt.Errorf("%w: %s is not a database, and %s keeps its sessions in one", trimtab.ErrDamaged, path, host)
	}
	return fmt.Errorf("%w: %s cannot be read as a file of %q; give one of %s", trimtab.ErrDamaged, path, host, strings.Join(Hosts(), ", "))
}
