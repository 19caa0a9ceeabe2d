package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/surface/hook/spool"
)

// ReflectRequest asks for a look back at a session that stopped. A stop leaves one behind
// and goes on: looking back takes longer than a host should wait, so another
// process does it.
type ReflectRequest struct {
	Session    string    `json:"session"`
	Host       string    `json:"host"`
	Project    string    `json:"project"`              // the folder that the agent worked in
	Transcript string    `json:"transcript,omitempty"` // the host's own file, where it named one
	At         time.Time `json:"at"`
}

// Limits of the folder of requests: what is larger or more is left alone.
const (
	maxRequest  = 64 << 10 // bytes
	maxRequests = 4096
	oldRequest  = 7 * 24 * time.Hour
)

func requestFolder(data string) string { return filepath.Join(spool.Folder(data), "reflect") }

// Leave puts a request into the folder for data. Names sort by time.
func (w ReflectRequest) Leave(data string, pid int) error {
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if len(text) > maxRequest {
		return fmt.Errorf("a request of %d bytes is over the limit of %d", len(text), maxRequest)
	}
	dir := requestFolder(data)
	name := fmt.Sprintf("%019d-%d.json", w.At.UnixNano(), pid)
	tmp := filepath.Join(dir, "."+name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err = os.WriteFile(tmp, text, 0o600); err == nil {
		err = os.Rename(tmp, filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// ParseReflectRequest reads a request.
func ParseReflectRequest(text []byte) (w ReflectRequest, err error) {
	if len(text) > maxRequest {
		return w, fmt.Errorf("over the limit of %d bytes", maxRequest)
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return ReflectRequest{}, err
	}
	if w.Session == "" || w.Session != usable(w.Session) {
		return ReflectRequest{}, fmt.Errorf("invalid session id %.40q", w.Session)
	}
	return w, nil
}

// TakeReflectRequests takes the requests of a project out of the folder, one a session: the
// newest. Of several processes that do so at once, each request goes to one. What is
// unreadable or a week old is removed; the error says what could not be read.
func TakeReflectRequests(data, project string, now time.Time, pid int) ([]ReflectRequest, error) {
	dir := requestFolder(data)
	d, err := os.Open(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(maxRequests)
	_ = d.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	var all []ReflectRequest
	var problems []error
	for _, name := range names {
		path := filepath.Join(dir, name)
		w, err := readRequest(path)
		switch {
		case errors.Is(err, os.ErrNotExist): // another process was faster
			continue
		case err != nil || now.Sub(w.At) > oldRequest:
			if !strings.HasPrefix(name, ".") || old(path, now) { // another may be writing it
				_ = os.Remove(path)
			}
			if err != nil && !strings.HasPrefix(name, ".") {
				problems = append(problems, fmt.Errorf("a request to reflect, %s: %w", name, err))
			}
			continue
		case w.Project != project || strings.HasPrefix(name, "."):
			continue
		}
		mine := filepath.Join(dir, ".taken-"+strconv.Itoa(pid)+"-"+name)
		if os.Rename(path, mine) != nil {
			continue
		}
		_ = os.Remove(mine)
		all = slices.DeleteFunc(all, func(o ReflectRequest) bool { return o.Session == w.Session })
		all = append(all, w)
	}
	return all, errors.Join(problems...)
}

func old(path string, now time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && now.Sub(info.ModTime()) > oldRequest
}

func readRequest(path string) (ReflectRequest, error) {
	f, err := os.Open(path)
	if err != nil {
		return ReflectRequest{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRequest+1))
	if err != nil {
		return ReflectRequest{}, err
	}
	return ParseReflectRequest(text)
}
