package claude_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/transcript"
)

func after(id string) fields { return fields{"parentUuid": id} }

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first")
	s.prompt("p2", "wrong way").shown("h2", "hook").calls("a2", "m2", "t2").result("r2", "t2", "a2").says("a3", "m3", "oh")
	s.prompt("p3", "other way", after("a1")).says("a4", "m4", "good")
	want := []string{"user one", "assistant first", "user other way", "assistant good"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "tree", transcript.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := []string{
		"user one", "assistant first", "user wrong way", "system <system-reminder>hook</system-reminder>", "assistant call t2",
		"user result t2", "assistant oh", "user other way", "assistant good",
	}
	if diff := cmp.Diff(all, gists(inMode(t, s, "tree", transcript.Options{Branches: true}))); diff != "" {
		t.Errorf("with branches (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all, gists(inMode(t, s, "file", transcript.Options{}))); diff != "" {
		t.Errorf("from a pipe (-want +got):\n%s", diff)
	}
}

func TestTheFirstPromptCanBeTakenBack(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "wrong").says("a1", "m1", "what").prompt("p2", "right", after("")).says("a2", "m2", "yes")
	s.lines[2] = strings.Replace(s.lines[2], `"parentUuid":""`, `"parentUuid":null`, 1)
	want := []string{"user right", "assistant yes"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "tree", transcript.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatHangsBesideTheWayIsKept has the shapes in which the parents of lines do
// not lead from the last to the first, though nothing was taken back.
func TestWhatHangsBesideTheWayIsKept(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *script
	}{
		{"parallel results", (&script{t: t}).prompt("p", "go").calls("a1", "m1", "t1").calls("a2", "m1", "t2").
			result("r1", "t1", "a1").result("r2", "t2", "a2").says("b", "m2", "done")},
		{"the last answer is the first call's", (&script{t: t}).prompt("p", "go").calls("a1", "m1", "t1").calls("a2", "m1", "t2").
			result("r2", "t2", "a2").result("r1", "t1", "a1").says("b", "m2", "done")},
		{"a block behind a result of its reply", (&script{t: t}).prompt("p", "go").calls("a1", "m1", "t1").result("r1", "t1", "a1").
			calls("a2", "m1", "t2").result("r2", "t2", "a2").says("b", "m2", "done", after("r1"))},
		{"a hook before the tool", (&script{t: t}).prompt("p", "go").calls("a1", "m1", "t1").shown("h1", "x").shown("h2", "y").
			result("r1", "t1", "a1").says("b", "m2", "done")},
		{"a session that ends in results", (&script{t: t}).prompt("p", "go").calls("a1", "m1", "t1").calls("a2", "m1", "t2").
			result("r2", "t2", "a2").result("r1", "t1", "a1")},
		{"a late line of an earlier turn", (&script{t: t}).prompt("p", "go").says("a1", "m1", "x").prompt("p2", "on").says("b", "m2", "done").
			shown("h", "late", after("a1"))},
		{"hooks with a root of their own", (&script{t: t}).shown("h", "x").prompt("p", "go", fields{"parentUuid": nil}).says("a1", "m1", "x")},
		{"a line that nothing is known of", (&script{t: t}).prompt("p", "go").says("", "m1", "x", fields{"uuid": none}).says("b", "m2", "done", after("p"))},
	} {
		file := gists(inMode(t, c.s, "file", transcript.Options{}))
		if diff := cmp.Diff(file, gists(inMode(t, c.s, "tree", transcript.Options{}))); diff != "" {
			t.Errorf("%s (-file +tree):\n%s", c.name, diff)
		}
	}
}

func TestCompactionIsCrossed(t *testing.T) {
	boundary := fields{"subtype": "compact_boundary", "parentUuid": nil}
	for name, link := range map[string]fields{"by its link": {"logicalParentUuid": "a1"}, "without one": {}} {
		s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first")
		s.put("system", "c", with(with(fields{}, []fields{boundary}), []fields{link}))
		s.put("user", "sum", with(said("what came before"), []fields{{"isCompactSummary": true}}))
		s.prompt("p2", "two").says("a2", "m2", "second")
		items := inMode(t, s, "tree", transcript.Options{})
		want := []string{"user one", "assistant first", "user what came before", "user two", "assistant second"}
		if diff := cmp.Diff(want, gists(items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for i, it := range items {
			if it.Compacted != (i == 2) {
				t.Errorf("%s: item %d: compacted is %v", name, i, it.Compacted)
			}
		}
	}
}

func TestACompactionThatWasTakenBackIsNone(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first")
	s.put("system", "c", fields{"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": "a1"})
	s.put("user", "sum", with(said("what came before"), []fields{{"isCompactSummary": true}}))
	s.prompt("p2", "two", after("a1"))
	for _, it := range inMode(t, s, "tree", transcript.Options{}) {
		if it.Compacted || it.Message.ID == "sum" {
			t.Errorf("got %+v", it)
		}
	}
}

// TestWhatWasSummedUpWasNotTakenBack has the two ways in which a person lets a
// part of the conversation be summed up. The boundary names a parent that leaves
// out the one part or the other; all of it happened.
func TestWhatWasSummedUpWasNotTakenBack(t *testing.T) {
	for name, c := range map[string]struct{ parent, anchor, tail string }{
		"from a point on":  {parent: "a1", anchor: "c", tail: "a1"},
		"up to a point":    {parent: "a1", anchor: "sum", tail: "a2"},
		"whole, kept last": {parent: "a2", anchor: "sum", tail: "a2"},
	} {
		s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first").prompt("p2", "two").says("a2", "m2", "second")
		s.put("system", "c", fields{
			"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": c.parent,
			"compactMetadata": fields{"preservedSegment": fields{"anchorUuid": c.anchor, "tailUuid": c.tail}},
		})
		s.put("user", "sum", with(said("what came before"), []fields{{"isCompactSummary": true}})).prompt("p3", "three")
		want := []string{"user one", "assistant first", "user two", "assistant second", "user what came before", "user three"}
		if diff := cmp.Diff(want, gists(inMode(t, s, "tree", transcript.Options{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALostParentDoesNotLoseWhatCameBefore(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first").prompt("p2", "two").says("a2", "m2", "second").prompt("p3", "three")
	s.lines[2] = s.lines[2][:20]
	items, damaged := read(t, strings.NewReader(s.String()), transcript.Options{})
	want := []string{"user one", "assistant first", "assistant second", "user three"}
	if diff := cmp.Diff(want, gists(items)); diff != "" || len(damaged) != 1 || damaged[0].Line != 3 {
		t.Errorf("damaged %v (-want +got):\n%s", damaged, diff)
	}
}

func TestParentsInACircleEnd(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one", after("a2")).says("a1", "m1", "first", after("p1")).says("a2", "m2", "second", after("a1"))
	s.shown("x", "x", after("y")).shown("y", "y", after("x")).shown("z", "z", after("z"))
	want := []string{"user one", "assistant first", "assistant second"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "tree", transcript.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALineWrittenTwiceIsReadOnce(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first").prompt("p1", "one", fields{"parentUuid": nil}).says("a2", "m2", "second", after("a1"))
	want := []string{"user one", "assistant first", "assistant second"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "tree", transcript.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPipeIsReadInItsOrder(t *testing.T) {
	r, w, err := os.Pipe() // an *os.File, so a Seeker that cannot seek
	if err != nil {
		t.Fatal(err)
	}
	s := (&script{t: t}).prompt("p1", "one").prompt("p2", "two", fields{"parentUuid": nil})
	if _, err := w.WriteString(s.String()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer r.Close()
	items, _ := read(t, r, transcript.Options{})
	if diff := cmp.Diff([]string{"user one", "user two"}, gists(items)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadingBeginsWhereTheFileStands(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "first")
	r := strings.NewReader("header\n" + s.String())
	if _, err := r.Seek(7, 0); err != nil {
		t.Fatal(err)
	}
	items, damaged := read(t, r, transcript.Options{})
	if len(items) != 2 || len(damaged) != 0 || items[0].Line != 1 {
		t.Error(show(items, damaged))
	}
}
