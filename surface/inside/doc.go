// Package inside takes commands that are given from inside an agent's screen: in the
// shell that the agent has for its person, or by a slash command of ours that the agent
// knows for one run. It finds the session of the run, and tells the person's commands
// from the model's, who has a shell too.
//
// A command that the model may give is carried out at once. One that only a person may
// give is put aside under a token, and the token is printed. The agent shows the output
// of its person's commands to the model in words of its own, which are in the rows of
// package host, and that of the model's as the result of a tool. So the gateway of the
// run sees in the next request who gave the command: it is carried out, or dropped.
//
// In a terminal beside the agent nothing of this is needed: whoever types there is not
// inside of a run. A model that leaves the environment of its run is a program of the
// person's own account, and no boundary holds it back: see SECURITY.md.
//
//	place := inside.Locate(data, os.Getenv(inside.Variable), folder)
//	answer, err := place.Ask(engine, session, "mode", []string{"research"}, now)
package inside
