package wiretest

import (
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/wire"
)

// Gemini is the Gemini API.
func Gemini() Corpus {
	return Corpus{
		Name: "gemini", API: fakemodel.Gemini, Encode: encodeGemini, Read: readGemini,
		Wrap: func(items ...string) string {
			return `{"contents":[{"role":"user","parts":[{"text":"go"}]},` + strings.Join(items, ",") + `]}`
		},
		Typed: func(texts ...string) string {
			var parts []string
			for _, t := range texts {
				parts = append(parts, `{"text":`+quote(t)+`}`)
			}
			return `{"role":"user","parts":[` + strings.Join(parts, ",") + `]}`
		},
		Typed1:  func(t string) string { return `{"parts":[{"text":` + quote(t) + `}],"role":"user"}` },
		Foreign: foreignGemini, Stream: streamGemini, Document: documentGemini,
	}
}

func encodeGemini(t Talk, c *Chance, tidy bool) []byte {
	contents := arr{}
	for _, e := range t.Entries {
		contents = append(contents, c.gemini(e)...)
	}
	system := Pick(c, "systemInstruction", "system_instruction")
	if tidy {
		system = "systemInstruction"
	}
	body := obj{
		{"contents", contents},
		{system, obj{{"parts", arr{obj{{"text", t.System}}}}}},
		{"tools", arr{obj{{"functionDeclarations", arr{}}}}},
		{"generationConfig", obj{{"temperature", lit("1.0")}}},
	}
	s := c.style()
	if tidy {
		s = plain(c)
	}
	return s.ws(s.value(s.ws(nil), body))
}

func (c *Chance) gemini(e Entry) arr {
	snake := c.One(6)
	name := func(camel, under string) string {
		if snake {
			return under
		}
		return camel
	}
	var parts arr
	if e.Thought != "" {
		parts = append(parts, obj{{"text", e.Thought}, {"thought", true}})
	}
	for _, r := range e.Results {
		response := obj{{"output", r.Text}}
		if r.Failed {
			response = obj{{"error", r.Text}}
		}
		parts = append(parts, obj{{name("functionResponse", "function_response"), obj{{"name", r.Name}, {"response", response}, {"id", r.ID}}}})
	}
	for _, t := range e.Texts {
		p := obj{{"text", t}}
		if e.Who == Reply && c.One(3) {
			p = p.add(name("thoughtSignature", "thought_signature"), "c2ln")
		}
		parts = append(parts, p)
	}
	if e.Picture {
		parts = append(parts, obj{{name("inlineData", "inline_data"), obj{{"mimeType", "image/png"}, {"data", "QUJD"}}}})
	}
	for range e.Server {
		parts = append(parts, obj{{"executableCode", obj{{"language", "PYTHON"}, {"code", "x"}}}}, obj{{"codeExecutionResult", obj{{"outcome", "OUTCOME_OK"}, {"output", "y"}}}})
	}
	for _, call := range e.Calls {
		p := obj{{name("functionCall", "function_call"), obj{{"id", call.ID}, {"args", lit(call.Input)}, {"name", call.Name}}}}
		if c.One(2) {
			p = p.add(name("thoughtSignature", "thought_signature"), "c2ln")
		}
		parts = append(parts, p)
	}
	if e.Who == Reply {
		return arr{obj{{"parts", parts}, {"role", "model"}}}
	}
	return arr{obj{{"parts", parts}, {"role", "user"}}}
}

// either returns the member of one of two names.
func either(v any, a, b string) any {
	if x := get(v, a); x != nil {
		return x
	}
	return get(v, b)
}

