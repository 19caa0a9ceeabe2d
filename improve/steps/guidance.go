package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// A change of what agents are told has no test that could fail without it. Its evidence
// is replay: the recorded turns of the request, once without the change and once with it.

// byKind does a step as the kind of the improvement has it done.
func byKind(code, guidance func(context.Context, *Job) (improve.Evidence, error)) func(context.Context, *Job) (improve.Evidence, error) {
	return func(ctx context.Context, j *Job) (improve.Evidence, error) {
		if j.guidance() {
			return guidance(ctx, j)
		}
		return code(ctx, j)
	}
}

// guidance reports whether the change is one of what agents are told.
func (j *Job) guidance() bool { return j.Item.Request.Kind == improve.Guidance }

// ProgramsPaper is the paper with the programs of a change of what agents are told.
const ProgramsPaper = "programs.md"

// The papers of a replay.
const (
	withoutPaper = "replay-without.json"
	replayPaper  = "replay.json"
	replayText   = "replay.md"
)

// replayed is what a paper of a replay holds.
type replayed struct {
	Base  string `json:"base"` // commit
	Agent string `json:"agent"`
	Tree  string `json:"tree,omitempty"` // of the change; "" for none
	improve.Replayed
}

// load reads a paper of a replay. It is false where there is none that can be read.
func (j *Job) load(name string) (r replayed, ok bool) {
	raw, err := os.ReadFile(filepath.Join(j.paperFolder(), name))
	return r, err == nil && json.Unmarshal(raw, &r) == nil
}

// paperFolder is the item's folder, also for a preview, which has no job.
func (j *Job) paperFolder() string {
	return cmp.Or(j.folder, filepath.Join(j.env.cfg.Folder, j.Item.ID))
}

// Replayer replays the turns of a request; see improve/guidance.
type Replayer interface {
	// Without replays each turn with the files as they were.
	Without(ctx context.Context, r improve.Request, files []improve.ShownFile, ask improve.Ask) ([]improve.Answer, error)
	// With replays those that went wrong with the files as they are now.
	With(ctx context.Context, r improve.Request, without []improve.Answer, files []improve.ShownFile, ask improve.Ask) ([]improve.Answer, error)
}

// looking asks the agent in a working tree, in which it may only look.
func (j *Job) looking(s stands, tree string) improve.Ask {
	return func(ctx context.Context, step, prompt string) (string, error) {
		words, err := j.do(ctx, step, s.Folder, true, prompt)
		if err != nil {
			return "", err
		}
		return words, s.sameTree(ctx, tree)
	}
}

// recurs replays the turns without any change, before anything is public. Where none
// goes wrong there is nothing that a change could be shown to mend.
func (j *Job) recurs(ctx context.Context, s stands) (replayed, error) {
	turns := j.Item.Request.Turns
	if j.env.opt.Replay == nil {
		return replayed{}, errors.New("nobody is here who could replay turns")
	}
	if len(turns) == 0 {
		return replayed{}, fmt.Errorf("%w: the request has no recorded turn, so guidance cannot be proved by replay; make it anew with trimtab improve new", ErrManual)
	}
	if r, ok := j.load(withoutPaper); ok && r.Base == s.base && r.Agent == j.env.opt.Agent.Name() && r.Recurs() {
		return r, nil // an earlier try asked, and it cost an agent's time
	}
	tree, err := s.snapshot(ctx)
	if err != nil {
		return replayed{}, err
	}
	files, err := s.shownFiles(ctx)
	if err != nil {
		return replayed{}, err
	}
	j.say(fmt.Sprintf("replays %d turns without the change", len(turns)))
	answers, err := j.env.opt.Replay.Without(ctx, j.Item.Request, files, j.looking(s, tree))
	if err != nil {
		return replayed{}, err
	}
	r := replayed{Base: s.base, Agent: j.env.opt.Agent.Name(), Replayed: improve.Compare(answers, nil)}
	if err := j.keepReplay(withoutPaper, r); err != nil {
		return r, err
	}
	if !r.Recurs() {
		return r, fmt.Errorf("%w: %s, asked up to three times each: it does not recur, so nothing was filed; retry when it is seen again, or reject it", ErrManual, r.Replayed)
	}
	return r, nil
}

