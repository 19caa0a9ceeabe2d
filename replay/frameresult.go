package replay

// FrameResult is what frames come to in one recorded session of a file, for programs too.
type FrameResult struct {
	File    string       `json:"file"`
	Report  *FrameReport `json:"report,omitempty"`
	Damaged int          `json:"damagedLines,omitempty"`
	Error   string       `json:"error,omitempty"`
	Err     error        `json:"-"`
}

// FrameResults are those of several sessions.
type FrameResults []FrameResult

// Add takes a session through frames. One that could not be read is an error in the list.
func (all *FrameResults) Add(file string, s Recorded, unread error, opt FrameOptions) FrameResult {
	r := FrameResult{File: file, Damaged: s.Damaged, Err: unread}
	if r.Err == nil {
		var report FrameReport
		if report, r.Err = Frames(s.Info, s.All(), opt); r.Err == nil {
			r.Report = &report
		}
	}
	if r.Err != nil {
		r.Error = r.Err.Error()
	}
	*all = append(*all, r)
	return r
}

// Reports are those of the sessions that could be read.
func (all FrameResults) Reports() (out []FrameReport) {
	for _, r := range all {
		if r.Report != nil {
			out = append(out, *r.Report)
		}
	}
	return out
}
