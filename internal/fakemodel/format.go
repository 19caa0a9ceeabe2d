package fakemodel

import (
	"net/http"
	"strings"
)

// Format is the API that a request speaks.
type Format string

// The formats. A request to none of them has the empty Format.
const (
	Anthropic Format = "anthropic"
	Chat      Format = "chat"
	Responses Format = "responses"
	Gemini    Format = "gemini"
)

// Formats returns all of them.
func Formats() []Format { return []Format{Anthropic, Chat, Responses, Gemini} }

// rules are what the API of each format refuses of a body, in the order in which
// it is told.
var rules = map[Format][]func(object) error{
	Anthropic: {
		anthropicModel, anthropicSystem, anthropicTools, anthropicMessages,
		anthropicSystemTurns, anthropicPairs, anthropicBudget, anthropicMarks,
	},
	Chat:      {chatFields, chatTools, chatMessages, chatPairs},
	Responses: {responsesFields, responsesItems, responsesReasoning, responsesPairs},
	Gemini:    {geminiFields, geminiContents, geminiPairs},
}

// Validate refuses what the API of a format would refuse of a request's body: its
// error is a *Refusal.
func Validate(f Format, body []byte) error { return validate(f, askReply, nil, body) }

// ValidateRequest is Validate for a body that comes with headers: some fields are
// only known to an API whose header asks for them.
func ValidateRequest(f Format, h http.Header, body []byte) error {
	return validate(f, askReply, h, body)
}

func validate(f Format, a ask, h http.Header, body []byte) error {
	b, err := parse(body)
	if err != nil {
		words := "We could not parse the JSON body of your request: "
		switch f {
		case Anthropic:
			words = "The request body is not valid JSON: "
		case Gemini:
			words = "Invalid JSON payload received. "
		}
		return failure(f, http.StatusBadRequest, words+err.Error())
	}
	for _, rule := range rules[f] {
		if err := rule(b); err != nil {
			return err
		}
	}
	if f != Anthropic {
		return nil
	}
	for _, rule := range anthropicBeta {
		if err := rule(b, betasOf(h)); err != nil {
			return err
		}
	}
	if a == askReply { // a count needs none
		return anthropicMaxTokens(b)
	}
	return nil
}

// ask is what a request wants.
type ask string

const (
	askReply   ask = "reply"
	askCount   ask = "count"   // only a number of tokens
	askModels  ask = "models"  // the list of models
	askUpgrade ask = "upgrade" // to a WebSocket
	askOther   ask = ""
)

// route is where a request goes.
type route struct {
	format Format
	ask    ask
	model  string // where the path names it
	stream bool   // where the path says it
}

// routeOf reads the method and the path.
func routeOf(r *http.Request) route {
	path, post := r.URL.Path, r.Method == http.MethodPost
	switch {
	case post && path == "/v1/messages":
		return route{format: Anthropic, ask: askReply}
	case post && path == "/v1/messages/count_tokens":
		return route{format: Anthropic, ask: askCount}
	case post && path == "/v1/chat/completions":
		return route{format: Chat, ask: askReply}
	case post && path == "/v1/responses":
		return route{format: Responses, ask: askReply}
	case path == "/v1/responses" && strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		return route{format: Responses, ask: askUpgrade}
	case r.Method == http.MethodGet && isModels(path, "/v1/models"):
		if r.Header.Get("Anthropic-Version") != "" {
			return route{format: Anthropic, ask: askModels}
		}
		return route{format: Chat, ask: askModels}
	case r.Method == http.MethodGet && isModels(path, "/v1beta/models"):
		return route{format: Gemini, ask: askModels}
	case post:
		return geminiRoute(path)
	}
	return route{}
}

func isModels(path, base string) bool {
	return path == base || strings.HasPrefix(path, base+"/")
}

// geminiRoute reads /v1beta/models/{model}:{method}.
func geminiRoute(path string) route {
	for _, base := range []string{"/v1beta/models/", "/v1/models/"} {
		rest, ok := strings.CutPrefix(path, base)
		model, method, both := strings.Cut(rest, ":")
		if !ok || !both || model == "" {
			continue
		}
		switch method {
		case "generateContent":
			return route{format: Gemini, ask: askReply, model: model}
		case "streamGenerateContent":
			return route{format: Gemini, ask: askReply, model: model, stream: true}
		case "countTokens":
			return route{format: Gemini, ask: askCount, model: model}
		}
	}
	return route{}
}
