// Package record writes down what happens to improvements in files: workflow.log in the
// folder of each, and, for a project whose automation_config.json is trusted, the files
// that other tools of that automation look for below its .claude/runtime: an entry in the
// queue, workflow.log once more, and what waits for a person.
//
// The queue of the store decides; these files only tell. What goes wrong with them is told
// and stops no work. Nothing is written outside of the project, whatever links lie in it,
// and all that is written was redacted.
//
//	r := record.New(record.Options{Folder: papers, Redact: redact, Project: settings, Item: queue.Item})
//	r.Changed(it)  // it was filed, approved, rejected …
//	r.Event(ctx, e) // of a worker
package record
