package launch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
)

// settingsFlag hands a host settings for one run, as JSON or as the path of a file. Of
// two such flags it takes one.
const settingsFlag = "--settings"

// mergeSettings adds to the settings that are handed over on the command line.
func mergeSettings(args *[]string, more map[string]any) error {
	all := map[string]any{}
	i := slices.Index(*args, settingsFlag)
	if i >= 0 && i+1 < len(*args) {
		if err := json.Unmarshal([]byte((*args)[i+1]), &all); err != nil {
			return fmt.Errorf("settings of the run: %w", err)
		}
	}
	maps.Copy(all, more)
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if i >= 0 && i+1 < len(*args) {
		(*args)[i+1] = string(text)
		return nil
	}
	*args = append(*args, settingsFlag, string(text))
	return nil
}

// WithOwn joins settings that the person hands over with the same flag as we do, and
// returns their other arguments. Theirs count; of hooks, both are called. The two go into
// a file of the run: what was in a file of the person's is not for the command line,
// which every user can read.
func (l Launch) WithOwn(args []string) (Launch, []string, error) {
	ours := slices.Index(l.Args, settingsFlag)
	at, words := ownSettings(args)
	switch {
	case ours < 0:
		return l, args, nil
	case at < 0 && strings.Contains(l.Args[ours+1], "{url}"): // a secret
		return l.settingsFile(ours, l.Args[ours+1]), args, nil
	case at < 0:
		return l, args, nil
	}
	given := strings.TrimPrefix(args[at+words-1], settingsFlag+"=")
	text := []byte(given)
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		var err error
		if text, err = os.ReadFile(given); err != nil {
			return l, args, fmt.Errorf("your own settings: %w", err)
		}
	}
	all, theirs := map[string]any{}, map[string]any{}
	if err := json.Unmarshal(text, &theirs); err != nil {
		return l, args, fmt.Errorf("your own settings: %w", err)
	}
	if err := json.Unmarshal([]byte(l.Args[ours+1]), &all); err != nil {
		return l, args, fmt.Errorf("settings of the run: %w", err)
	}
	hooks := joinHooks(theirs["hooks"], all["hooks"])
	env, _ := all["env"].(map[string]any) // of ours there are only those that the run cannot do without
	maps.Copy(all, theirs)
	if vars, ok := theirs["env"].(map[string]any); ok && env != nil {
		vars = maps.Clone(vars)
		maps.Copy(vars, env)
		all["env"] = vars
	}
	if hooks != nil {
		all["hooks"] = hooks
	}
	text, err := json.Marshal(all)
	if err != nil {
		return l, args, err
	}
	if l.File.Name != "" {
		return l, args, fmt.Errorf("%s: two files for one run", l.Host)
	}
	l = l.settingsFile(ours, string(text))
	return l, slices.Delete(slices.Clone(args), at, at+words), nil
}

// settingsFile hands settings over in a file of the run.
func (l Launch) settingsFile(ours int, text string) Launch {
	l.Args = slices.Clone(l.Args)
	l.Args[ours+1], l.File = "{file}", host.File{Name: "settings.json", Text: text}
	return l
}

// ownSettings finds the flag among a person's arguments, and of how many words it is.
func ownSettings(args []string) (at, words int) {
	for i, a := range args {
		switch {
		case a == "--":
			return -1, 0
		case a == settingsFlag && i+1 < len(args):
			return i, 2
		case strings.HasPrefix(a, settingsFlag+"="):
			return i, 1
		}
	}
	return -1, 0
}

// joinHooks is the hooks of both, by event. What is not as it should be is left as the
// person wrote it.
func joinHooks(theirs, ours any) any {
	a, ok := theirs.(map[string]any)
	b, both := ours.(map[string]any)
	switch {
	case theirs == nil:
		return ours
	case !ok || !both:
		return theirs
	}
	all := maps.Clone(a)
	for event, list := range b {
		x, isList := all[event].([]any)
		y, _ := list.([]any)
		if all[event] == nil || isList {
			all[event] = append(slices.Clone(x), y...)
		}
	}
	return all
}
