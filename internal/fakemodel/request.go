package fakemodel

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Request is one request as it arrived, and what it says.
type Request struct {
	N        int // its number, from 1, in the order in which requests were whole
	Method   string
	Path     string
	Query    url.Values  // without credentials
	Header   http.Header // credentials are masked: "Bearer ***"
	Encoding string      // the content-encoding it came with
	Body     []byte      // as it came, after undoing that

	Format   Format
	Counting bool // it only asks how many tokens it has
	Model    string
	Stream   bool
	Thinks   string // "on" where thinking is asked for, "hidden" where it is asked for and not shown
	Items    []Item
	Tools    []Tool
	Schema   json.RawMessage // what the reply must be an instance of
	Forced   string          // the tool that the reply must call
	Side     string          // "" is a main turn; else what kind of side call: title, compaction, …

	Refused error // a *Refusal, where the request got one

	// Transformed is the thinking that failed a check and was not refused.
	Transformed []Transformation

	// Prompt is what its input came to, in tokens: read from the provider's prompt
	// cache, written to it, or neither. A refused one came to nothing.
	Prompt Usage

	tree object
	keys [][32]byte

	prefix   prefix // of new thinking
	previous sum    // thinking that the model was shown last
	prompt   prompt
}

// Tool is a tool that a request offers.
type Tool struct {
	Name      string
	Namespace string          // Responses: the group it stands in
	Custom    bool            // it takes text and not JSON
	Schema    json.RawMessage // of its input
}

// Raw returns the bytes of a key at the top of the body, as they came: what
// tests compare where nothing may have changed.
func (r Request) Raw(key string) json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(r.Body, &top) != nil {
		return nil
	}
	return top[key]
}

// HasKey reports whether the request carried this credential. The credential
// itself is not kept.
func (r Request) HasKey(secret string) bool {
	return slices.Contains(r.keys, sha256.Sum256([]byte(secret)))
}

// credentials are the headers, in Go's spelling, that hold secrets.
var credentials = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie"}

// mask hides the credentials of headers and query and keeps their digests.
func (r *Request) mask(h http.Header, q url.Values) {
	r.Header, r.Query = h.Clone(), q
	hide := func(v string) string {
		scheme, secret, ok := strings.Cut(v, " ")
		if !ok {
			scheme, secret = "", v
		}
		r.keys = append(r.keys, sha256.Sum256([]byte(secret)))
		return strings.TrimSpace(scheme + " ***")
	}
	for _, name := range credentials {
		for i, v := range r.Header[name] {
			r.Header[name][i] = hide(v)
		}
	}
	for i, v := range q["key"] {
		q["key"][i] = hide(v)
	}
}

// authorized reports whether a credential of the format's kind is there.
func (r *Request) authorized() bool {
	bearer := strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch r.Format {
	case Anthropic:
		return bearer || r.Header.Get("X-Api-Key") != ""
	case Gemini:
		return bearer || r.Header.Get("X-Goog-Api-Key") != "" || r.Query.Get("key") != ""
	}
	return bearer || r.Header.Get("Api-Key") != ""
}

// read fills in what the body says, as far as it can be read.
func (r *Request) read(at route) {
	r.Format, r.Model, r.Stream, r.Counting = at.format, at.model, at.stream, at.ask == askCount
	if tree, err := parse(r.Body); err == nil {
		r.tree = tree
	} else {
		return
	}
	b := r.tree
	if r.Counting && r.Format == Gemini && b["contents"] == nil { // countTokens may wrap the request
		b = obj(b, "generateContentRequest")
	}
	if r.Model == "" {
		r.Model = str(b, "model")
	}
	r.Stream = r.Stream || flag(b, "stream")
	r.Items, r.Tools = itemsOf(r.Format, b), toolsOf(r.Format, b)
	r.Schema, r.Forced, r.Thinks = schemaOf(r.Format, b), forcedOf(r.Format, b), thinksOf(r.Format, b)
	r.Side = sideOf(r)
}

