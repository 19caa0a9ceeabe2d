package improve

import "time"

// Query says which sessions are to be reflected on. The zero value is all of them.
type Query struct {
	Names   []string  // files, folders and ids of sessions; all that hosts keep where there are none
	Host    string    // only sessions of this host
	Since   time.Time // only sessions that were at work since
	Project string    // only sessions that worked in this folder or below

	Exposure bool // have the results tell what each session had the occasion for
}

// Reflection is all that was found in many sessions, and the form in which a program is told.
type Reflection struct {
	At        time.Time       `json:"generated_at"`
	Since     *time.Time      `json:"since,omitempty"`
	Results   []SessionResult `json:"results"`              // a ReflectionResult for each session
	Merged    []Merged        `json:"merged"`               // over all of them, ranked
	Dismissed []Merged        `json:"not_useful,omitempty"` // what people dismissed, apart from Merged
	Hosts     map[string]int  `json:"sessions_by_host"`
	Agents    int             `json:"sub_agents"` // among the results, beside the sessions that started them
	Files     int             `json:"files"`
	Bytes     int64           `json:"bytes"`
	Damaged   int             `json:"damaged_lines"`
	Lines     []DamagedLine   `json:"damaged,omitempty"`     // the first of them
	Ours      int             `json:"own_sessions_skipped"`  // that the improve workflow ran
	Foreign   int             `json:"other_files,omitempty"` // in named folders, that are no sessions
	Unread    []string        `json:"unreadable,omitempty"`  // and why
	Looked    []string        `json:"looked_in,omitempty"`   // where nothing was named
	Metrics   Metrics         `json:"metrics"`               // of all sessions
	Earliest  time.Time       `json:"earliest_session,omitzero"`
	Latest    time.Time       `json:"latest_session,omitzero"`
	Read      *Reading        `json:"read,omitempty"` // by the person's agent, where they asked for it
	By        []Group         `json:"by,omitempty"`   // the same by project, agent or person, where they asked for it

	NamedUnread bool `json:"-"` // a file that the query names could not be read
}

// SessionResult is the result of one session and where it was.
type SessionResult struct {
	Result
	Host    string `json:"host,omitempty"`
	Project string `json:"project,omitempty"`
	File    string `json:"file,omitempty"`
}

// DamagedLine is a line that could not be read.
type DamagedLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// StoppedSession names one session that an agent ended.
type StoppedSession struct {
	Session    string // its id in our store
	Host       string
	Project    string // root of the repository that it worked in; "" where there is none
	Transcript string // the host's own file; "" where it named none
}
