package tool

// Config is what a person may set about the tools. A project may set none of it:
// it would allow itself what it likes.
type Config struct {
	Allow   []string `json:"allow" guard:"user" doc:"commands that bash runs without asking, such as git status or go test *; every part of a command must be allowed"`
	Looks   *bool    `json:"looks" guard:"user" default:"true" doc:"in a sandbox, commands that only show what is in the project, such as ls or git diff, need no question"`
	Seconds int      `json:"seconds" guard:"user" default:"120" min:"1" max:"600" doc:"how long a command may run, where the model does not say; never over 600"`
	Output  int      `json:"output" guard:"user" default:"49152" min:"2048" max:"262144" doc:"how much of a command's output the model sees, in bytes; the beginning and the end are kept"`
	Env     []string `json:"env" guard:"user" doc:"variables that commands get although their names or values look like a secret"`
}
