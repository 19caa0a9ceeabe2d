package deliberate

import "fmt"

// Outcome is how a run of a debate ended.
type Outcome struct {
	Result
	Paused string `json:"paused,omitempty"` // why
	Out    string `json:"out"`              // the folder of what was written

	held bool
}

// Outcome is how a run ended whose last event is given and whose files are in out.
func (d *Debate) Outcome(last Event, out string) Outcome {
	paused, held := last.(Paused)
	return Outcome{d.Result(), paused.Why, out, held}
}

// Err says how to go on with a debate that failed or paused; nil is one that ended.
func (o Outcome) Err(failed error) error {
	again := "trimtab deliberate --resume " + o.Session
	switch {
	case failed != nil:
		return fmt.Errorf("%w; what was said is kept: %s goes on", failed, again)
	case o.held:
		return fmt.Errorf("the debate is paused: %s; %s goes on", o.Paused, again)
	}
	return nil
}