func readGemini(body []byte) ([]Seen, error) {
	v, err := decode(body)
	if err != nil {
		return nil, err
	}
	var out []Seen
	for _, m := range array(get(v, "contents")) {
		s := Seen{Role: text(get(m, "role"))}
		if s.Role == "model" {
			s.Role, s.Model = "assistant", true
		}
		for _, p := range array(get(m, "parts")) {
			call, response := either(p, "functionCall", "function_call"), either(p, "functionResponse", "function_response")
			switch t, ok := get(p, "text").(string); {
			case get(p, "thought") == true:
				s.Others++
			case call != nil:
				s.Calls = append(s.Calls, Call{ID: text(get(call, "id")), Name: text(get(call, "name")), Input: encode(get(call, "args"))})
			case response != nil:
				r := Result{ID: text(get(response, "id")), Text: text(get(response, "response", "output"))}
				if e, ok := get(response, "response", "error").(string); ok {
					r.Text, r.Failed = e, true
				}
				s.Results = append(s.Results, r)
			case ok:
				s.Text += t
			default:
				s.Others++
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func foreignGemini(words string) []Placed {
	w := quote(words)
	call := `{"role":"model","parts":[{"functionCall":{"name":"read","args":{},"id":"t"}}]},`
	return []Placed{
		{"the model's text", `{"role":"model","parts":[{"text":` + w + `}]}`},
		{"a thought", `{"role":"model","parts":[{"text":` + w + `,"thought":true}]}`},
		{"a signature", `{"role":"model","parts":[{"text":"x","thoughtSignature":` + w + `}]}`},
		{"a call's arguments", `{"role":"model","parts":[{"functionCall":{"name":"sh","args":{"c":` + w + `}}}]}`},
		{"a call's name", `{"role":"model","parts":[{"function_call":{"name":` + w + `,"args":{}}}]}`},
		{"a response", call + `{"role":"user","parts":[{"functionResponse":{"id":"t","name":"read","response":{"output":` + w + `}}}]}`},
		{"a response by its other name", call + `{"role":"user","parts":[{"function_response":{"name":"read","response":{"output":` + w + `}}}]}`},
		{"a failed response", call + `{"role":"user","parts":[{"functionResponse":{"id":"t","name":"read","response":{"error":` + w + `}}}]}`},
		{"a structured response", call + `{"role":"function","parts":[{"functionResponse":{"id":"t","name":"read","response":{"files":[` + w + `]}}}]}`},
		{"text beside a response", call + `{"role":"user","parts":[{"functionResponse":{"id":"t","name":"read","response":{}}},{"text":` + w + `}]}`},
		{"text before a response", call + `{"role":"user","parts":[{"text":` + w + `},{"functionResponse":{"id":"t","name":"read","response":{}}}]}`},
		{"a system content", `{"role":"system","parts":[{"text":` + w + `}]}`},
		{"a file", `{"role":"user","parts":[{"inlineData":{"mimeType":"text/plain","data":` + w + `}}]}`},
		{"a file by reference", `{"role":"user","parts":[{"fileData":{"fileUri":` + w + `}}]}`},
		{"code", `{"role":"model","parts":[{"executableCode":{"code":` + w + `}},{"codeExecutionResult":{"output":` + w + `}}]}`},
		{"an unknown part", `{"role":"user","parts":[{"newThing":{"text":` + w + `}}]}`},
		{"text beside something unknown", `{"role":"user","parts":[{"newThing":1,"text":` + w + `}]}`},
		{"a referenced file", `{"role":"user","parts":[{"text":"look"},{"text":"\n--- Content from referenced files ---"},{"text":"\nContent from @a:\n"},{"text":` + w + `},{"text":"\n--- End of content ---"}]}`},
	}
}

func geminiParts(s Said) arr {
	var parts arr
	if s.Thought != "" {
		parts = append(parts, obj{{"text", s.Thought}, {"thought", true}, {"thoughtSignature", s.Sign}})
	}
	if s.Text != "" {
		parts = append(parts, obj{{"text", s.Text}})
	}
	for _, call := range s.Calls {
		parts = append(parts, obj{{"functionCall", obj{{"name", call.Name}, {"args", lit(call.Input)}, {"id", call.ID}}}})
	}
	return parts
}

func geminiChunk(s Said, parts arr, last bool) obj {
	candidate := obj{{"content", obj{{"parts", parts}, {"role", "model"}}}, {"index", 0}}
	usage := obj{{"promptTokenCount", s.Usage[0] + s.Usage[2]}}
	if last {
		stop := "STOP"
		if s.Stop == wire.StopLength {
			stop = "MAX_TOKENS"
		}
		candidate = candidate.add("finishReason", stop)
		usage = usage.add("cachedContentTokenCount", s.Usage[2]).add("candidatesTokenCount", s.Usage[1]-1).add("thoughtsTokenCount", 1)
	}
	return obj{{"candidates", arr{candidate}}, {"usageMetadata", usage}, {"modelVersion", "gemini-x"}}
}

func streamGemini(s Said, c *Chance) []byte {
	e := newEvents(c)
	var chunks []arr
	for _, p := range geminiParts(s) {
		o := p.(obj)
		words, ok := o[0].V.(string)
		if o[0].K != "text" || !ok {
			chunks = append(chunks, arr{o})
			continue
		}
		pieces := split(c, words)
		for i, w := range pieces {
			piece := obj{{"text", w}}
			if len(o) > 1 {
				piece = piece.add("thought", true)
			}
			if len(o) > 1 && i == len(pieces)-1 {
				piece = append(piece, o[2])
			}
			chunks = append(chunks, arr{piece})
		}
	}
	array := c.One(4) // as the API streams to those who ask for no events
	for i, parts := range chunks {
		chunk := geminiChunk(s, parts, i == len(chunks)-1)
		if !array {
			e.put("", chunk)
			continue
		}
		if i == 0 {
			e.out = append(e.out, '[')
		} else {
			e.out = append(e.out, ",\r\n"...)
		}
		e.out = plain(c).value(e.out, chunk)
	}
	if array {
		e.out = append(e.out, "\n]"...)
	}
	return e.out
}

func documentGemini(s Said) []byte {
	return plain(NewChance(1)).value(nil, geminiChunk(s, geminiParts(s), true))
}
