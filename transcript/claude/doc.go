// Package claude reads the sessions that Claude Code keeps as JSON lines under
// its projects folder.
//
// Claude Code writes a line per content block, beside a great deal of
// bookkeeping. Read gives back the conversation: each reply of the model is one
// message, with the results of its tools behind it, and each span of text has
// its author. Only what a person typed is a Person's: reminders, hook feedback,
// command output, compaction summaries and sub-agents' prompts look like user
// messages in the file and are the Host's here. What Claude Code put before the
// model on its own is a message where the file has the words.
//
// Going back to an earlier prompt leaves the old lines in the file. A file that
// can be read twice is first read for its tree, at about 25 bytes of memory a
// line, and only the conversation that its last line belongs to is
// returned. Any other stream is returned in file order, in flat memory.
//
// The package never writes, and never trusts the file: a line that is not as it
// should be is a transcript.Damaged, and the next one is read.
//
//	file, err := os.Open(path)
//	…
//	for item, err := range claude.Read(file, transcript.Options{}) {
//		if errors.Is(err, trimtab.ErrDamaged) {
//			continue
//		}
//		…
//	}
package claude
