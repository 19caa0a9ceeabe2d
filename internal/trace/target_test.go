package trace_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/trace"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// TestG6_TracesGoNowhereUnlessAskedFor, and then to where the setting or else the
// standard variables say.
func TestG6_TracesGoNowhereUnlessAskedFor(t *testing.T) {
	const all, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	for _, c := range []struct {
		name, setting string
		env           []string
		want          string
	}{
		{"nothing set", "", nil, ""},
		{"other variables", "", []string{"OTEL_SERVICE_NAME", "x", "OTEL_EXPORTER_OTLP_HEADERS", "a=b", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://h"}, ""},
		{"a setting", "http://h:4318/v1/traces", nil, "http://h:4318/v1/traces"},
		{"a setting with a path of its own", "https://h/api/otel?x=y", nil, "https://h/api/otel?x=y"},
		{"a setting without a path", "http://h:4318", nil, "http://h:4318/v1/traces"},
		{"a base", "", []string{all, "http://h:4318"}, "http://h:4318/v1/traces"},
		{"a base with a path", "", []string{all, "http://h/otlp/"}, "http://h/otlp/v1/traces"},
		{"the one for traces, as it is", "", []string{all, "http://h", traces, "http://t/x"}, "http://t/x"},
		{"the setting counts", "http://s/v1/traces", []string{all, "http://h", traces, "http://t/x"}, "http://s/v1/traces"},
		{"off counts", "off", []string{all, "http://h"}, ""},
		{"the SDK is disabled", "", []string{all, "http://h", "OTEL_SDK_DISABLED", "true"}, ""},
		{"no exporter", "", []string{all, "http://h", "OTEL_TRACES_EXPORTER", "none"}, ""},
		{"this exporter", "", []string{all, "http://h", "OTEL_TRACES_EXPORTER", "otlp"}, "http://h/v1/traces"},
		{"grpc for others", "http://s/v1/traces", []string{all, "http://h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "http://s/v1/traces"},
	} {
		got, err := trace.Find(trace.Config{Traces: c.setting}, env(c.env...))
		if err != nil || got.URL != c.want {
			t.Errorf("%s: %q, %v", c.name, got.URL, err)
		}
	}
}

func TestG6_WhatIsSaidOfTheProgram(t *testing.T) {
	got, err := trace.Find(trace.Config{Traces: "http://h"}, env(
		"OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20eA==, x-team = a ,",
		"OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%2Cb",
		"OTEL_SERVICE_NAME", "mine"))
	want := trace.Target{
		URL: "http://h/v1/traces", Header: http.Header{"Authorization": {"Basic eA=="}, "X-Team": {"a"}},
		About: []trace.Pair{{Name: "service.name", Value: "other"}, {Name: "team", Value: "a,b"}, {Name: "service.name", Value: "mine"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestG6_MistakesAreNamed without a word of what may be a key. Those in variables
// can be told: they are set for other programs too.
func TestG6_MistakesAreNamed(t *testing.T) {
	const all, headers = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"
	for _, c := range []struct {
		setting  string
		env      []string
		want     string
		variable bool
	}{
		{"secret", nil, "telemetry.traces: not an http or https address", false},
		{"ftp://secret", nil, "telemetry.traces: not an http", false},
		{"http://a:secret@h", nil, "telemetry.traces: the address holds a password", false},
		{"http://%zz/secret", nil, "telemetry.traces: not an http", false},
		{"", []string{all, "localhost:4317secret"}, all + ": not an http", true},
		{"", []string{all, "http://h", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc", true},
		{"", []string{all, "http://h", headers, "a=b,secret"}, headers + ": entry 2 is not name=value", true},
		{"", []string{all, "http://h", headers, "a=%zzsecret"}, headers + ": entry 1 is not name=value", true},
		{"", []string{all, "http://h", headers, "a=b%0Asecret"}, headers + ": entry 1 is not a header", true},
		{"", []string{all, "http://h", headers, "a b=secret"}, headers + ": entry 1 is not a header", true},
		{"", []string{all, "http://h", headers, "a=" + strings.Repeat("secret", 4000)}, headers + ": 24002 bytes are over", true},
		{"", []string{all, "http://h", "OTEL_RESOURCE_ATTRIBUTES", strings.Repeat("a=secret,", 65)}, "OTEL_RESOURCE_ATTRIBUTES: over 64", true},
	} {
		got, err := trace.Find(trace.Config{Traces: c.setting}, env(c.env...))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") || errors.Is(err, trace.ErrVariable) != c.variable || got.URL != "" {
			t.Errorf("%q %.60q: %q, %v", c.setting, c.env, got.URL, err)
		}
	}
	if _, err := trace.New(trace.Options{}); err == nil {
		t.Error("an exporter to nowhere")
	}
}
