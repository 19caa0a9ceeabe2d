// Package project knows a project's own commands and measures changes of it.
//
// It finds how a project is tested, checked and formatted, or takes what a person
// set, and runs one such command in a clean environment, a sandbox where the system
// has one, and limits. It reads a diff and says how many lines and components it
// changes, what in it is unfinished, and whether it has tests.
//
// The tree may be anybody's: its files are read up to a limit and through no
// symbolic link that leads away, its paths are believed only when they are plain, and
// nothing of it is run but the command that was asked for. The package changes no file
// and decides nothing.
//
//	p, err := project.New(project.Config{}, project.Options{Lookup: os.LookupEnv, Redact: redact})
//	…
//	result, has, err := p.Run(ctx, project.Test, worktree, "/logs/test.log")
//	// has is false where no such command is known; result.Exit is the command's own
//	size, err := project.Measure(patch)
//	fmt.Println(size.Lines, size.Components, size.Tests, size.Stubs)
package project
