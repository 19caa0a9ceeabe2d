package chat

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
)

// lostJobs are the commands in the background that ended with an earlier program, by
// session, as long as the model does not know.
type lostJobs struct {
	mu sync.Mutex
	of map[string][]tool.Job
}

// lost are those of a session. The caller holds mu.
func (c *Chat) lost(session string) []tool.Job {
	if c.log == nil {
		return nil
	}
	jobs, known := c.gone.of[session]
	if !known {
		if _, own := c.mine.Load(session); !own {
			release, free := c.Claim(session)
			if !free { // the other program runs, and so does what it started
				return nil
			}
			release()
		}
		if c.gone.of == nil {
			c.gone.of = map[string][]tool.Job{}
		}
		jobs = c.log.Jobs(session) // of another program: this one asks before it writes
		c.gone.of[session] = jobs
	}
	return jobs
}

// keepJobs keeps what runs in the background, for the program after this one.
func (c *Chat) keepJobs(session string, running []tool.Job) {
	c.gone.mu.Lock()
	defer c.gone.mu.Unlock()
	// Where it is not kept, nobody is told later that it is gone, and nothing else is lost.
	_ = c.log.KeepJobs(session, slices.Concat(c.lost(session), running))
}

// LostJobs says, for the person, what ran in the background when the program ended that
// had the session before; "" where nothing did. The model is told with the next prompt.
func (c *Chat) LostJobs(session string) string {
	c.gone.mu.Lock()
	defer c.gone.mu.Unlock()
	jobs := c.lost(session)
	if len(jobs) == 0 {
		return ""
	}
	return "what ran in the background ended when trimtab was closed: " + jobNames(jobs)
}

// aside is what the model is told beside a prompt.
func (c *Chat) aside(session string) (texts []trimtab.Text, told func()) {
	ended, know := c.folder.EndedJobs(session)
	for _, j := range ended {
		texts = append(texts, aside(fmt.Sprintf("The background command %s has %s; bash_job reads what it wrote. (Trimtab says this, not the person; it holds from now on.)", jobNames([]tool.Job{j}), j.State())))
	}
	c.gone.mu.Lock()
	defer c.gone.mu.Unlock()
	lost := c.lost(session)
	if len(lost) > 0 {
		texts = append(texts, aside("Trimtab was closed since, and what ran in the background ended with it: "+jobNames(lost)+". Start again what is still needed. (Trimtab says this, not the person; it holds for what was started before this prompt.)"))
	}
	return texts, func() {
		know()
		if len(lost) > 0 {
			c.forgetLost(session)
		}
	}
}

func aside(text string) trimtab.Text { return trimtab.Text{By: trimtab.Host, Text: text} }

// forgetLost keeps only what runs now.
func (c *Chat) forgetLost(session string) {
	c.gone.mu.Lock()
	c.gone.of[session] = nil
	c.gone.mu.Unlock()
	c.folder.TellJobs(session)
}

func jobNames(jobs []tool.Job) string {
	var out []string
	for _, j := range jobs {
		out = append(out, fmt.Sprintf("%s (%s)", j.ID, trimtab.Clip(strings.Join(strings.Fields(j.Command), " "), 100)))
	}
	return strings.Join(out, ", ")
}
