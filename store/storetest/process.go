package storetest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Player is another process at work on the same store: the test's own binary in
// another role.
type Player struct {
	*exec.Cmd
	In  io.WriteCloser
	Out *bufio.Reader
	Err strings.Builder
}

// Cast starts a player.
func Cast(t testing.TB, cmd *exec.Cmd) *Player {
	t.Helper()
	p := &Player{Cmd: cmd}
	p.Stderr = &p.Err
	out, err := p.StdoutPipe()
	if err == nil {
		p.In, err = p.StdinPipe()
	}
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Out = bufio.NewReader(out)
	return p
}

// Line reads a whole line; one that was cut short does not count.
func (p *Player) Line() (string, error) {
	line, err := p.Out.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// Finish waits for the process, which must have gone well.
func (p *Player) Finish(t testing.TB) {
	t.Helper()
	_, _ = io.Copy(io.Discard, p.Out)
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.Err.String())
	}
}

// Kill ends the process at once, if there is one.
func (p *Player) Kill() bool { return p != nil && p.Process.Kill() == nil }

// Kill runs eight writers that print each thing once it is acknowledged, kills one
// of them every 100 ms and starts another in its place, until so many things are
// acknowledged. It returns those.
func Kill(t *testing.T, want int, random *rand.Rand, hire func(writer, life int) *Player) []string {
	c := &writerPool{t: t, want: want, start: hire, done: make(chan struct{}), at: make([]*Player, 8)}
	var wg sync.WaitGroup
	for w := range c.at {
		wg.Go(func() { c.keepWriting(w) })
	}
	go func() {
		wg.Wait()
		close(c.done)
	}()
	kills := c.keepKilling(random)
	t.Logf("%d acknowledged, %d killed", len(c.acked), kills)
	if kills == 0 {
		t.Error("nobody was killed")
	}
	return c.acked
}

// writerPool is eight writers and what they were promised.
type writerPool struct {
	t     *testing.T
	want  int
	start func(writer, life int) *Player
	done  chan struct{}

	mu    sync.Mutex
	acked []string
	at    []*Player
}

func (c *writerPool) keepWriting(w int) {
	for life := 0; ; life++ {
		p := c.hire(w, life)
		if p == nil {
			return
		}
		for {
			text, err := p.Line()
			if err != nil {
				break
			}
			c.ack(text)
		}
		c.mu.Lock()
		c.at[w] = nil
		c.mu.Unlock()
		_ = p.Wait()
		if p.Err.Len() > 0 { // a killed process has nothing to say
			c.t.Errorf("writer %d: %s", w, p.Err.String())
			return
		}
	}
}

// hire starts a writer, unless enough is written.
func (c *writerPool) hire(w, life int) *Player {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.acked) >= c.want {
		return nil
	}
	c.at[w] = c.start(w, life)
	return c.at[w]
}

func (c *writerPool) ack(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked = append(c.acked, text)
	if len(c.acked) == c.want {
		for _, p := range c.at {
			p.Kill()
		}
	}
}

func (c *writerPool) keepKilling(random *rand.Rand) (kills int) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return kills
		case <-tick.C:
			c.mu.Lock()
			if c.at[random.IntN(len(c.at))].Kill() {
				kills++
			}
			c.mu.Unlock()
		}
	}
}
