package improve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config is the section "automation" of the settings. Its first four keys are
// those of the file automation_config.json, which a project may bring along; the
// others are the person's own.
type Config struct {
	Enabled     bool        `json:"automation_enabled" doc:"let reflection ask for improvements by itself"`
	Thresholds  Thresholds  `json:"trigger_thresholds" doc:"what a pattern must reach"`
	Constraints Constraints `json:"workflow_constraints" doc:"limits of the work"`
	Forge       ForgeConfig `json:"github_integration" doc:"what may be made on the forge, whichever it is"`

	Approval  string   `json:"approval" default:"always" enum:"always,never" guard:"user" doc:"always: a request waits until a person approves it; never: it is queued at once, and trimtab serve works on it"`
	Worker    string   `json:"worker" default:"auto" enum:"auto,always,never" guard:"user" doc:"whether trimtab serve works on what is queued; auto does where approval is never"`
	OnTrigger string   `json:"on_trigger" default:"tell" enum:"tell,continue" guard:"user" doc:"when a stop has asked for an improvement: tell says so to the person and to the next turn; continue also sends the agent on, once, with the instructions"`
	StopWait  *int     `json:"stop_wait_ms" default:"400" min:"0" max:"600" guard:"user" doc:"how long a stop waits for what reflection decides, in milliseconds; what comes later is told with the session's next hook"`
	Reviewer  string   `json:"reviewer" default:"same" enum:"same,claude,codex,gemini,opencode,qwen,goose,own,command" guard:"user" doc:"who reviews what the agent of improve.agent did; same is that agent in another run"`
	Notify    []string `json:"notify" guard:"user" doc:"a program and its arguments that is told when a request comes by itself and waits, or work needs a person; the text comes on stdin, TRIMTAB_ITEM and TRIMTAB_PROJECT in the environment"`
	Form      string   `json:"form" default:"own" enum:"own,literal" guard:"user" doc:"literal: patterns, ids, descriptions and the text of pull requests exactly as the design of the automation gives them"`
	DailyCap  *int     `json:"daily_cap" default:"3" min:"0" max:"100" guard:"user" doc:"requests in 24 hours at most"`
	WeeklyCap *int     `json:"weekly_cap" default:"10" min:"0" max:"500" guard:"user" doc:"requests in 7 days at most"`
	Blacklist []string `json:"blacklist" default:"authentication,payments,migrations,deployment,personal data" guard:"user" doc:"subjects that are never worked on by themselves; any other word or phrase may be added"`
}

// Thresholds are what a pattern must reach before work is asked for.
type Thresholds struct {
	Severity string   `json:"min_pattern_severity" default:"medium" enum:"low,medium,high,critical" doc:"least severity"`
	Count    int      `json:"min_pattern_count" default:"2" min:"1" max:"1000000" doc:"least number of occurrences"`
	Cooldown *float64 `json:"cooldown_hours" default:"1" min:"0" max:"8760" doc:"hours between two requests"`
}

// Constraints are the limits of the work.
type Constraints struct {
	Concurrent int `json:"max_concurrent_workflows" default:"2" min:"1" max:"32" doc:"improvements that are worked on at once"`
	Lines      int `json:"max_lines_per_improvement" default:"200" min:"1" max:"100000" doc:"changed lines of one improvement"`
	Components int `json:"max_components_per_improvement" default:"3" min:"1" max:"1000" doc:"top-level folders or packages that one improvement touches"`
}

// ForgeConfig says what may be made on the forge.
type ForgeConfig struct {
	Issues   *bool `json:"auto_create_issues" default:"true" doc:"open an issue"`
	Branches *bool `json:"auto_create_branches" default:"true" doc:"push a branch"`
	Pulls    *bool `json:"auto_create_prs" default:"true" doc:"open a pull request"`
	Manual   *bool `json:"require_manual_merge" default:"true" doc:"leave merging to a person; nothing is ever merged by itself, so false changes nothing and is told"`
}

// FormLiteral is the Form that follows the design of the automation to the letter.
const FormLiteral = "literal"

// Notes says what of the config has no effect, though it is allowed.
func (c Config) Notes() []string {
	if m := c.Forge.Manual; m != nil && !*m {
		return []string{"github_integration.require_manual_merge is false: that changes nothing, trimtab never merges; a person merges each pull request"}
	}
	return nil
}

// Serves reports whether trimtab serve works on what is queued.
func (c Config) Serves() bool {
	return c.Worker == "always" || c.Worker != "never" && c.Approval == "never"
}

// ProjectSettings are what counts for a project: the person's own settings with those
// files of the project over them that the person trusts.
type ProjectSettings struct {
	Config   Config
	HasFile  bool     // the project has a ProjectFile that is trusted; then other tools find ours in RuntimeFolder
	Workflow string   // the text of the project's WorkflowFile, where that is trusted
	Problems []string // what of the ProjectFile is ignored
	Notes    []string // what has no effect, and why
}

