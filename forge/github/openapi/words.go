package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// maxWords is the largest description that is read.
const maxWords = 64 << 20

// Words is a description of an API: what can be said to it, and what it answers.
type Words struct {
	router routers.Router
	under  string
}

// Read reads a description. Under is where the API is at the server that is
// watched, "/api/v3".
func Read(file, under string) (*Words, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	if info.Size() > maxWords {
		return nil, fmt.Errorf("description: %s has more than %d MB", file, maxWords>>20)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	return Parse(raw, under)
}

// Parse reads a description from its text.
func Parse(raw []byte, under string) (*Words, error) {
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	if doc.Paths.Len() == 0 {
		return nil, errors.New("description: it has no paths")
	}
	doc.Servers = openapi3.Servers{{URL: under}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	return &Words{router: router, under: under}, nil
}

// call is a request that the description has.
type call struct {
	in *openapi3filter.RequestValidationInput
}

func options() *openapi3filter.Options {
	return &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}
}

// request checks a request whose body is also given apart. It returns nil for
// one that the description does not have at all.
func (w *Words) request(r *http.Request, body []byte) (*call, []string) {
	route, params, err := w.router.FindRoute(r)
	if err != nil {
		return nil, []string{"the API has no such request: " + err.Error()}
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, QueryParams: r.URL.Query(), Options: options()}
	var out []string
	if err := openapi3filter.ValidateRequest(r.Context(), in); err != nil {
		out = append(out, flat(err)...)
	}
	for name := range in.QueryParams {
		if !takes(route, name) {
			out = append(out, "there is no parameter "+name)
		}
	}
	op := route.Operation
	switch {
	case len(body) == 0:
	case op.RequestBody == nil || op.RequestBody.Value == nil:
		out = append(out, "it takes no body")
	default:
		out = append(out, unknown(op.RequestBody.Value.Content, body)...)
	}
	return &call{in}, out
}

// takes reports whether an operation has a parameter in its query.
func takes(route *routers.Route, name string) bool {
	for _, all := range []openapi3.Parameters{route.PathItem.Parameters, route.Operation.Parameters} {
		if all.GetByInAndName(openapi3.ParameterInQuery, name) != nil {
			return true
		}
	}
	return false
}

// everywhere are answers that GitHub gives to any request and its description
// does not repeat for each: it has moved, no token, no right, not there, too many
// requests, and what stands before the API cannot reach it.
func everywhere() []int { return []int{301, 401, 403, 404, 429, 502} }

// answer checks the answer to a request.
func (c *call) answer(ctx context.Context, status int, header http.Header, body []byte) []string {
	op := c.in.Route.Operation
	if op.Responses.Status(status) == nil {
		if !slices.Contains(everywhere(), status) {
			return []string{fmt.Sprintf("it never answers %d", status)}
		}
		return errorBody(status, body)
	}
	in := &openapi3filter.ResponseValidationInput{RequestValidationInput: c.in, Status: status, Header: header, Options: options()}
	in.SetBodyBytes(body)
	var out []string
	if err := openapi3filter.ValidateResponse(ctx, in); err != nil {
		out = flat(err)
	}
	if told := op.Responses.Status(status).Value; told != nil && len(body) > 0 {
		out = append(out, unknown(told.Content, body)...)
	}
	return out
}

// errorBody holds an error that the description does not tell of for one request
// to the form that it tells of for others.
func errorBody(status int, body []byte) []string {
	if status >= 500 {
		return nil // it may be a page for people
	}
	var v struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &v); err != nil || v.Message == "" {
		return []string{fmt.Sprintf("the %d has no message", status)}
	}
	return nil
}

// flat is an error, one line for each of its parts.
func flat(err error) []string {
	if many, ok := errors.AsType[openapi3.MultiError](err); ok {
		var out []string
		for _, one := range many {
			out = append(out, flat(one)...)
		}
		return out
	}
	if one, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		return []string{"/" + strings.Join(one.JSONPointer(), "/") + ": " + one.Reason}
	}
	return []string{strings.Join(strings.Fields(err.Error()), " ")}
}
