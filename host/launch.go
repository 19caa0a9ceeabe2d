package host

// Launch is how a host is started so that it talks to a gateway, for one run, with
// flags and environment alone. host/launch does it.
type Launch struct {
	Command  string
	Package  string     // of npm, where to get it
	Env      []Var      // {url}, {session}, {origin} and {key} are filled in: {url} is secret, and so is {key}, its last part
	Args     []string   // before the person's own; {file} is the file below, {self} the trimtab program. Every user can read them: only {origin}, never {url} or {key}
	Keys     []string   // environment variables of which one must be set
	Upstream []Upstream // where the person may have named another provider
	File     File       // written to a folder of the run
	Files    []File     // more of them, by their path in that folder, which is {dir}
	Slash    bool       // with what is above it knows our slash commands, as /trimtab:mode
	Shows    bool       // a line of ours is on its screen
	Inline   Var        // JSON that joins what the variable holds already
	Status   StatusLine
	Model    ModelChoice
}

// ModelChoice is how a person names the model of a run: by a flag or by a variable.
type ModelChoice struct{ Flag, Variable string }

// Upstream is the variable that names the address of a provider's models.
type Upstream struct{ Provider, Variable string }

// StatusLine is how a host shows a status line of ours.
type StatusLine struct {
	Args []string // {self} is the trimtab program
	File string   // below the home folder: a person who has
	Word string   // this word in it has a status line already
}

// SessionDir is where a host keeps its sessions: files below a folder, by how their
// names begin and end. host/sessions finds it on a machine.
type SessionDir struct {
	Variable string // names another folder in the place of Base; "" is none
	Base     string // below the home folder
	Dir      string // below Base
	Begin    string
	End      []string
}
