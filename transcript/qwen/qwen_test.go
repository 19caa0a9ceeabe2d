package qwen_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/qwen"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func gist(t *testing.T, c *chat, opt transcript.Options) []string {
	t.Helper()
	items, damaged := transcripttest.All(t, qwen.Read(bytes.NewReader(c.bytes()), opt))
	if len(damaged) > 0 {
		t.Error(damaged)
	}
	return transcripttest.Gist(items)
}

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	c := &chat{}
	c.put("user", "real_user", said("user", object{"text": "one"}))             // u1
	c.put("user", "real_user", said("user", object{"text": "wrong way"}))       // u2
	c.put("assistant", "assistant_output", said("model", object{"text": "oh"})) // u3
	right := said("user", object{"text": "other way"})
	right["parentUuid"] = "u1"
	c.put("user", "real_user", right)
	if diff := cmp.Diff([]string{"person one", "person other way"}, gist(t, c, transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := gist(t, c, transcript.Options{Branches: true}); len(got) != 4 {
		t.Errorf("with branches %q", got)
	}
}

func TestACompressionIsTold(t *testing.T) {
	c := &chat{}
	c.put("user", "real_user", said("user", object{"text": "one"}))
	c.put("system", "system", object{"subtype": "chat_compression", "systemPayload": object{}})
	c.put("user", "real_user", said("user", object{"text": "two"}))
	items, _ := transcripttest.All(t, qwen.Read(bytes.NewReader(c.bytes()), transcript.Options{}))
	if len(items) != 2 || items[0].Compacted || !items[1].Compacted {
		t.Errorf("got %+v", items)
	}
}

func TestLinesOfSubAgentsAreLeftOutUnlessAskedFor(t *testing.T) {
	c := &chat{}
	c.put("user", "real_user", said("user", object{"text": "one"}))
	side := said("user", object{"text": "look"})
	side["agentId"] = "x"
	c.put("user", "real_user", side)
	if got := gist(t, c, transcript.Options{}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff([]string{"person one", "host look"}, gist(t, c, transcript.Options{Side: true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestP14_WhatAChatSaysOfAuthorsCounts(t *testing.T) {
	c := &chat{}
	c.put("user", "real_user", said("user", object{"text": "typed"}))
	for _, by := range []string{"system", "tool_result", "someone new"} {
		c.put("user", by, said("user", object{"text": "not typed"}))
	}
	old := said("user", object{"text": "before there were marks"})
	old["provenance"] = nil
	c.put("user", "", old)
	want := []string{"person typed", "host not typed", "host not typed", "host not typed", "person before there were marks"}
	if diff := cmp.Diff(want, gist(t, c, transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
