// Package sandbox keeps the commands of our own agent from changing what lies
// outside of the project: they see the whole file system, but for what Options.Hide
// names, and may write to the project folder, to a temporary folder of their own, and
// to what the person names. It uses Landlock, by starting this program again, or
// bubblewrap.
//
// A guarded box (Options.Guard) is for commands that a model chooses in a person's own
// working tree: they cannot write git's hooks and settings, reach a terminal of the
// person's, open a Unix socket (Docker, D-Bus, SSH agent, tmux) or, unless it is asked
// for, the network, and what they leave running ends with them. Status names what the
// system cannot close.
//
// It is no protection from the kernel's own faults. Landlock does not keep a command
// from changing the mode, owner or times of a file outside, nor, before version 9 of
// its interface, from talking to a program outside by a socket in the file system.
// Where the system has neither, commands run as they are and Status says so; with mode
// "require" they do not run.
//
// A hidden path is known by its real place. What has a second one, by a hard link or a
// mount, can be read there, and root can read the disk itself. With Landlock the names
// in hidden folders can be seen, and what appears beside the way to a hidden path, after
// a command began, is hidden from it, too. With bubblewrap a hidden path that did not
// exist when the command began is not hidden.
//
//	func main() {
//		if code, ours := sandbox.Main(os.Args, os.Stderr); ours {
//			os.Exit(code) // a command that could not be confined
//		}
//		…
//		box, err := sandbox.New(sandbox.Config{}, sandbox.Options{Dir: dir})
//		if err != nil {
//			return err
//		}
//		defer box.Close()
//		fmt.Println(box.Status()) // sandbox: landlock
//		tool, err := folder.Bash(tool.BashOptions{Confine: box.ConfineAs, …})
//	}
package sandbox
