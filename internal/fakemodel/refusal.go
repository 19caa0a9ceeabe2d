package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Refusal is the answer of an API that refuses a request. The validators return
// it as their error.
type Refusal struct {
	Format  Format
	Status  int
	Type    string // Anthropic's and OpenAI's kind of error; Gemini's status word
	Param   string // OpenAI: what was wrong
	Code    string // OpenAI
	Message string
}

// Error says who refuses and why.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s refuses with %d: %s", r.Format, r.Status, r.Message)
}

// Body is the refusal as its API writes it.
func (r *Refusal) Body() []byte {
	var v any
	switch r.Format {
	case Anthropic:
		v = object{"type": "error", "error": object{"type": r.Type, "message": r.Message}, "request_id": "req_fake"}
	case Gemini:
		v = object{"error": object{"code": r.Status, "message": r.Message, "status": r.Type}}
	default:
		v = object{"error": object{"message": r.Message, "type": r.Type, "param": orNull(r.Param), "code": orNull(r.Code)}}
	}
	b, err := json.Marshal(v)
	if err != nil { // strings and numbers only
		return nil
	}
	return b
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// failure is an error answer that no rule asked for: scripted, or of the service.
func failure(f Format, status int, message string) *Refusal {
	r := &Refusal{Format: f, Status: status, Message: message}
	switch f {
	case Anthropic:
		r.Type = anthropicType(status)
	case Gemini:
		r.Type = geminiWord(status)
	default:
		r.Type, r.Code = openaiType(status)
	}
	if message == "" {
		r.Message = strings.ToLower(http.StatusText(status))
	}
	return r
}

func anthropicType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

func openaiType(status int) (kind, code string) {
	switch {
	case status == http.StatusTooManyRequests:
		return "requests", "rate_limit_exceeded"
	case status == http.StatusUnauthorized:
		return "invalid_request_error", "invalid_api_key"
	case status >= 500:
		return "server_error", ""
	}
	return "invalid_request_error", ""
}

func geminiWord(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusInternalServerError:
		return "INTERNAL"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	return "INVALID_ARGUMENT"
}

// refuse is a 400 in Anthropic's words.
func refuseAnthropic(format string, args ...any) error {
	return &Refusal{Format: Anthropic, Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

// refuseOpenAI is a 400 in OpenAI's words.
func refuseOpenAI(f Format, param, code, format string, args ...any) error {
	return &Refusal{Format: f, Status: 400, Type: "invalid_request_error", Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// refuseGemini is a 400 in Gemini's words.
func refuseGemini(format string, args ...any) error {
	return &Refusal{Format: Gemini, Status: 400, Type: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}