func toolsOf(f Format, b object) []Tool {
	var all []Tool
	add := func(namespace string, o object, custom bool, schema any) {
		if name := str(o, "name"); name != "" {
			raw, _ := json.Marshal(schema)
			all = append(all, Tool{name, namespace, custom, raw})
		}
	}
	var group func(namespace string, tools []object)
	group = func(namespace string, tools []object) {
		for _, tool := range tools {
			switch f {
			case Anthropic:
				add("", tool, false, tool["input_schema"])
			case Chat:
				kind := str(tool, "type")
				add("", obj(tool, kind), kind == "custom", obj(tool, kind)["parameters"])
			case Responses:
				if str(tool, "type") == "namespace" {
					group(str(tool, "name"), objects(list(tool, "tools")))
					continue
				}
				add(namespace, tool, str(tool, "type") == "custom", tool["parameters"])
			case Gemini:
				declared, _ := either(tool, "functionDeclarations", "function_declarations").([]any)
				for _, fn := range objects(declared) {
					add("", fn, false, either(fn, "parametersJsonSchema", "parameters_json_schema", "parameters"))
				}
			}
		}
	}
	group("", objects(list(b, "tools")))
	if f == Responses { // Codex's lite form offers its tools as an item
		for _, item := range objects(list(b, "input")) {
			if itemType(item) == "additional_tools" {
				group("", objects(list(item, "tools")))
			}
		}
	}
	return all
}

// schemaOf finds the schema that the reply is asked to follow.
func schemaOf(f Format, b object) json.RawMessage {
	var schema any
	switch f {
	case Anthropic:
		schema = either(obj(obj(b, "output_config"), "format"), "schema")
		if schema == nil {
			schema = obj(b, "output_format")["schema"]
		}
	case Chat:
		format := obj(b, "response_format")
		schema = obj(format, "json_schema")["schema"]
		if str(format, "type") == "json_object" {
			schema = object{"type": "object"}
		}
	case Responses:
		format := obj(obj(b, "text"), "format")
		schema = format["schema"]
		if str(format, "type") == "json_object" {
			schema = object{"type": "object"}
		}
	case Gemini:
		config, _ := either(b, "generationConfig", "generation_config").(object)
		schema = either(config, "responseJsonSchema", "_responseJsonSchema", "response_json_schema", "responseSchema", "response_schema")
		if schema == nil && either(config, "responseMimeType", "response_mime_type") == "application/json" {
			schema = object{"type": "object"}
		}
	}
	if schema == nil {
		return nil
	}
	return json.RawMessage(text(schema))
}

// forcedOf finds the tool that the reply is made to call.
func forcedOf(f Format, b object) string {
	choice := obj(b, "tool_choice")
	switch f {
	case Anthropic:
		if str(choice, "type") == "tool" {
			return str(choice, "name")
		}
	case Chat:
		return str(obj(choice, "function"), "name")
	case Responses:
		if str(choice, "type") == "function" {
			return str(choice, "name")
		}
	case Gemini:
		config, _ := either(b, "toolConfig", "tool_config").(object)
		calling, _ := either(config, "functionCallingConfig", "function_calling_config").(object)
		names, _ := either(calling, "allowedFunctionNames", "allowed_function_names").([]any)
		if str(calling, "mode") == "ANY" && len(names) == 1 {
			name, _ := names[0].(string)
			return name
		}
	}
	return ""
}

func thinksOf(f Format, b object) string {
	switch f {
	case Anthropic:
		thinking := obj(b, "thinking")
		if kind := str(thinking, "type"); kind != "enabled" && kind != "adaptive" {
			return ""
		}
		if str(thinking, "display") == "omitted" {
			return "hidden"
		}
		return "on"
	case Responses:
		if b["reasoning"] == nil {
			return ""
		}
		if s := str(obj(b, "reasoning"), "summary"); s == "" || s == "none" {
			return "hidden"
		}
		return "on"
	case Gemini:
		config, _ := either(b, "generationConfig", "generation_config").(object)
		thinking, _ := either(config, "thinkingConfig", "thinking_config").(object)
		if either(thinking, "includeThoughts", "include_thoughts") == true {
			return "on"
		}
	}
	return ""
}
