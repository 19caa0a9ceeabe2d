//go:build unix

// Command chat measures the terminal chat as a person meets it: the real binary on
// a pty. It prints a table and judges nothing.
//
//	go run ./bench/chat
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/trimtab/trimtab/internal/term"
)

func main() {
	binary := flag.String("trimtab", "", "measure this `binary` instead of building ./cmd/trimtab")
	runs := flag.Int("runs", 10, "starts to measure")
	messages := flag.Int("messages", 10000, "messages of the long session")
	flag.Parse()
	if err := measure(*binary, *runs, *messages); err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func measure(binary string, runs, messages int) error {
	dir, err := os.MkdirTemp("", "trimtab-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "trimtab")
		build := exec.Command("go", "build", "-o", binary, "./cmd/trimtab")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return err
		}
	}
	d := setup{dir: dir, binary: binary, project: filepath.Join(dir, "mill")}
	if err := os.Mkdir(d.project, 0o750); err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n| figure | median | best | goal |\n|---|---|---|---|\n", time.Now().UTC().Format("2006-01-02 15:04"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if err := d.first(runs); err != nil {
		return err
	}
	if err := d.long(runs, messages); err != nil {
		return err
	}
	return d.idle()
}

// setup is a person's place.
type setup struct{ dir, binary, project string }

func (d setup) command(args ...string) *exec.Cmd {
	cmd := exec.Command(d.binary, args...)
	cmd.Dir = d.project
	cmd.Env = []string{
		"HOME=" + d.dir, "TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"),
		"TRIMTAB_DATA=" + filepath.Join(d.dir, "data"), "TRIMTAB_MODELS_DEFAULT=demo",
	}
	return cmd
}

// seat is a chat on a pty.
type seat struct {
	cmd    *exec.Cmd
	file   *os.File
	begun  time.Time
	mu     sync.Mutex
	screen *term.Screen
	grown  chan struct{}
}

func (d setup) sit(args ...string) (*seat, error) {
	s := &seat{cmd: d.command(args...), screen: term.NewScreen(100, 30), grown: make(chan struct{}, 1), begun: time.Now()}
	var err error
	if s.file, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		return nil, err
	}
	go func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := s.file.Read(buf)
			s.mu.Lock()
			_, _ = s.screen.Write(buf[:n])
			answer := s.screen.Answers()
			s.mu.Unlock()
			_, _ = s.file.Write(answer)
			select {
			case s.grown <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return s, nil
}

// until waits for a screen and returns how long after start that was.
func (s *seat) until(holds func(text string) bool) (time.Duration, error) {
	late := time.After(time.Minute)
	for {
		s.mu.Lock()
		text := s.screen.Text()
		s.mu.Unlock()
		if holds(text) {
			return time.Since(s.begun), nil
		}
		select {
		case <-s.grown:
		case <-late:
			return 0, fmt.Errorf("it did not come to that; the screen shows\n%s", text)
		}
	}
}

// leave ends the chat and returns the CPU time that it took in all.
func (s *seat) leave() time.Duration {
	_, _ = io.WriteString(s.file, "\x04")
	_ = s.cmd.Wait()
	_ = s.file.Close()
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

func ready(text string) bool { return strings.Contains(text, "ask something") }

func row(what string, all []time.Duration, goal string) {
	slices.Sort(all)
	fmt.Printf("| %s | %.1f ms | %.1f ms | %s |\n", what, ms(all[len(all)/2]), ms(all[0]), goal)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// first measures the time until the first screen is there.
func (d setup) first(runs int) error {
	var wall, cpu []time.Duration
	for range runs + 1 {
		s, err := d.sit()
		if err != nil {
			return err
		}
		t, err := s.until(ready)
		if err != nil {
			return err
		}
		wall, cpu = append(wall, t), append(cpu, s.leave())
	}
	row("first screen, from start", wall[1:], "≤ 50 ms warm")
	row("CPU of a start and an end", cpu[1:], "")
	return nil
}

// long measures a long session: opening it, and a page up.
func (d setup) long(runs, messages int) error {
	file := filepath.Join(d.dir, "long.json")
	if err := write(file, messages, d.project); err != nil {
		return err
	}
	if out, err := d.command("session", "import", file).CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w: %s", err, out)
	}
	var open, cpu, pages []time.Duration
	var memory []int
	for range runs {
		s, err := d.sit("--continue")
		if err != nil {
			return err
		}
		last := fmt.Sprintf("number %d ", messages)
		t, err := s.until(func(text string) bool { return ready(text) && strings.Contains(text, last) })
		if err != nil {
			return err
		}
		open = append(open, t)
		for range 20 {
			s.mu.Lock()
			before := s.screen.Text()
			s.mu.Unlock()
			s.begun = time.Now()
			_, _ = io.WriteString(s.file, "\x1b[5~") // page up
			t, err := s.until(func(text string) bool { return text != before })
			if err != nil {
				return err
			}
			pages = append(pages, t)
		}
		mb, err := resident(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		memory, cpu = append(memory, mb), append(cpu, s.leave())
	}
	slices.Sort(memory)
	fmt.Printf("| memory with %d messages, after 20 pages | %d MB | %d MB | ≤ 80 MB |\n", messages, memory[len(memory)/2], memory[0])
	row(fmt.Sprintf("a session of %d messages is on the screen, from start", messages), open, "≤ 200 ms")
	row("CPU of that, 20 pages and an end", cpu, "")
	row("a page up in it, key to screen", pages, "no pause")
	return nil
}

// write makes an export of a long session.
func write(file string, messages int, project string) error {
	type part struct {
		Type string `json:"type"`
		Text string `json:"text"`
		By   string `json:"by"`
	}
	type message struct {
		Role    string `json:"role"`
		Content []part `json:"content"`
	}
	list := make([]message, messages)
	for i := range list {
		text := fmt.Sprintf("number %d of them: **bold**, `code`, and prose that goes on for a while so that it wraps at least once.\n\n- a list\n- of two", i+1)
		list[i] = message{"user", []part{{"text", text, "person"}}}
		if i%2 == 1 {
			list[i] = message{"assistant", []part{{"text", text, "model"}}}
		}
	}
	now := time.Now().UTC()
	raw, err := json.Marshal(struct {
		ID       string    `json:"sessionId"`
		Host     string    `json:"host"`
		Project  string    `json:"project"`
		Model    string    `json:"modelId"`
		Title    string    `json:"title"`
		Created  time.Time `json:"createdAt"`
		Updated  time.Time `json:"updatedAt"`
		Messages []message `json:"messages"`
	}{"long", "trimtab", project, "demo", "long", now, now, list})
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// idle measures what the chat takes while nothing happens.
func (d setup) idle() error {
	s, err := d.sit()
	if err != nil {
		return err
	}
	if _, err := s.until(ready); err != nil {
		return err
	}
	time.Sleep(3 * time.Second)
	before, err := spent(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	time.Sleep(10 * time.Second)
	after, err := spent(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	s.leave()
	row("CPU in 10 s of idling", []time.Duration{after - before}, "none")
	return nil
}

// resident is the memory of a process, in MB.
func resident(pid int) (int, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("memory: %w (only Linux tells)", err)
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, err := strconv.Atoi(f[1])
			return kb >> 10, err
		}
	}
	return 0, fmt.Errorf("memory: process %d does not tell", pid)
}

// spent is the CPU time of a process so far, in steps of 10 ms.
func spent(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, fmt.Errorf("idle: %w (only Linux tells)", err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, fmt.Errorf("idle: %q", raw)
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}
