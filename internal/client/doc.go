// Package client installs and runs the real agents for end-to-end tests.
//
// It holds, as data, which versions are pinned, how each is installed from npm
// into a cache folder, and the flags, environment and settings files with which
// each runs headless against a model on loopback. It never touches the user's
// own installation or settings: every run has a home folder of its own, and of
// the caller's environment only what a program needs to start.
//
//	paths, err := client.Install(ctx, "claude")
//	…
//	cmd, err := client.Command("claude", model.URL, "say hello")
//	…
//	cmd.Home = t.TempDir()
//	result, err := cmd.Run(ctx, paths)
//	fmt.Println(result.Exit, result.Stdout)
//
// With an empty URL the command leaves out all that points at a model: that is
// for runs through `trimtab run`, which adds it.
package client
