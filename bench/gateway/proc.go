package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// family is a process and those that it started, as /proc knows them. A process
// that forks does so before it answers, so this is asked once.
func family(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, file := range stats {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		child, err1 := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, err2 := strconv.Atoi(fields[1])
		if err1 == nil && err2 == nil {
			children[parent] = append(children[parent], child)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// spent is the CPU time of processes, all threads, from the scheduler's own
// count in nanoseconds. It is 0 where there is none.
func spent(pids []int) (sum time.Duration) {
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range threads {
			b, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			first, _, _ := strings.Cut(string(b), " ")
			if ns, err := strconv.ParseInt(first, 10, 64); err == nil {
				sum += time.Duration(ns)
			}
		}
	}
	return sum
}

// settle waits until processes have rested for a while, or for some seconds:
// what they put off for later belongs to the requests before.
func settle(pids []int) {
	last, quiet := spent(pids), 0
	for i := 0; i < 60 && quiet < 4; i++ {
		time.Sleep(50 * time.Millisecond)
		now := spent(pids)
		quiet++
		if now-last > 500*time.Microsecond {
			quiet = 0
		}
		last = now
	}
}

// resident is the memory that processes hold now, and the most that they held,
// in bytes.
func resident(pids []int) (now, most int) {
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			name, rest, _ := strings.Cut(line, ":")
			fields := strings.Fields(rest)
			if len(fields) == 0 {
				continue
			}
			kb, err := strconv.Atoi(fields[0])
			switch {
			case err != nil:
			case name == "VmRSS":
				now += kb << 10
			case name == "VmHWM":
				most += kb << 10
			}
		}
	}
	return now, most
}
