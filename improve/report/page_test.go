package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/report"
)

// everywhere is a reflection that has one text in each field that comes from a session, an
// agent or a file.
func everywhere(text string) improve.Reflection {
	p := improve.Pattern{Type: text, Severity: improve.Severity(text), Count: 3, Suggestion: text, Context: improve.Context{improve.KeyAbout: text, improve.KeyKind: text}, Fingerprint: text, Samples: []improve.Sample{{Session: text, Message: text, Excerpt: text}}}
	m := improve.Merged{Pattern: p, Sessions: 2, In: []string{text}, First: now, Last: now}
	r := improve.Reflection{
		At: now, Results: []improve.SessionResult{{Result: improve.Result{SessionID: text}, Host: text, Project: "/home/" + text + "/" + text, File: text}, {}}, Hosts: map[string]int{text: 2},
		Damaged: 1, Lines: []improve.DamagedLine{{File: text, Line: 1, Why: text}}, Unread: []string{text}, Looked: []string{text}, Earliest: now, Latest: now,
		Read: &improve.Reading{
			Agent: text, Model: text, Sessions: 1, Failed: 1, Why: text, Dropped: map[string]int{text: 1},
			Causes: []improve.Cause{{Kind: text, Subject: text, Title: text, Do: text, Sessions: 1, In: []string{text}, Claims: []improve.Claim{{Session: text, Message: text, Quote: text, Says: text}}}},
		},
	}
	for _, kind := range []string{"", improve.LintRule, improve.GuessedPath, improve.ReportedRed, improve.Unproved, improve.SaidNo, improve.ErrorPatterns} {
		one := m
		if kind != "" {
			one.Type = kind
		}
		r.Merged = append(r.Merged, one)
	}
	for _, by := range improve.Groupings {
		r.By = append(r.By, improve.Group{By: by, Name: "/home/x/" + text, Sessions: 1, Merged: r.Merged})
	}
	return r
}

func pageOf(t *testing.T, l report.Layout, r improve.Reflection) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTML_HostileTextIsOnlyText(t *testing.T) {
	hostile := "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\"' onmouseover='x' </style><style>*{background:url(http://evil.example)}</style> &lt;b&gt; \x1b[31m \u202e {{.}} javascript:alert(3)"
	page := pageOf(t, report.Layout{Zone: time.UTC}, everywhere(hostile))
	tags := map[string]bool{}
	for _, m := range regexp.MustCompile(`<\s*/?([a-zA-Z0-9!]+)`).FindAllStringSubmatch(page, -1) {
		tags[strings.ToLower(m[1])] = true
	}
	allowed := strings.Fields("!doctype html head meta title style body header main footer section h1 h2 h3 p ol ul li span code details summary br")
	for tag := range tags {
		if !slices.Contains(allowed, tag) {
			t.Errorf("the page has a <%s>", tag)
		}
	}
	if strings.Count(page, "<style>") != 1 || strings.Contains(page, "\x1b") || strings.Contains(page, "\u202e") {
		t.Error("text of a session acts on the page")
	}
	for _, attribute := range regexp.MustCompile(`<[a-z0-9]+ [^>]*>`).FindAllString(page, -1) {
		if regexp.MustCompile(`\s(on\w+|src|href|style|srcdoc|action)\s*=`).MatchString(attribute) {
			t.Errorf("an attribute that acts: %s", attribute)
		}
	}
}

func TestHTML_ThePageStandsAlone(t *testing.T) {
	page := pageOf(t, report.Layout{Zone: time.UTC}, everywhere("text"))
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := "default-src &#39;none&#39;; style-src &#39;sha256-" + strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;") + "&#39;"
	if !strings.Contains(page, policy) {
		t.Errorf("the policy does not allow the page's own style and nothing else: want %s in\n%s", policy, page[:600])
	}
	for _, bad := range []string{"http://", "https://", "url(", "@import", "<link", "<script", "<iframe", "//cdn"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"prefers-color-scheme: dark", "width=device-width", "overflow-wrap: anywhere"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Secrets in every field: what is made to be shared holds none, and no names of people.
func TestHTML_EveryFieldIsRedacted(t *testing.T) {
	l := report.Layout{Zone: time.UTC, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") }}
	r := everywhere("hunter2")
	if page := pageOf(t, l, r); strings.Contains(page, "hunter2") || !strings.Contains(page, "[REDACTED]") {
		i := strings.Index(page, "hunter2")
		t.Errorf("…%s…", page[max(0, i-100):min(len(page), i+100)])
	}
	r = everywhere("text")
	for _, name := range []string{"ada", "grace"} {
		r.By = append(r.By[:0:0], improve.Group{By: improve.ByPerson, Name: name, Sessions: 1})
		if page := pageOf(t, l, r); strings.Contains(page, name) || !strings.Contains(page, "person 1") {
			t.Errorf("the page names %s", name)
		}
		var b bytes.Buffer
		if err := l.Markdown(&b, r); err != nil || strings.Contains(b.String(), name) || !strings.Contains(b.String(), "person 1") {
			t.Errorf("the document names %s: %v", name, err)
		}
	}
}

func TestReflection_ReadAndDivided_Golden(t *testing.T) {
	r := improve.Reflection{
		At: now, Results: []improve.SessionResult{{}, {}, {}}, Hosts: map[string]int{"claude": 3}, Merged: []improve.Merged{merged(7, "permission denied")},
		Metrics: improve.Metrics{TotalMessages: 120, ToolUses: 40}, Earliest: now, Latest: now,
		Read: &improve.Reading{
			Agent: "claude", Model: "opus", Sessions: 3, Cached: 1, Left: 2, Failed: 1, Why: "took too long", Cost: 0.12, Dropped: map[string]int{"claim_without_citation": 2},
			Causes: []improve.Cause{{
				Kind: "instruction_ignored", Subject: "git commit", Title: "The agent commits without being asked", Do: "say that only the person commits", Sessions: 2, In: []string{"one", "two"}, Last: now,
				Claims: []improve.Claim{{Session: "one", Message: "m1", Quote: "no, I did not say commit anything", Says: "the person says no"}, {Session: "two", Message: "m2", Quote: "again: do *not* commit"}},
			}},
		},
		By: []improve.Group{
			{By: improve.ByProject, Name: "/home/ada/w/mill", Sessions: 2, Metrics: improve.Metrics{TotalMessages: 100}, Merged: []improve.Merged{merged(7, "permission denied")}},
			{By: improve.ByProject, Name: "unknown", Sessions: 1, Metrics: improve.Metrics{TotalMessages: 20}, Merged: []improve.Merged{}},
		},
	}
	layout := report.Layout{Top: 10, Width: 72, Zone: time.UTC}
	golden(t, "read.txt", func(w io.Writer) error { return layout.Text(w, r) })
	golden(t, "read.md", func(w io.Writer) error { return layout.Markdown(w, r) })
	golden(t, "read.html", func(w io.Writer) error { return layout.HTML(w, r) })
}
