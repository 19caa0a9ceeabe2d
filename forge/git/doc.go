// Package git runs the git program so that a foreign tree can do no harm.
//
// Hooks, the file system monitor, external diffs, pagers, prompts and submodules
// are off; names never become flags; what git writes is read up to a limit. The
// environment is the one that is handed in, without git's own variables and
// without tokens. A secret for a remote goes to git in its environment, bound to
// the one host it is for, and never stands on a command line, in a file or in an
// error.
//
// It knows no forge and decides nothing: a Program does what one command of git
// does.
//
//	program := git.New(os.Environ())
//	tree := program.In(folder)
//	base, err := tree.Commit(ctx, "refs/remotes/origin/main")
//	…
//	err = tree.AddWorktree(ctx, path, "feat/issue-7-rudder", base)
//	…
//	err = tree.Push(ctx, hub.Remote(), git.Update{Branch: branch, From: "", To: head})
package git