// Told are the problems and the notes, each a line for a person.
func (s ProjectSettings) Told() []string {
	var out []string
	for _, p := range s.Problems {
		out = append(out, fmt.Sprintf("%s: %s (ignored)", ProjectFile, p))
	}
	return append(out, s.Notes...)
}

// Fill returns the config with its defaults, and every value that is out of range
// named in the error.
func (c Config) Fill() (Config, error) {
	var errs [4]error
	c.Thresholds, errs[0] = settingtag.Fill(c.Thresholds)
	c.Constraints, errs[1] = settingtag.Fill(c.Constraints)
	c.Forge, errs[2] = settingtag.Fill(c.Forge)
	if c.Blacklist == nil {
		c.Blacklist = Subjects()
	}
	c, errs[3] = settingtag.Fill(c)
	if err := errors.Join(errs[:]...); err != nil {
		return c, fmt.Errorf("automation: %w", err)
	}
	return c, nil
}

// Files of a project that other tools of this automation know, below its root.
const (
	RuntimeFolder = ".claude/runtime"
	ProjectFile   = RuntimeFolder + "/automation_config.json" // its own automation config
	SpoolFolder   = RuntimeFolder + "/improvement_queue"      // requests, ours and those of other tools
	ReviewFolder  = RuntimeFolder + "/manual_review"          // what waits for a person
	LogFolder     = RuntimeFolder + "/logs"                   // a folder for each workflow
	WorkflowFile  = ".claude/workflow/DEFAULT_WORKFLOW.md"    // how the project wants the steps done
)

// MaxProjectFile is the largest ProjectFile and WorkflowFile that is read.
const MaxProjectFile = 64 << 10

// Overlay lays a project's automation_config.json over the config. A key that it
// does not know, and a value that a key does not take, is left out and named in a
// problem; the rest counts. The caller has made sure that the project is trusted.
// Lines that begin with // are comments.
func (c Config) Overlay(data []byte) (Config, []string) {
	if len(data) > MaxProjectFile {
		return c, []string{fmt.Sprintf("%d bytes are over the limit of %d", len(data), MaxProjectFile)}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(uncommented(data), &object); err != nil || object == nil {
		return c, []string{"it is not a JSON object" + why(err)}
	}
	o := overlay{}
	o.section(reflect.ValueOf(&c).Elem(), "", object)
	return c, o.problems
}

func why(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

func uncommented(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	return bytes.Join(slices.DeleteFunc(lines, func(l []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(l), []byte("//")) }), []byte("\n"))
}

const maxProblems = 20

type overlay struct{ problems []string }

func (o *overlay) problem(format string, args ...any) {
	if len(o.problems) < maxProblems {
		o.problems = append(o.problems, fmt.Sprintf(format, args...))
	}
}

// section sets the fields of a struct from an object.
func (o *overlay) section(v reflect.Value, path string, object map[string]json.RawMessage) {
	known := map[string]int{}
	for i := range v.NumField() {
		if f, ok := settingtag.FieldOf(v.Type().Field(i)); ok {
			known[f.Name] = i
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := path + shorten(key, 60)
		i, ok := known[key]
		if !ok {
			o.problem("%s: there is no such key", at)
			continue
		}
		field, _ := settingtag.FieldOf(v.Type().Field(i))
		if field.Tag.Get("guard") != "" {
			o.problem("%s: a project may not set this; set it in your own settings", at)
			continue
		}
		if v.Field(i).Kind() != reflect.Struct {
			o.value(v.Field(i), field, at, object[key])
			continue
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(object[key], &inner) != nil || inner == nil {
			o.problem("%s: %s is not allowed; give an object", at, shorten(string(object[key]), 40))
			continue
		}
		o.section(v.Field(i), at+".", inner)
	}
}

// value sets one field where the text is of its kind and in its range.
func (o *overlay) value(v reflect.Value, field settingtag.Field, path string, raw json.RawMessage) {
	kind := v.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	fresh := reflect.New(kind)
	err := json.Unmarshal(raw, fresh.Interface())
	if kind.Kind() == reflect.Int && err != nil { // 2.0 is a whole number
		var n float64
		if json.Unmarshal(raw, &n) == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			fresh.Elem().SetInt(int64(n))
			err = nil
		}
	}
	null := strings.TrimSpace(string(raw)) == "null"
	if err != nil || null || field.Check(fresh.Elem()) != nil {
		o.problem("%s: %s is not allowed; give %s", path, shorten(string(raw), 40), field.Allowed(kind.Kind()))
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(fresh)
	} else {
		v.Set(fresh.Elem())
	}
}
