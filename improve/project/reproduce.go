package project

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// maxReproduce is how long a command of a session may take.
const maxReproduce = 5 * time.Minute

// runners are the programs that run a project's own code, beside those that check it.
var runners = []string{
	"go", "cargo", "python", "python3", "node", "ruby", "php", "perl", "deno", "bun", "npm", "pnpm", "yarn", "npx", "uv", "poetry", "bundle", "rake", "mix", "dotnet", "swift", "zig", "dart",
	"java", "sh", "bash", "make", "just", "task", "mise", "gradle", "gradlew", "mvn", "mvnw", "lua",
}

// beyond are programs that act outside of the project, or as somebody else.
var beyond = []string{"sudo", "doas", "su", "ssh", "docker", "podman", "kubectl", "helm", "terraform", "curl", "http", "wget", "aws", "gcloud", "az", "systemctl", "xargs", "nohup"}

// inline are the arguments by which an interpreter takes a program from its command line: then
// a text of a transcript would be the program.
var inline = []string{"-c", "-e", "-E", "--eval", "-p", "--print", "-r", "-"}

// Reproducible returns a command line of a session in the form in which it may be run here,
// and why not where it may not: it runs the project's own code and nothing else, writes no
// file by itself, and has no part that only a shell would know the meaning of.
func Reproducible(line string) (run, why string) {
	line = strings.TrimSpace(line)
	for _, end := range []string{" 2>&1", " 2>/dev/null"} {
		line = strings.ReplaceAll(line, end, "")
	}
	if before, _, ok := strings.Cut(line, " | "); ok && command.ReadLine(line).Filtered {
		line = strings.TrimSpace(before) // only what it showed was cut
	}
	if line == "" || len(line) > 1000 || strings.ContainsAny(line, "\n\r`$;|<>()*?{}~\\!") || strings.Contains(strings.ReplaceAll(line, "&&", ""), "&") {
		return "", "it is more than plain commands"
	}
	for word := range strings.FieldsSeq(line) { // also before a command, where it is a wrapper
		if slices.Contains(beyond, path.Base(word)) {
			return "", fmt.Sprintf("%s reaches beyond the project", word)
		}
	}
	l := command.ReadLine(line)
	if len(l.Runs) == 0 || l.Writes || l.Filtered {
		return "", "it runs nothing of the project, or writes files"
	}
	for _, r := range l.Runs {
		words := strings.Fields(r.Command)
		if len(words) == 0 {
			return "", "it runs nothing"
		}
		name, args := words[0], words[1:]
		own := strings.HasPrefix(name, "./") && !strings.Contains(name, "..")
		switch {
		case r.Kind == command.Other:
			return "", fmt.Sprintf("%s runs nothing of the project", name)
		case !own && r.Kind != command.Check && !slices.Contains(runners, path.Base(name)):
			return "", fmt.Sprintf("%s is not known to run a project's own code", name)
		case slices.ContainsFunc(args, func(a string) bool { return slices.Contains(inline, a) }) && slices.Contains([]string{"python", "python3", "node", "ruby", "php", "perl", "sh", "bash", "deno", "bun", "lua"}, path.Base(name)):
			return "", "the program stands in the command line itself"
		}
	}
	return line, ""
}

// Reproduce runs a command line of a session in a folder, confined, without a network. It
// runs nothing, and says why, where the line is not one that may be run or nothing confines
// it here.
func (p *Project) Reproduce(ctx context.Context, line, dir, name string) (r Result, why string, err error) {
	line, why = Reproducible(line)
	if why != "" {
		return r, why, nil
	}
	r = Result{Command: line, Exit: -1}
	closed := false
	setting := p.setting(dir)
	setting.Sandbox.Network = &closed
	place, err := subprocess.Open(setting)
	if err != nil {
		return r, "", err
	}
	defer place.Close()
	if place.Boxed() == "" {
		return r, "nothing on this machine confines it", nil
	}
	log, err := subprocess.Create(name, p.opt.Redact)
	if err != nil {
		return r, "", err
	}
	defer log.Close()
	end, err := place.Run(ctx, subprocess.Program{
		Argv: []string{"/bin/sh", "-c", line}, Env: p.environ(dir, place.Home),
		Time: min(maxReproduce, time.Duration(p.cfg.Minutes)*time.Minute), Output: int64(p.cfg.Output) << 20, Log: log,
	})
	r.Exit, r.Took, r.Boxed, r.Said = end.Exit, end.Took, place.Boxed(), p.opt.Redact(end.Tail)
	if err != nil && ctx.Err() == nil {
		return r, "it did not come to its end: " + err.Error(), nil
	}
	return r, "", err
}
