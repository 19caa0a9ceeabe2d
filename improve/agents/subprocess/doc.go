// Package subprocess runs one foreign program: an agent, or the tests of a project
// that nobody has looked at.
//
// The program gets a clean environment, a home and a temporary folder of its own,
// a sandbox where the system has one, which hides what Setting.Hide names, such as a
// person's Secrets, and limits on its time and its output. It
// and all that it started are gone when Run returns. What it writes goes to a log
// through a redactor, whole lines at a time.
//
// It knows no agent and no project, reads nothing of this process's environment
// by itself, and never passes on what opens a forge.
//
//	place, err := child.Open(child.Setting{Dir: worktree, Hide: child.Secrets(os.LookupEnv)})
//	if err != nil {
//		return err
//	}
//	defer place.Close()
//	end, err := place.Run(ctx, child.Program{
//		Argv: []string{"go", "test", "./..."},
//		Env:  child.Environ(os.LookupEnv, place.Home),
//		Time: 10 * time.Minute, Output: 8 << 20, Log: file,
//	})
//	// err: not installed, too long, too much; end.Exit: what it said itself
package subprocess
