package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
)

// scanned reads a body as our gateway does.
func scanned(t *testing.T, raw []byte) *wire.Body {
	t.Helper()
	if !json.Valid(raw) {
		t.Fatal("the body is no JSON")
	}
	var b wire.Body
	if err := (anthropic.Format{}).Scan(raw, &b, nil); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestBodiesAreMainTurnsOfTheirSize(t *testing.T) {
	for _, bytes := range []int{10_000, 200_000, 2_000_000} {
		raw := newTalk(1, bytes, 120, true).body()
		if len(raw) < bytes || len(raw) > bytes+2000 {
			t.Errorf("asked for %d bytes, got %d", bytes, len(raw))
		}
		b := scanned(t, raw)
		replies := 0
		for _, it := range b.Items {
			if it.Role == trimtab.RoleAssistant {
				replies++
			}
		}
		switch {
		case replies < 8:
			t.Errorf("%d bytes: %d replies; a reminder comes after 8", bytes, replies)
		case !b.Stream || b.Tools.End-b.Tools.Start < 100 || b.Items[len(b.Items)-1].Open != 0:
			t.Errorf("%d bytes: stream %v, tools %v, %d calls open", bytes, b.Stream, b.Tools, b.Items[len(b.Items)-1].Open)
		case b.Marks < 2 || b.Marks > 4:
			t.Errorf("%d bytes: %d cache marks", bytes, b.Marks)
		}
	}
}

func TestASessionGrowsByWhatWasSaid(t *testing.T) {
	talk := newTalk(1, 10_000, 120, false)
	before := scanned(t, talk.body())
	todos := 0
	for range 12 {
		talk.grow()
		after := scanned(t, talk.body())
		if len(after.Items) != len(before.Items)+2 {
			t.Fatalf("%d messages after %d", len(after.Items), len(before.Items))
		}
		for i := range before.Items {
			if before.Hash(i) != after.Hash(i) {
				t.Fatalf("message %d is another one now", i)
			}
		}
		if bytes.Contains(after.Bytes(after.Items[len(after.Items)-2].Span), []byte(`"TodoWrite"`)) {
			todos++
		}
		before = after
	}
	if todos == 0 {
		t.Error("no todo write in 12 steps")
	}
}
