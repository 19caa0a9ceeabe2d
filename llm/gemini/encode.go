package gemini

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/normalize"
)

// The request, in the API's words.
type (
	request struct {
		System   *content  `json:"systemInstruction,omitempty"`
		Tools    []tools   `json:"tools,omitempty"`
		Contents []content `json:"contents"`
		Config   *config   `json:"generationConfig,omitempty"`
	}
	content struct {
		Role  string `json:"role,omitempty"`
		Parts []any  `json:"parts"` // part, or raw JSON
	}
	part struct {
		Text      *string   `json:"text,omitempty"`
		Call      *call     `json:"functionCall,omitempty"`
		Response  *response `json:"functionResponse,omitempty"`
		Signature string    `json:"thoughtSignature,omitempty"`
	}
	call struct {
		ID   string          `json:"id,omitempty"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	response struct {
		ID       string            `json:"id,omitempty"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	}
	tools struct {
		Functions []function `json:"functionDeclarations"`
	}
	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"parametersJsonSchema"`
	}
	config struct {
		MaxTokens int       `json:"maxOutputTokens,omitempty"`
		Thinking  *thinking `json:"thinkingConfig,omitempty"`
	}
	thinking struct {
		Include bool `json:"includeThoughts"`
	}
)

var errEmpty = errors.New("there is nothing to send: the conversation is empty")

// encode writes a request.
func (m *Model) encode(r llm.Request) ([]byte, error) {
	talk := normalize.Order(r.Messages, m.opt.Name)
	if len(talk.Turns) == 0 {
		return nil, errEmpty
	}
	var out request
	for _, text := range append([]string{r.System}, talk.System...) {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if out.System == nil {
			out.System = &content{}
		}
		out.System.Parts = append(out.System.Parts, part{Text: &text})
	}
	var all []function
	for _, t := range r.Tools {
		all = append(all, function{t.Name, t.Description, normalize.Schema(t.Schema)})
	}
	if len(all) > 0 {
		out.Tools = []tools{{all}}
	}
	v := version(m.opt.Model)
	for _, t := range talk.Turns {
		out.Contents = append(out.Contents, write(t, v >= 300))
	}
	limit := r.MaxTokens
	if limit <= 0 {
		limit = m.opt.MaxTokens
	}
	out.Config = &config{MaxTokens: max(limit, 0)}
	if v >= 205 {
		out.Config.Thinking = &thinking{Include: true}
	}
	if *out.Config == (config{}) {
		out.Config = nil
	}
	return normalize.Encode(out)
}

var number = lazyregexp.Pattern(`^gemini-(\d{1,2})(?:\.(\d{1,2}))?-`)

// version reads a model's version from its name: 205 is 2.5, and 0 is not known.
func version(model string) int {
	v := number().FindStringSubmatch(model)
	if v == nil {
		return 0
	}
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	return 100*major + minor
}

// unsigned is what the API takes on a call that another provider's model made,
// where it would refuse one without a signature.
const unsigned = "skip_thought_signature_validator"

// write makes a content of a turn. signs says that calls must be signed: the
// first of each reply.
func write(t normalize.Turn, signs bool) content {
	c := content{Role: "user"}
	for _, r := range t.Results {
		kind := "output"
		if r.Failed {
			kind = "error"
		}
		c.Parts = append(c.Parts, part{Response: &response{ID: id(r.ID, r.Name), Name: r.Name, Response: map[string]string{kind: r.Text}}})
	}
	if t.Role == trimtab.RoleAssistant {
		c.Role = "model"
		for _, say := range t.Says {
			c.Parts = append(c.Parts, reply(say, signs)...)
		}
		return c
	}
	for _, say := range t.Says {
		for _, p := range say.Parts {
			switch p := p.(type) {
			case trimtab.Text:
				c.Parts = append(c.Parts, part{Text: &p.Text})
			case trimtab.Opaque:
				if pic, ok := normalize.Picture(p); ok {
					c.Parts = append(c.Parts, pic.Gemini())
					continue
				}
				missing := normalize.Missing(p)
				c.Parts = append(c.Parts, part{Text: &missing})
			}
		}
	}
	return c
}

// id is none where the API gave none: then the name stands for it.
func id(id, name string) string {
	if id == name {
		return ""
	}
	return id
}

// reply makes the parts of a reply. A signature is kept in front of the part that
// bears it.
func reply(say normalize.Say, signs bool) []any {
	var all []any
	sign, called := "", false
	for _, p := range say.Parts {
		switch p := p.(type) {
		case trimtab.Opaque:
			if s := signature(p); s != "" {
				sign = s
			} else if thought(p) {
				all = append(all, p.Raw)
			}
		case trimtab.Text:
			all = append(all, part{Text: &p.Text, Signature: sign})
			sign = ""
		case trimtab.ToolCall:
			if sign == "" && signs && !called {
				sign = unsigned
			}
			all = append(all, part{Call: &call{ID: id(p.ID, p.Name), Name: p.Name, Args: normalize.Object(p.Input)}, Signature: sign})
			sign, called = "", true
		}
	}
	if sign != "" {
		empty := ""
		all = append(all, part{Text: &empty, Signature: sign})
	}
	return all
}

// signature is that of the part behind it, or "".
func signature(p trimtab.Opaque) string {
	var is struct {
		Signature string `json:"thoughtSignature"`
		Thought   bool   `json:"thought"`
	}
	if p.Kind != "thoughtSignature" || !normalize.Is(p.Raw) || json.Unmarshal(p.Raw, &is) != nil || is.Thought {
		return ""
	}
	return is.Signature
}

// thought reports whether a raw part is a thought that the API takes back: it has
// a text, and nothing but what belongs to a thought.
func thought(p trimtab.Opaque) bool {
	var is map[string]json.RawMessage
	if p.Kind != "thought" || !normalize.Is(p.Raw) || json.Unmarshal(p.Raw, &is) != nil {
		return false
	}
	var text string
	var flag bool
	if json.Unmarshal(is["thought"], &flag) != nil || !flag || json.Unmarshal(is["text"], &text) != nil || text == "" {
		return false
	}
	for name := range is {
		switch name {
		case "thought", "text", "thoughtSignature":
		default:
			return false
		}
	}
	return true
}
