package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	hosts "github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// versionTime is how long an agent may take to say its version.
const versionTime = 5 * time.Second

// Agents says of each agent on this machine which version it is and how our hooks, our
// MCP server and our gateway stand in it; place finds its settings, and clients are the
// addresses that trimtab serve answers, nil where they cannot be read. Agents are asked
// all at once: some are slow to start.
func Agents(ctx context.Context, place func(host string) (install.Place, error), clients *address.Clients) []Finding {
	list := spool.Hosts()
	all := make([][]Finding, len(list))
	var wg sync.WaitGroup
	for i, h := range list {
		agent, _ := launch.Find(h.Name)
		wg.Go(func() { all[i] = checkAgent(ctx, h.Name, agent.Command, place, clients) })
	}
	wg.Wait()
	var missing []string
	for i, h := range list {
		if len(all[i]) == 0 {
			missing = append(missing, h.Name)
		}
	}
	if len(missing) > 0 {
		all = append(all, []Finding{{"agents", OK, "not on PATH, and nothing of ours in their settings: " + strings.Join(missing, ", "), ""}})
	}
	return slices.Concat(all...)
}

func checkAgent(ctx context.Context, host, command string, find func(string) (install.Place, error), clients *address.Clients) []Finding {
	place, err := find(host)
	if err != nil {
		return []Finding{{host, Wrong, err.Error(), ""}}
	}
	program, missing := exec.LookPath(command)
	state, err := place.State()
	switch {
	case err != nil:
		return []Finding{{host, Wrong, err.Error(), "fix the file; until then nothing can be added to it"}}
	case missing != nil && len(state.Commands) == 0 && state.Plugin == "" && len(state.MCP) == 0 && state.Gateway == "":
		return nil
	case missing != nil:
		return []Finding{{host, Note, "what trimtab install wrote is in " + place.Files[0] + ", but the agent is not on PATH", "trimtab uninstall " + host}}
	}
	text := agentVersion(ctx, program) + " at " + program
	return append([]Finding{checkHooks(ctx, host, program, text, place, state)}, checkBeside(ctx, host, place, state, clients)...)
}

// checkHooks says how our hooks stand in an agent.
func checkHooks(ctx context.Context, host, program, text string, place install.Place, state install.State) Finding {
	calls, verb, again := state.Commands, " calls ", "trimtab install "+host
	h, _ := hosts.Find(host)
	switch {
	case len(state.Commands) > 0 && state.Plugin != "":
		return Finding{host, Wrong, text + "; our hooks are in " + place.Files[0] + " and in a plugin in " + state.Plugin + ": each event is told twice", "trimtab uninstall " + host + ", then " + again}
	case state.Plugin != "":
		text += "; our plugin in " + state.Plugin
		calls = state.PluginCommands
	case len(state.Commands) == 0:
		return Finding{host, OK, text + "; no hooks of ours", again + " steers it always; trimtab run " + host + " for one run"}
	case h.Install.Code != "":
		text += "; our plugin " + place.Files[0]
	default:
		verb = " call "
		text += fmt.Sprintf("; %s in %s", plural.Count(len(state.Commands), "hook"), place.Files[0])
	}
	switch {
	case state.Off != "":
		return Finding{host, Wrong, text + "; it runs none: " + state.Off + " in " + place.Files[0], "take that out, if you want them"}
	case len(calls) == 0:
		return Finding{host, Wrong, text + " calls nothing of ours", again}
	case state.Old:
		return Finding{host, Note, text + ", older than this trimtab", again}
	}
	if gone := goneProgram(calls[0]); gone != "" {
		return Finding{host, Wrong, text + verb + gone + ", which is not there", again}
	}
	if state.Plugin != "" {
		return Finding{host, OK, text, ""}
	}
	if len(state.Missing) > 0 {
		return Finding{host, Note, text + ", none for " + strings.Join(state.Missing, ", "), "trimtab install " + host}
	}
	if h.Install.Trust {
		return checkTrust(ctx, program, text, state)
	}
	return Finding{host, OK, text, ""}
}

// checkBeside says how our MCP server and our gateway stand in an agent. Where
// hooks are and these are not, it says how to have them.
func checkBeside(ctx context.Context, host string, place install.Place, state install.State, clients *address.Clients) []Finding {
	var all []Finding
	switch {
	case len(state.MCP) > 0 && missingFile(state.MCP[0]):
		all = append(all, Finding{host, Wrong, "the MCP server trimtab calls " + state.MCP[0] + ", which is not there", "trimtab install " + host + " --mcp"})
	case len(state.MCP) > 0:
		all = append(all, Finding{host, OK, "MCP server trimtab: " + strings.Join(state.MCP, " "), ""})
	case (len(state.Commands) > 0 || state.Plugin != "") && place.Can(install.Want{MCP: []string{"x"}}) == nil:
		all = append(all, Finding{host, OK, "no MCP server of ours", "trimtab install " + host + " --mcp offers it the flame_ tools"})
	}
	if state.Gateway == "" {
		return all
	}
	gateway, secret := address.Split(state.Gateway)
	if err := reach(ctx, gateway); err != nil {
		return append(all, Finding{host, Wrong, "its requests go to " + gateway + ", where no gateway answers: " + err.Error(), "start trimtab serve, or trimtab uninstall " + host})
	}
	if address.Local(gateway) && (clients == nil || !clients.Known(secret)) {
		return append(all, Finding{host, Wrong, "its requests go to the gateway at " + gateway + ", but not to an address that trimtab serve answers", "trimtab install " + host + " --gateway " + gateway})
	}
	return append(all, Finding{host, OK, "its requests go to the gateway at " + gateway + ", which answers", ""})
}

func missingFile(path string) bool {
	_, err := os.Stat(path)
	return err != nil
}

// reachTime is how long a gateway may take to say that it is there.
const reachTime = 2 * time.Second

// reach asks a gateway whether it is there.
func reach(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/healthz", nil)
	if err != nil {
		return err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it says %s", resp.Status)
	}
	return nil
}

// checkTrust: Codex runs no hook that its person has not trusted, and does not
// say so.
func checkTrust(ctx context.Context, program, text string, state install.State) Finding {
	trusted, err := install.Trust(ctx, program, os.TempDir()) // not here: a project's own settings are not asked about
	if err != nil {
		return Finding{"codex", Note, text + "; whether they are trusted is not known: " + err.Error(), "open /hooks in codex and look"}
	}
	var not []string
	for _, c := range state.Commands {
		if s := trusted[c]; s != "trusted" && s != "managed" {
			words := strings.Fields(c)
			not = append(not, words[len(words)-1]+" is "+cmp.Or(s, "not known to it"))
		}
	}
	if len(not) > 0 {
		return Finding{"codex", Wrong, text + "; it skips them without a word: " + strings.Join(not, ", "), "open /hooks in codex, look at the hooks of trimtab, and trust them"}
	}
	return Finding{"codex", OK, text + ", trusted", ""}
}

// agentVersion is the first line that a program says of its version.
func agentVersion(ctx context.Context, program string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || line == "" {
		return "its version is not known"
	}
	return line
}

// goneProgram is the program of a hook's command, where it does not exist.
func goneProgram(command string) string {
	var word string
	if quote := command[:1]; quote == "'" || quote == `"` {
		word, _, _ = strings.Cut(command[1:], quote)
	} else {
		word, _, _ = strings.Cut(command, " ")
	}
	if _, err := os.Stat(word); err != nil {
		return word
	}
	return ""
}