func (j *Job) keepReplay(name string, r replayed) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(j.folder, name), []byte(j.redact(string(raw))), 0o600)
}

// prove replays the turns with the change that is in the working tree, unless that very
// content was replayed before, and leaves the papers about it.
func (j *Job) prove(ctx context.Context, s stands, tree string) (replayed, error) {
	before, ok := j.load(withoutPaper) // what lies here is the change, so it cannot be asked again
	switch {
	case !ok || before.Base != s.base || !before.Recurs():
		return before, fmt.Errorf("the evidence of the step %s: no turn was replayed without the change on %s", Design, s.base)
	case before.Agent != j.env.opt.Agent.Name():
		return before, fmt.Errorf("%w: the turns were replayed by %s without the change, and the agent is %s now: choose the first one again and retry", ErrManual, before.Agent, j.env.opt.Agent.Name())
	}
	if r, ok := j.load(replayPaper); ok && r.Tree == tree && r.Base == s.base && r.Agent == before.Agent {
		return r, nil
	}
	files, err := s.shownFiles(ctx)
	if err != nil {
		return before, err
	}
	j.say(fmt.Sprintf("replays %d turns with the change", before.Wrong))
	with, err := j.env.opt.Replay.With(ctx, j.Item.Request, before.Without, files, j.looking(s, tree))
	if err != nil {
		return before, err
	}
	r := replayed{Base: s.base, Agent: before.Agent, Tree: tree, Replayed: improve.Compare(before.Without, with)}
	if err := j.keepReplay(replayPaper, r); err != nil {
		return r, err
	}
	return r, j.write(replayText, replayReport(r, j.Item.Request.Turns))
}

// replayReport tells a person of a replay, with what was recorded. It stays here.
func replayReport(r replayed, turns []improve.Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Replay\n\n%s. Asked: %s.\n", r.Replayed, r.Agent)
	for _, p := range r.Pairs(turns) {
		fmt.Fprintf(&b, "\n## Turn %d\n\nRecorded:\n\n%s\n\nWhat came of it:\n\n%s\n\nWithout the change:\n\n%s\n\nWith it:\n\n%s\n\nJudged %s\n", p.Number, p.Did, p.Outcome, p.Without, cmp.Or(p.With, "(not asked)"), p.How)
	}
	return b.String()
}

// The limits of what is read out of a working tree.
const (
	maxShownFile  = 32 << 10
	maxShownFiles = 96 << 10
	maxPrograms   = 30 << 10
)

// shownFiles are the files that an agent is shown in a replay, the instructions first.
func (s stands) shownFiles(ctx context.Context) ([]improve.ShownFile, error) {
	out, err := s.Run(ctx, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(strings.Split(out, "\x00"), func(n string) bool { return n == "" || !project.IsShown(n) })
	slices.Sort(names)
	names = slices.Compact(names)
	first := project.Instructions()
	slices.SortStableFunc(names, func(a, b string) int {
		rank := func(n string) int {
			if i := slices.Index(first, n); i >= 0 {
				return i
			}
			return len(first)
		}
		return rank(a) - rank(b)
	})
	var files []improve.ShownFile
	left := maxShownFiles
	for _, name := range names {
		text, err := s.readText(name, min(left, maxShownFile))
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) != "" {
			left -= len(text)
			files = append(files, improve.ShownFile{Name: name, Text: text})
		}
	}
	return files, nil
}

