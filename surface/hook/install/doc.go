// Package install puts our hooks, our MCP server and a gateway's address into the
// settings of other agents and takes them out again. It edits text: what is not ours keeps its bytes, comments included.
// A plan shows what would change before anything does.
//
//	place, err := install.Find("claude", install.Env{Home: home, Data: data, Getenv: os.Getenv})
//	plan, err := place.Add(install.Want{Hooks: "/usr/local/bin/trimtab-hook"})
//	fmt.Print(plan.Diff())
//	err = plan.Apply(now)
//	…
//	plan, err = place.Remove()
//
// A file that nobody else changed in between comes back byte for byte, from the
// backup. It never writes what a host asks its person to decide, such as Codex's
// trust in a hook, and touches no file but those that a Place names.
package install
