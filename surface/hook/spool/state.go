package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// State is what an answer from the database leaves behind for the calls after it.
type State struct {
	Quiet  int      // tool calls for which nothing can be due; below 0 none need be kept
	Guard  bool     // a tool may be refused
	Since  int      // messages of the session when the host was started
	Recent []uint64 // marks of the newest tool calls, the oldest first
}

const (
	stateName = "state"
	maxState  = 4096
	maxRecent = 8
)

// Saw adds the mark of a tool call.
func (s State) Saw(mark uint64) State {
	if mark == 0 {
		return s
	}
	all := append(append([]uint64(nil), s.Recent...), mark)
	s.Recent = all[max(0, len(all)-maxRecent):]
	return s
}

var errState = errors.New("the hook's state is unreadable")

// State reads what was left behind. There is an error where nothing was.
func (b Box) State() (State, error) {
	f, err := os.Open(filepath.Join(b.dir, stateName))
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	var buf [maxState]byte
	n, err := f.Read(buf[:])
	if err != nil {
		return State{}, err
	}
	return parse(string(buf[:n]))
}

// parse reads "trimtab 3 QUIET GUARD SINCE MARK…" and its end of line, without
// which it was cut short.
func parse(text string) (s State, err error) {
	text, whole := strings.CutSuffix(text, "\n")
	words := strings.Fields(text)
	if !whole || len(words) < 5 || words[0] != "trimtab" || words[1] != "3" {
		return State{}, errState
	}
	var numbers [3]int
	for i := range numbers {
		if numbers[i], err = strconv.Atoi(words[2+i]); err != nil {
			return State{}, errState
		}
	}
	s = State{Quiet: numbers[0], Guard: numbers[1] != 0, Since: numbers[2]}
	for _, w := range words[5:] {
		m, err := strconv.ParseUint(w, 16, 64)
		if err != nil {
			return State{}, errState
		}
		s = s.Saw(m)
	}
	return s, nil
}

// Leave writes the state.
func (b Box) Leave(s State, pid int) error {
	guard := "0"
	if s.Guard {
		guard = "1"
	}
	text := "trimtab 3 " + strconv.Itoa(s.Quiet) + " " + guard + " " + strconv.Itoa(s.Since)
	for _, m := range s.Recent {
		text += " " + strconv.FormatUint(m, 16)
	}
	return b.write(stateName, []byte(text+"\n"), pid)
}
