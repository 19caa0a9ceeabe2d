package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is also the processes that a run starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "upstream" || os.Args[1] == "proxy") {
		if err := command(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// small is a run of a moment, without the programs that may not be there.
func small() options {
	return options{
		trimtab: "none", hasty: true, parts: "same,growing,sse,cut,streams", times: 2, most: time.Minute,
		sizes: []size{{"10 KB", 10_000, 6, 10 * time.Second, 120, 3}},
		sse:   streaming{1, 5, time.Millisecond}, cut: 20, streams: 5,
	}
}

func TestARunMeasuresEveryPart(t *testing.T) {
	for _, plain := range []bool{false, true} {
		o := small()
		o.plain = plain
		rep, err := measure(t.Context(), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		measuresEveryPart(t, rep)
	}
}

func measuresEveryPart(t *testing.T, rep report) {
	t.Helper()
	var got []string
	for _, r := range rep.Rows {
		if !slices.Contains(got, r.Part) && r.Part != "memory" {
			got = append(got, r.Part)
		}
		if _, ok := r.By["ReverseProxy"]; !ok && r.Unit != "µs" {
			t.Errorf("%s, %s: no figure of ReverseProxy", r.Part, r.What)
		}
	}
	want := "a growing session, 10 KB|the same body, 10 KB|SSE|fast replies|streams at once"
	if strings.Join(got, "|") != want || len(rep.Left) != 1 {
		t.Errorf("parts %q, left out %q", got, rep.Left)
	}
}

func TestEveryProcessIsEnded(t *testing.T) {
	f, err := start(t.Context(), small(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.all) != 2 {
		t.Errorf("%d processes", len(f.all))
	}
	if err := f.stop(); err != nil {
		t.Error(err)
	}
	for _, p := range f.all {
		if p.cmd.ProcessState == nil {
			t.Errorf("%s still runs", p.name)
		}
	}
}

func TestARunEndsWhenItsTimeIsUp(t *testing.T) {
	o := small()
	o.sse = streaming{1000, 1000, time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	said := writer(func(p []byte) {
		if strings.Contains(string(p), "growing") { // the streams come next
			cancel()
		}
	})
	if _, err := measure(ctx, o, said); err == nil {
		t.Error("a run that was stopped has figures")
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func TestTheQuietestMeasurementIsKept(t *testing.T) {
	r := &run{fleet: &fleet{}, progress: io.Discard, kept: map[string]part{}}
	for _, noise := range []float64{3, 1, 2} {
		err := r.keep("p", func(context.Context) (part, error) {
			return part{noise: noise, rows: []row{{What: "w", By: map[string]float64{"trimtab": 10 * noise}}}}, nil
		})(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(r.held) != 3 {
		t.Errorf("memory of %d of 3 measurements is known", len(r.held))
	}
	if got := r.kept["p"]; got.noise != 1 || got.rows[0].By["trimtab"] != 10 {
		t.Errorf("kept %+v", got)
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-parts", "all"}, {"-times", "0"}, {"more"}, {"-nonsense"}, {"-upstream", "quic"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	o, err := parse([]string{"-quick", "-sizes", "200KB"}, io.Discard)
	if err != nil || len(o.sizes) != 1 || o.sizes[0].bytes != 200_000 || o.sizes[0].rounds != 100 {
		t.Errorf("%+v, %v", o, err)
	}
}
