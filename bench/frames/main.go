// Command frames makes up long sessions in which frames have something to do,
// and writes them as exports: to replay, to import, to draw. The same sessions
// come out every time. It calls no model and opens no connection.
//
//	go run ./bench/frames DIR
//	trimtab replay --frames DIR/*.json
//	trimtab session import DIR/1-eight-tasks-asked.json && trimtab frame graph frames.html
//
// In some the person's commands push and pop a frame for each task; in others
// there are none, and all is left to the heuristics. Texts are of no meaning, but
// of the sizes that agents' messages have; goals, file names and the verdicts of
// test runs are such as the heuristics look for.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/frames DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "frames:", err)
		os.Exit(1)
	}
}

// write puts every session into a file of the folder.
func write(dir string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for i, p := range plans() {
		if err := p.write(dir, i+1, out); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// write makes one session, writes it and says where.
func (p plan) write(dir string, n int, out io.Writer) error {
	doc, err := p.make(uint64(n)).document()
	if err != nil {
		return err
	}
	file := filepath.Join(dir, fmt.Sprintf("%d-%s.json", n, p.name))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(doc.WriteJSON(f), f.Close()); err != nil {
		return err
	}
	fmt.Fprintln(out, file)
	return nil
}
