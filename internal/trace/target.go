package trace

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Config says where traces go.
type Config struct {
	Traces string `json:"traces" guard:"user" doc:"where OpenTelemetry traces of the gateway go (OTLP over HTTP), as in http://127.0.0.1:4318/v1/traces; off: nowhere; empty: where the standard OTEL_ variables say"`
}

// tracesOff is the value of Config.Traces that turns traces off, whatever the
// environment says.
const tracesOff = "off"

// target is where traces go and what they say of this program.
type target struct {
	URL    string      // "" is nowhere
	Header http.Header // of each request; it may hold a key
	About  []pair      // attributes of the program, as the person names them
}

// pair is a name and its value.
type pair struct{ Name, Value string }

// errVariable is wrapped by the errors of Find that are about a variable. Those
// are set for all programs of a person: one may well go on without traces.
var errVariable = errors.New("no traces are sent")

// find reads the setting and, where it says nothing, the standard variables of
// OpenTelemetry. A target without a URL is the usual outcome.
func find(cfg Config, getenv func(string) string) (to target, err error) {
	switch cfg.Traces {
	case tracesOff:
		return target{}, nil
	case "":
		if to.URL, err = endpoint(getenv); err != nil || to.URL == "" {
			return target{}, err
		}
	default:
		u, err := address(cfg.Traces)
		if err != nil {
			return target{}, fmt.Errorf("telemetry.traces: %w", err)
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = "/v1/traces"
		}
		to.URL = u.String()
	}
	name, text := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
	headers, err := pairs(text)
	if err != nil {
		return target{}, fmt.Errorf("%w: %s: %w", errVariable, name, err)
	}
	to.Header = http.Header{}
	for i, h := range headers {
		if !token(h.Name) || !printable(h.Value) {
			return target{}, fmt.Errorf("%w: %s: entry %d is not a header", errVariable, name, i+1)
		}
		to.Header.Set(h.Name, h.Value)
	}
	if to.About, err = pairs(getenv("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return target{}, fmt.Errorf("%w: OTEL_RESOURCE_ATTRIBUTES: %w", errVariable, err)
	}
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		to.About = append(to.About, pair{"service.name", name})
	}
	return to, nil
}

// endpoint is the address that the standard variables name, or "".
func endpoint(getenv func(string) string) (string, error) {
	name, text := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	exporter := getenv("OTEL_TRACES_EXPORTER")
	if text == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter != "" && !strings.Contains(exporter, "otlp") {
		return "", nil
	}
	if by, protocol := first(getenv, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol == "grpc" {
		return "", fmt.Errorf("%w: %s asks for grpc, and they go over HTTP alone; name an HTTP address in telemetry.traces, or set it to off", errVariable, by)
	}
	u, err := address(text)
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", errVariable, name, err)
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" { // the one for all signals is a base
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// first returns the first of the variables that is set.
func first(getenv func(string) string, names ...string) (name, value string) {
	for _, name := range names {
		if value := getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// address checks a URL. Its text is in no error: it may hold a key.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "":
		return nil, errors.New("not an http or https address; give one as in http://127.0.0.1:4318/v1/traces")
	case u.User != nil:
		return nil, errors.New("the address holds a password; put it into OTEL_EXPORTER_OTLP_HEADERS instead")
	}
	return u, nil
}

const (
	maxPairs = 64
	maxText  = 16 << 10
)

// pairs reads the form of the standard variables: name=value,name=value, with
// values escaped as in a URL. No value is in an error.
func pairs(text string) ([]pair, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%d bytes are over the limit of %d", len(text), maxText)
	}
	var all []pair
	n := 0
	for entry := range strings.SplitSeq(text, ",") {
		n++
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || name == "" || err != nil {
			return nil, fmt.Errorf("entry %d is not name=value", n)
		}
		if all = append(all, pair{name, value}); len(all) > maxPairs {
			return nil, fmt.Errorf("over %d entries", maxPairs)
		}
	}
	return all, nil
}

// token reports whether a text can be the name of a header.
func token(s string) bool {
	for _, c := range []byte(s) {
		if !letter(c) && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// printable reports whether a text can be the value of a header.
func printable(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
