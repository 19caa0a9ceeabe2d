package improve

// Bounds of what a Reflector keeps of one session, however long it is.
const (
	maxCalls    = 2000 // different calls that are counted
	maxFaults   = 500  // different errors
	maxTools    = 200  // tools by name
	maxAlarms   = 100  // different loops
	maxDenied   = 100  // different calls that a person said no to
	maxGuessed  = 200  // different paths that are not there
	maxOpen     = 256  // calls that wait for a result
	maxAngry    = 200  // different messages of a person that complain
	maxPrompts  = 64   // prompts that a new one is compared with
	maxSamples  = 3    // places that a pattern quotes
	maxPatterns = 10   // patterns of one type
	maxFaint    = 16   // errors below the threshold
	maxExcerpt  = 160  // bytes of a quotation
	maxWindow   = 8192 // bytes that are redacted to make one
	maxLabel    = 300  // bytes of a text that names a trouble
)

// tally is one thing that is counted, with where it was seen first.
type tally struct {
	n       int
	seen    int // the newest message that showed it
	tool    string
	label   string // what it is about, as it was written
	sign    string // the same, folded
	detail  string
	command string // of an error: a command line that failed so
	check   string // the command that would have shown it
	why     int    // how many of them came with a reason
	gave    uint64 // of a call: its newest result, hashed
	failed  bool   // of a call: its newest result is an error
	samples []Sample
}

// table counts different things within a bound. When it is full, what was seen
// once and longest ago is evicted; what recurs stays.
type table struct {
	max  int
	rows map[string]*tally
	lost int // occurrences of rows that were not taken in, or were evicted
}

func newTable(most int) table { return table{max: most, rows: map[string]*tally{}} }

// at returns the count of a thing, nil where the table is full of things that
// recur.
func (t *table) at(key string, seen int) *tally {
	row := t.rows[key]
	if row == nil {
		if len(t.rows) >= t.max {
			t.sweep(seen)
		}
		if len(t.rows) >= t.max {
			t.lost++
			return nil
		}
		row = &tally{}
		t.rows[key] = row
	}
	row.n++
	row.seen = seen
	return row
}

// sweep forgets the older half of what was seen once.
func (t *table) sweep(now int) {
	oldest := now
	for _, row := range t.rows {
		if row.n == 1 {
			oldest = min(oldest, row.seen)
		}
	}
	for key, row := range t.rows {
		if row.n == 1 && row.seen <= oldest+(now-oldest)/2 {
			delete(t.rows, key)
			t.lost++
		}
	}
}
