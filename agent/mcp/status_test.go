package mcp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/agent/mcp"
)

func TestAServerThatIsWrongTakesNothingFromTheRest(t *testing.T) {
	all := map[string]mcp.Server{"good": {Command: "x"}, "empty": {}, "no name": {Command: "x"}, "secret": {URL: "https://me:canary@h/"}, "worse": {URL: "https://me:canary@h:port/%zz"}}
	got, wrong := mcp.Config{Servers: all, Start: 7}.Usable()
	if diff := cmp.Diff(mcp.Config{Servers: map[string]mcp.Server{"good": {Command: "x"}}, Start: 7}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(wrong) != 4 || len(all) != 5 || strings.Contains(fmt.Sprint(wrong), "canary") {
		t.Errorf("%d are left, wrong are %v", len(all), wrong)
	}
	many := map[string]mcp.Server{}
	for i := range 40 {
		many[fmt.Sprint("s", i)] = mcp.Server{Command: "x"}
	}
	if got, wrong := (mcp.Config{Servers: many}).Usable(); len(got.Servers) != 32 || len(wrong) != 8 {
		t.Errorf("%d servers, %d too many", len(got.Servers), len(wrong))
	}
}

func TestTheStatusStartsNothing(t *testing.T) {
	mark := t.TempDir() + "/started"
	c := client(t, mcp.Options{}, mcp.Config{Servers: map[string]mcp.Server{
		"crash": program("crash", false), "fix": program("good", false), "none": {Command: mark},
	}})
	want := []mcp.Status{{Server: "crash"}, {Server: "fix"}, {Server: "none"}}
	if diff := cmp.Diff(want, c.Status()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("asking how it stands started it")
	}
	for range 6 { // the last of them no longer start what ended too often
		c.Tools(t.Context())
	}
	got := c.Status()
	if !strings.Contains(got[0].Fault, "no licence") || len(got[1].Tools) < 5 || got[1].Fault != "" || got[2].Fault == "" || !got[1].Asked {
		t.Errorf("got %+v", got)
	}
}
