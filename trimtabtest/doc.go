// Package trimtabtest plays session scripts: readable transcripts of what was
// said in a session and what the model then sees. Use it to test your own
// intervention the way Trimtab tests its own. It never calls a model.
//
// A script is a text file. A line is something that happens; a line that begins
// with "| " is what came of it, checked by the test:
//
//	# The reminder comes after eight steps without a todo write.
//	person: tidy this up
//	work 8
//	call
//	| + todo/reminder after m17: 8 steps without a todo write
//	see 2
//	| tool     bash: ok
//	| todo     8 steps have passed since …
//
// Run plays every script that matches a pattern and compares:
//
//	func TestSessions(t *testing.T) {
//		trimtabtest.Run(t, "testdata/*.session", func(config []byte) (*trimtab.Engine, error) {
//			return trimtab.New(trimtab.Config{}, trimtab.Use(mine.New()))
//		})
//	}
//
// With TRIMTABTEST_UPDATE=1 in the environment it writes the outcome into the
// files instead; read the difference before you keep it.
//
// # What can happen
//
//	config {…}            settings, handed to the function that builds the engine
//	sub ID                the session belongs to a sub-agent of session ID
//	agent claude          the session is one of this agent
//	clock +5m             time passes (or, with -, goes back)
//	person: TEXT          a person typed TEXT (\n is a line break)
//	person answers: TEXT  the same, in one message with the results of all open calls
//	host: TEXT            the host added TEXT to the person's side
//	model: TEXT           the model replied
//	model calls NAME {…}  the model replied with a tool call; more follow after " & "
//	tool: TEXT            the oldest open call returned TEXT
//	tool fails: TEXT      the oldest open call failed
//	work N [NAME]         N rounds of call, tool call NAME (bash), result
//	call                  a request leaves for the model (without todos: it offers no todo tool)
//	use NAME {…}          a tool is about to run
//	stop [again]          the agent is about to end its turn
//	ask COMMAND ARGS      a person gives a command
//	outside COMMAND ARGS  the same, from outside the conversation
//	model asks COMMAND …  the model gives it
//	restart               the session is stored and loaded
//	resume                the same, and a person opened it again
//	rewrite N             the host compacts its history to the last N messages
//	reset                 the conversation starts over
//
// # What can be looked at
//
//	see [N] [full]        what the model sees: the last N messages, whole texts
//	record [full]         what belongs into an export
//	notes                 every note, its seat and its cause
//	status                the status line
//	title                 the session's title
//	state NAME            the memory of an intervention
//	price                 tokens added and cached prefix lost so far
package trimtabtest
