package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab/evidence/command"
)

// A streak is something that fails again and again with no success in between, however
// different the words of its errors are: a tool that does one thing, a command of one
// family, one class of exceptions, the time limit.
type streak struct {
	Key   uint64   `json:"key"`
	Name  string   `json:"name"`
	N     int      `json:"n"`
	Told  int      `json:"told,omitempty"`  // of them, those that an alarm has told
	Last  int      `json:"last,omitempty"`  // the result that was the newest of it
	Reply int      `json:"reply,omitempty"` // the reply that made the newest call
	Signs []uint64 `json:"signs,omitempty"` // the errors, the newest last
	Moved bool     `json:"moved,omitempty"` // something changed since the last failure
	Test  bool     `json:"test,omitempty"`  // it is a test that stays red, whatever it says
	Fails int      `json:"fails,omitempty"` // how many failed beside it the last time
}

// tried reports whether a failure is one of the streak: not another error after a change,
// for that is how work goes on.
func (s *streak) tried(sign uint64) bool {
	fresh := !slices.Contains(s.Signs, sign)
	on := s.Moved && fresh
	s.Moved = false
	if fresh {
		s.Signs = append(slices.Clip(s.Signs), sign)
		s.Signs = s.Signs[max(0, len(s.Signs)-maxSigns):]
	}
	return !on
}

const maxStreaks, maxSigns = 12, 8

// streak counts a result and tells of a streak that is long enough.
func (r Progress) streak(mem ProgressMemory, call pend, result string, failed, late bool) (ProgressMemory, *Alarm) {
	if failed && command.WasRefused(result) { // a person's no, or a call that never ran, is no failure of the tool
		return mem, nil
	}
	keys := streakKeys(call, result, failed, late)
	if !failed {
		over := func(s streak) bool {
			return slices.ContainsFunc(keys, func(k streak) bool { return k.Key == s.Key }) || s.Test && call.Act == run && passes(result)
		}
		if slices.ContainsFunc(mem.Streaks, over) {
			mem.Streaks = slices.DeleteFunc(slices.Clone(mem.Streaks), over)
		}
		return mem, nil
	}
	var alarm *Alarm
	_, sign := fault(result)
	mem.Streaks = slices.Clone(mem.Streaks)
	for n, k := range keys {
		i := slices.IndexFunc(mem.Streaks, func(s streak) bool { return s.Key == k.Key })
		if i < 0 {
			mem.Streaks = append(mem.Streaks, k)
			mem.Streaks = mem.Streaks[max(0, len(mem.Streaks)-maxStreaks):]
			i = len(mem.Streaks) - 1
		}
		s := &mem.Streaks[i]
		if s.N > 0 && s.Reply == mem.Replies { // one reply that fails in several calls fails once
			continue
		}
		s.Reply = mem.Replies
		if call.Shell && k.Key != lateKey && !s.Test && !s.tried(sign) {
			continue
		}
		if before := s.Fails; s.Test {
			s.Fails = k.Fails
			if k.Fails < before { // it stays red, but others came right
				continue
			}
		}
		if k.Key == lateKey && mem.Count-s.Last > recentLate {
			s.N, s.Told = 0, 0
		}
		s.N, s.Last = s.N+1, mem.Count
		most := r.cfg.Family
		if n == 0 && !call.Shell {
			most = r.cfg.Streak
		}
		if alarm == nil && s.N-s.Told >= mem.limit(most) {
			alarm = &Alarm{Kind: Streak, Times: s.N, Why: fmt.Sprintf("`%s` failed %d times with no success in between", s.Name, s.N)}
			if s.Test {
				alarm.Why = fmt.Sprintf("the test `%s` failed %d times in a row", s.Name, s.N)
			}
			if late && k.Key == lateKey {
				alarm.Why = fmt.Sprintf("%d calls ran into the time limit, the newest: `%s`", s.N, call.Name)
			}
		}
	}
	return mem, alarm
}

const (
	lateKey    = 1
	testKey    = 5
	recentLate = 16 // results after which running into the time limit begins anew
)

// streakKeys are what a result counts for: the tool or the family first.
func streakKeys(call pend, result string, failed, late bool) []streak {
	keys := []streak{{Key: call.cause(), Name: call.ToolName}}
	if call.Shell {
		keys[0].Name = call.FamilyName
	}
	if late {
		keys = append(keys, streak{Key: lateKey, Name: "the time limit"})
	}
	if failed && call.Shell {
		if class := exceptionClass(result); class != "" {
			keys = append(keys, streak{Key: mix(xxhash.Sum64String(class) + 4), Name: class})
		}
		if test, fails := failedTest(result); test != "" {
			keys = append(keys, streak{Key: mix(xxhash.Sum64String(test) + testKey), Name: test, Test: true, Fails: fails})
		}
	}
	return keys
}

// failedTest is the name of the first test that an output says has failed, and how many have.
func failedTest(result string) (name string, fails int) {
	all, name, tests := failures(result)
	if !tests {
		return "", 0
	}
	return name, len(all)
}

// passes reports whether an output tells of tests that passed.
func passes(result string) bool {
	_, tail := ends(result, maxEnds)
	if tail == "" {
		tail = result
	}
	return strings.Contains(tail, "passed") || strings.Contains(tail, "passing") || strings.Contains(tail, "PASS") || strings.HasPrefix(tail, "ok ") || strings.Contains(tail, "\nok ")
}

// cause is what a call is about: its tool, or the kind of command that it runs.
func (p pend) cause() uint64 {
	if p.Shell {
		return mix(p.Family + 3)
	}
	return mix(p.Tool + 2)
}

// exceptionClass is the class of the last exception that an output tells of.
func exceptionClass(result string) string {
	_, tail := ends(result, maxEnds)
	if tail == "" {
		tail = result
	}
	for line := range strings.SplitSeq(tail, "\n") {
		if line = strings.TrimSpace(line); exception(line) {
			name, _, _ := strings.Cut(line, ":")
			return name
		}
	}
	return ""
}

// family is the program of a command and what it is told to do: "go test", "npm run build".
func family(command string) string {
	rest := command
	for _, cut := range []string{"&&", ";", "\n"} {
		if i := strings.Index(rest, cut); i >= 0 && strings.HasPrefix(strings.TrimSpace(rest), "cd ") {
			rest = rest[i+len(cut):]
		}
	}
	var words []string
	for w := range strings.FieldsSeq(rest) {
		if len(words) == 0 && (strings.Contains(w, "=") || w == "sudo" || w == "time" || w == "timeout" || w[0]-'0' <= 9) {
			continue
		}
		if strings.HasPrefix(w, "-") && len(words) > 0 && w != "-m" {
			continue
		}
		if strings.ContainsAny(w, "|;&<>") {
			break
		}
		words = append(words, w)
		if n := len(words); n == 3 || n == 2 && words[1] != "run" && words[1] != "-m" && words[1] != "exec" {
			break
		}
	}
	return brief(strings.Join(words, " "), 60)
}