// readText reads a file of the working tree; "" for one that is gone or is none. No link
// leads out of the tree.
func (s stands) readText(name string, most int) (string, error) {
	root, err := os.OpenRoot(s.Folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	raw, err := io.ReadAll(io.LimitReader(f, int64(most)))
	return strings.ToValidUTF8(string(raw), "\uFFFD"), err
}

// changed are the files of the change, and whether each can be executed.
func (s stands) changed(ctx context.Context) (map[string]bool, error) {
	out, err := s.Run(ctx, "diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--end-of-options", s.base)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			all[name] = false
		}
	}
	staged, err := s.Run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(staged, "\x00") {
		head, name, _ := strings.Cut(line, "\t")
		if _, ok := all[name]; ok {
			all[name] = strings.HasPrefix(head, "100755 ")
		}
	}
	return all, nil
}

// fitGuidance says why a change of what agents are told may not be pushed, and writes
// down the programs in it, in full.
func (j *Job) fitGuidance(ctx context.Context, s stands, size Size) (string, error) {
	lines, components := j.limits()
	if over := over(size, lines, components); over != "" {
		return over, nil
	}
	if odd := j.odd(size); len(odd) > 0 {
		return "the change has what may not be in it: " + found(odd) + "; take it out", nil
	}
	all, err := s.changed(ctx)
	if err != nil {
		return "", err
	}
	var wrong []string
	var b strings.Builder
	for _, name := range sortedNames(all) {
		if !project.IsGuidance(name) {
			wrong = append(wrong, name)
			continue
		}
		text, err := s.readText(name, maxPrograms+1)
		if err != nil {
			return "", err
		}
		if strings.Contains(text, `"says"`) && strings.Contains(text, `"calls"`) {
			return name + " speaks to the replay and not to agents that work: say what to do in plain words", nil
		}
		if text == "" || !project.IsProgram(name, text, all[name]) {
			continue
		}
		if bad := j.unshowable(name, text); bad != "" {
			return bad, nil
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", name, text)
	}
	switch {
	case len(wrong) > 0:
		return "guidance may only change what agents read, hooks, modes, scripts and settings of linters, and not " + found(wrong), nil
	case len(all) == 0:
		return "nothing is changed", nil
	case b.Len() > maxPrograms:
		return fmt.Sprintf("the programs of the change are %d bytes, and at most %d can be shown in full: do less", b.Len(), maxPrograms), nil
	}
	return "", j.write(ProgramsPaper, b.String())
}

func sortedNames(all map[string]bool) []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unshowable says why a program could not be shown to a person as it is.
func (j *Job) unshowable(name, text string) string {
	if j.redact(text) != text {
		return name + " holds a secret or a name of this machine, and would not be shown as it is: take it out"
	}
	if strings.ContainsFunc(text, hiddenRune) || strings.Contains(text, "\uFFFD") {
		return name + " holds characters that cannot be seen: take them out"
	}
	return ""
}

func hiddenRune(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

// odd is what may not be in the change. A program may be in guidance: it is shown in
// full.
func (j *Job) odd(size Size) []string {
	if !j.guidance() {
		return size.Odd
	}
	return slices.DeleteFunc(slices.Clone(size.Odd), func(s string) bool { return strings.HasSuffix(s, " "+project.Executable) })
}

// recordTurns is the step design of guidance: the turns go wrong on the base.
func recordTurns(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Design)
	if err != nil {
		return improve.Evidence{}, err
	}
	if head, err := s.Commit(ctx, "HEAD"); err != nil || head != s.base {
		return improve.Evidence{}, errors.Join(err, fmt.Errorf("the working tree is at %s and not at its base %s", head, s.base))
	}
	r, err := j.recurs(ctx, s)
	if err != nil {
		return improve.Evidence{}, err
	}
	tree, err := s.snapshot(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	e := facts("tree", tree, "turns", strconv.Itoa(r.Turns), "wrong_without", strconv.Itoa(r.Wrong), "agent", r.Agent)
	e.Files = []string{withoutPaper}
	ran, has, err := j.checkOne(ctx, "test", s, "base-test.log")
	if err != nil || !has {
		return e, err
	}
	e.Facts["command"], e.Facts["base_exit"] = ran.Command, strconv.Itoa(ran.Exit)
	e.Files = append(e.Files, "base-test.log")
	if ran.Exit != 0 {
		err = fmt.Errorf("the project's own tests fail before anything was changed (%s exits with %d); fix them first", ran.Command, ran.Exit)
	}
	return e, err
}

// guide is the step implement of guidance.
func guide(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Implement)
	if err != nil {
		return improve.Evidence{}, err
	}
	if wrong, err := j.fact(Design, "wrong_without"); err != nil || wrong == "0" {
		return improve.Evidence{}, errors.Join(err, errors.New("no turn was seen to go wrong"))
	}
	return j.guided(ctx, s, "implement", task{Page: "guidance"})
}

// shortenGuidance is the step simplify of guidance.
func shortenGuidance(ctx context.Context, j *Job) (improve.Evidence, error) {
	s, err := j.tree(ctx, Simplify)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.proved(Implement, ""); err != nil {
		return improve.Evidence{}, err
	}
	patch, err := s.shown(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	return j.guided(ctx, s, "simplify", task{Patch: patch})
}

// guided has the agent work until the replay is better with the change than without it
// and nothing else is wrong, twice at most.
func (j *Job) guided(ctx context.Context, s stands, step string, t task) (improve.Evidence, error) {
	for try := 1; ; try++ {
		words, err := j.ask(ctx, step, s.Folder, false, t)
		if err != nil {
			return improve.Evidence{}, err
		}
		paper, err := j.leave(step+".md", cmp.Or(words, "The agent did not say what it did.")+"\n")
		if err != nil {
			return improve.Evidence{}, err
		}
		size, tree, err := j.measure(ctx, s)
		if err != nil {
			return improve.Evidence{}, err
		}
		e := facts("tree", tree, "lines", strconv.Itoa(size.Lines), "components", strings.Join(size.Components, ", "), "sha256", paper)
		e.Files = []string{step + ".md"}
		if t.Again, err = j.fitGuidance(ctx, s, size); err != nil {
			return e, err
		}
		if t.Again == "" {
			if t.Again, err = j.addProof(ctx, s, tree, &e); err != nil {
				return e, err
			}
		}
		switch {
		case t.Again == "":
			return e, nil
		case try == 2:
			return e, errors.New(t.Again)
		}
		j.say(t.Again)
	}
}

// addProof replays the change and puts what came of it into the evidence. It says why
// the change is no help; "" where it is one.
func (j *Job) addProof(ctx context.Context, s stands, tree string, e *improve.Evidence) (string, error) {
	r, err := j.prove(ctx, s, tree)
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(filepath.Join(j.folder, replayPaper))
	if err != nil {
		return "", err
	}
	e.Facts["replay"], e.Facts["replay_sha256"] = r.Replayed.String(), sum(raw)
	e.Files = append(e.Files, replayPaper, replayText)
	if info, err := os.Stat(filepath.Join(j.folder, ProgramsPaper)); err == nil && info.Size() > 0 {
		e.Files = append(e.Files, ProgramsPaper)
	}
	if !r.Better() {
		return r.Failed(), nil
	}
	return "", nil
}

// proved checks that a step was seen to succeed: its tests passed, or replay was better
// with the change than without it.
func (j *Job) proved(step improve.StepName, otherwise string) error {
	if j.guidance() {
		_, err := j.fact(step, "replay")
		return err
	}
	if exit, err := j.fact(step, "exit"); err != nil || exit != "0" {
		return errors.Join(err, errors.New(otherwise))
	}
	return nil
}

// complyGuidance is the step compliance of guidance: what was pushed is held to the
// rules that hold for it.
func complyGuidance(ctx context.Context, j *Job) (improve.Evidence, error) {
	if err := j.repliedTo(ctx); err != nil {
		return improve.Evidence{}, err
	}
	p, err := j.pushedTree(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	s, head, size, tree, patch, kinds := p.stands, p.head, p.size, p.tree, p.patch, p.kinds
	unfit, err := j.fitGuidance(ctx, s, size)
	if err != nil {
		return improve.Evidence{}, err
	}
	e := facts("commit", head, "lines", strconv.Itoa(size.Lines), "components", strings.Join(size.Components, ", "), "stubs", strconv.Itoa(len(size.Stubs)))
	no, err := j.addProof(ctx, s, tree, &e)
	if err != nil {
		return e, err
	}
	secrets := j.env.opt.Secrets(patch)
	rules := []kept{
		{unfit == "", "only what agents are told, within its limits", cmp.Or(unfit, strconv.Itoa(size.Lines)+" lines")},
		{size.Lines > 0, "something is changed", fmt.Sprintf("%d lines", size.Lines)},
		{len(size.Stubs) == 0, "nothing unfinished", found(size.Stubs)},
		{len(secrets) == 0, "no secrets", found(secrets)},
		{no == "", "recorded turns go right with it", e.Facts["replay"]},
		{strings.Contains(kinds, "security"), "security review", kinds},
	}
	whole, err := j.accepted(ctx, s, size, e.Facts)
	if err != nil {
		return e, err
	}
	for _, r := range whole {
		rules = append(rules, kept{r.kept, r.name, r.found})
	}
	report, bad := keptRules(rules)
	if e.Facts["sha256"], err = j.leave("compliance.md", report); err != nil {
		return e, err
	}
	e.Files = append(append(e.Files, "compliance.md"), j.verdictFile(e, secondVerdict)...)
	if len(bad) > 0 {
		return e, errors.New(strings.Join(bad, "; "))
	}
	return e, nil
}

// kept is a rule and whether it is kept.
type kept struct {
	ok          bool
	name, found string
}

// keptRules writes the report about rules, and returns those that are not kept.
func keptRules(rules []kept) (report string, bad []string) {
	var b strings.Builder
	b.WriteString("# Compliance\n\n")
	for _, r := range rules {
		mark := "kept"
		if !r.ok {
			mark = "NOT KEPT"
			bad = append(bad, r.name+": "+r.found)
		}
		fmt.Fprintf(&b, "- %s: %s (%s)\n", r.name, mark, r.found)
	}
	return b.String(), bad
}

// guidanceFields are what the text of a pull request tells of a replay, and the programs
// of the change in full. Nothing of what was recorded is in it but what agents answer.
func (j *Job) guidanceFields(f *fields) error {
	f.Seen = []string{"the turns above were replayed without the change and with it", "the project's own test, lint and format commands pass, where it has them", "a person reads the change before it is merged"}
	want := ""
	for _, e := range j.Item.Evidence {
		if e.Error == "" {
			want = cmp.Or(e.Facts["replay_sha256"], want)
		}
	}
	if want == "" {
		return nil // a preview before the work
	}
	raw, err := os.ReadFile(filepath.Join(j.paperFolder(), replayPaper))
	if err != nil {
		return fmt.Errorf("the evidence of the replay: %w", err)
	}
	var r replayed
	if sum(raw) != want || json.Unmarshal(raw, &r) != nil {
		return fmt.Errorf("the evidence of the replay: %s is not what the step wrote", replayPaper)
	}
	f.Replay = append(f.Replay, j.line(r.Replayed.String())+", by "+j.line(r.Agent)+".")
	for _, p := range r.Pairs(j.Item.Request.Turns) {
		f.Replay = append(f.Replay, fmt.Sprintf("Turn %d, without the change:\n\n%s\nWith it:\n\n%s\nJudged: %s", p.Number, j.quote(p.Without), j.quote(p.With), j.line(p.How)))
	}
	programs, err := os.ReadFile(filepath.Join(j.paperFolder(), ProgramsPaper))
	if err != nil {
		return fmt.Errorf("the evidence of the replay: %w", err)
	}
	if text := strings.TrimSpace(string(programs)); text != "" {
		f.Programs = forge.Harmless("    " + strings.ReplaceAll(text, "\n", "\n    "))
	}
	return nil
}
