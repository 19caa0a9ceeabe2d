// Package demo is the model that is built in: no key, no network, no surprise.
//
// It behaves like an agent at work, so that steering can be watched: it writes a
// todo list, looks at the folder with the tools it is offered, works for about a
// dozen steps without looking at its list again, notices the notes that it is
// sent, and answers with what it found. It says once in a session that it is a
// demo, and tells nothing of the files that a tool did not tell it. It reads only
// the request: it keeps no state, opens no file and never guesses. The same
// request gets the same reply.
//
//	model := demo.New(demo.Options{Delay: 15 * time.Millisecond})
//	reply, _, err := llm.Collect(model.Stream(ctx, llm.Request{Messages: view, Tools: offered}))
//
// # Scripts
//
// Parse reads a script, and Play returns a model that plays it, for tests and
// tutorials. A script is text, line by line:
//
//	# a comment; empty lines count for nothing
//	reply                        begins a reply
//	say I look around.           a line of its text; "say" alone is an empty line
//	call list {"path": "."}      a tool call; the rest of the line is its input, {} if none
//
//	reply when tidy              a reply to prompts that hold "tidy", in any case
//	say There is nothing to tidy.
//
//	reply
//	say Half a sent
//	fail the line is dead        the reply breaks off here with this error
//
// The replies are played in order, one for each request. One whose words the
// newest prompt does not hold is left out. After the last one the model says that
// the script is over. Where a script stands is seen from the request, so a resumed
// session goes on where it was; a reply that failed is over when the person prompts
// again.
package demo
