// Package instruct reads what a project has to say to agents: its AGENTS.md files,
// from the root of the repository down to the folder of the session.
//
// They are somebody's words that end up in the system prompt, so a file counts
// only where the person trusts what it says, never from above the repository, never
// through a link that leads out of it, and only up to a size. What is left out is
// named with the reason. The package decides nothing about trust: it reads a file
// once, hands the bytes to whoever decides, and uses those same bytes.
//
//	found, err := instruct.Read(dir, func(f instruct.File) (why string) {
//		return notTrusted(f.Path, f.Text) // "" lets it speak
//	})
//	if err != nil {
//		return err
//	}
//	system += found.Text
//	for _, left := range found.Left {
//		fmt.Fprintln(os.Stderr, left)
//	}
package instruct

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// Name is the file that is looked for.
const Name = "AGENTS.md"

// The limits of what is read.
const (
	maxFile    = 32 << 10
	maxAll     = 64 << 10
	maxFolders = 64
)

// Found is what a project says.
type Found struct {
	Text  string   // for the system prompt; "" if there is nothing
	Files []string // that are in it, from the root of the repository on
	Left  []Left
}

// Left is a file that was left out, or a part of one.
type Left struct {
	File string
	Why  string
}

func (l Left) String() string { return l.File + ": " + l.Why }

// LeftOut tells what was left out, a line for each reason.
func (f Found) LeftOut() string {
	var reasons []string
	files := map[string][]string{}
	for _, l := range f.Left {
		if files[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		files[l.Why] = append(files[l.Why], l.File)
	}
	var b strings.Builder
	for _, why := range reasons {
		fmt.Fprintf(&b, "%s: %s\n", strings.Join(files[why], ", "), why)
	}
	return b.String()
}

// Read reads the instructions that hold in a folder and that the person trusts:
// for each file, refused says why it may not speak, or "". The nearest file comes
// last, so that it has the last word.
func Read(dir string, refused func(File) (why string)) (Found, error) {
	files, left, err := Find(dir)
	if err != nil {
		return Found{}, err
	}
	found, budget := Found{Left: left}, maxAll
	for _, f := range slices.Backward(files) { // the nearest first: it matters most
		text := f.words()
		why := refused(f)
		if why == "" && len(text) > budget {
			why = fmt.Sprintf("with the nearer ones it is over %d KiB", maxAll>>10)
		}
		if why != "" {
			found.Left = append(found.Left, Left{f.Name, "left out: " + why})
			continue
		}
		if f.Cut {
			found.Left = append(found.Left, Left{f.Name, fmt.Sprintf("cut: only its first %d KiB are read", maxFile>>10)})
		}
		budget -= len(text)
		found.Files = append(found.Files, f.Name)
		found.Text = fmt.Sprintf("\n# From the project's %s\n\n%s\n", termsafe.Line(f.Name), text) + found.Text
	}
	slices.Reverse(found.Files)
	slices.SortStableFunc(found.Left, func(a, b Left) int { return len(a.File) - len(b.File) }) // each folder is inside the one before it
	return found, nil
}

// Find reads the files that speak in a folder, whether or not anybody trusts them,
// from the root of the repository on, and names those that cannot be used.
func Find(dir string) ([]File, []Left, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", Name, err)
	}
	top := repository(abs)
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", Name, err)
	}
	defer root.Close()
	var files []File
	var left []Left
	for _, name := range slices.Backward(names(top, abs)) {
		f := File{Path: filepath.Join(top, name), Name: filepath.ToSlash(name)}
		if why := f.read(root, name); why != "" {
			left = append(left, Left{f.Name, "left out: " + why})
		} else if f.words() != "" {
			files = append(files, f)
		}
	}
	return files, left, nil
}

// repository is the folder, from dir upward, that holds the repository; dir itself
// where there is none.
func repository(dir string) string {
	here := dir
	for range maxFolders {
		if _, err := os.Lstat(filepath.Join(here, ".git")); err == nil {
			return here
		}
		up := filepath.Dir(here)
		if up == here {
			break
		}
		here = up
	}
	return dir
}

// names are where a file may be, from the folder up.
func names(top, dir string) []string {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		rel = "."
	}
	var out []string
	for here := rel; ; here = filepath.Dir(here) {
		out = append(out, filepath.Join(here, Name))
		if here == "." || len(out) == maxFolders {
			break
		}
	}
	return out
}
