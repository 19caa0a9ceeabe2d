package wire_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// Bodies like those of coding agents: a system prompt, tools, and turns in which
// the model writes a few lines and reads files with line numbers and quotes.

var benchWords = strings.Fields(`the of to and a in is that for on was with as it by at from this be are or an which we can
function return value error string index buffer request response handler context session message token stream parse
config server client user file path line test case result assert expect check build run fail pass retry loop state
agent tool call output input read write edit patch diff branch commit merge review plan step goal next done`)

type pen struct{ *wiretest.Chance }

func (p pen) word() string { return wiretest.Pick(p.Chance, benchWords...) }

func (p pen) prose(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(p.word())
		b.WriteString(wiretest.Pick(p.Chance, " ", " ", " ", " ", " ", " ", ", ", ".\n\n", " — ", " \"quoted\" "))
	}
	return b.String()
}

func (p pen) code(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		switch w := p.word; p.N(6) {
		case 0:
			fmt.Fprintf(&b, "%6d\tfunc %s%s(%s int) error {\n", i, w(), w(), w())
		case 1:
			fmt.Fprintf(&b, "%6d\t\tif %s != nil {\n", i, w())
		case 2:
			fmt.Fprintf(&b, "%6d\t\t\treturn fmt.Errorf(\"%s %s: %%w\", err)\n", i, w(), w())
		case 3:
			fmt.Fprintf(&b, "%6d\t\t%s := %s.%s(%s, %d)\n", i, w(), w(), w(), w(), p.N(1000))
		case 4:
			fmt.Fprintf(&b, "%6d\t}\n", i)
		case 5:
			fmt.Fprintf(&b, "%6d\t// %s %s %s %s %s\n", i, w(), w(), w(), w(), w())
		}
	}
	return b.String()
}

// session makes the last two bodies of a session of about so many bytes.
func session(d dialect, size int) (last, next []byte) {
	p := pen{wiretest.NewChance(uint64(size))}
	talk := wiretest.Talk{System: p.prose(min(size/6, 14000)), Entries: []wiretest.Entry{{Who: wiretest.Prompt, Texts: []string{p.prose(400)}}}}
	for n := min(size/6, 14000) + 400; n < size; {
		long := 200 + p.N(1200)
		if p.One(4) {
			long = 3000 + p.N(12000)
		}
		id := fmt.Sprintf("toolu_01%018d", len(talk.Entries))
		talk.Entries = append(talk.Entries,
			wiretest.Entry{Who: wiretest.Reply, Texts: []string{p.prose(80 + p.N(300))}, Calls: []wiretest.Call{{ID: id, Name: "Read", Input: `{"path":"/src/` + p.word() + `.go","limit":2000}`}}},
			wiretest.Entry{Who: wiretest.Tools, Results: []wiretest.Result{{ID: id, Name: "Read", Text: p.code(min(long, max(100, size-n)))}}})
		n += long + 700
	}
	next = d.Encode(talk, wiretest.NewChance(5), true)
	talk.Entries = talk.Entries[:len(talk.Entries)-2]
	last = d.Encode(talk, wiretest.NewChance(5), true)
	return last, next
}

func eachSize(b *testing.B, run func(b *testing.B, d dialect, last, next []byte)) {
	for _, d := range dialects() {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"10KB", 10 << 10}, {"200KB", 200 << 10}, {"2MB", 2 << 20}} {
			last, next := session(d, size.bytes)
			b.Run(d.Corpus.Name+"/"+size.name, func(b *testing.B) { run(b, d, last, next) })
		}
	}
}

// best is the shortest of many times: what the code takes where nothing else
// wants the machine. Averages are the testing package's own.
type best time.Duration

func (t *best) since(begin time.Time) {
	if d := best(time.Since(begin)); *t == 0 || d < *t {
		*t = d
	}
}

// BenchmarkCold scans a body of which nothing is known.
func BenchmarkCold(b *testing.B) {
	eachSize(b, func(b *testing.B, d dialect, _, next []byte) {
		var body wire.Body
		var scan best
		b.SetBytes(int64(len(next)))
		b.ReportAllocs()
		for b.Loop() {
			begin := time.Now()
			if err := d.Scan(next, &body, nil); err != nil {
				b.Fatal(err)
			}
			scan.since(begin)
		}
		b.ReportMetric(float64(len(body.Items)), "items")
		b.ReportMetric(float64(len(next))/float64(scan), "best-GB/s")
	})
}

// BenchmarkKnown scans the next body of a session and puts two notes in. The
// metric best-copies/op is its time in plain copies of the body, taken in turns.
func BenchmarkKnown(b *testing.B) {
	eachSize(b, func(b *testing.B, d dialect, last, next []byte) {
		var known, body wire.Body
		if err := d.Scan(last, &known, nil); err != nil {
			b.Fatal(err)
		}
		dst, plain := make([]byte, 0, len(next)+4096), make([]byte, len(next))
		edits := []wire.Edit{{At: 1, Texts: []string{"a reminder of some length, with \"quotes\""}}, {At: len(known.Items) + 2, Texts: []string{"another note"}}}
		var steered, copied best
		b.SetBytes(int64(len(next)))
		b.ReportAllocs()
		for b.Loop() {
			begin := time.Now()
			if err := d.Scan(next, &body, &known); err != nil {
				b.Fatal(err)
			}
			edits[1].At = len(body.Items)
			out, err := d.Apply(dst[:0], &body, edits)
			if err != nil || len(out) <= len(next) {
				b.Fatal(err)
			}
			steered.since(begin)
			begin = time.Now()
			copy(plain, next)
			copied.since(begin)
		}
		b.ReportMetric(float64(steered)/float64(copied), "best-copies/op")
	})
}

// BenchmarkCopy is the limit: the body copied once.
func BenchmarkCopy(b *testing.B) {
	for _, size := range []int{10 << 10, 200 << 10, 2 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			from, to := make([]byte, size), make([]byte, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				copy(to, from)
			}
		})
	}
}

// BenchmarkMessage decodes the newest message, which is a tool's result.
func BenchmarkMessage(b *testing.B) {
	eachSize(b, func(b *testing.B, d dialect, _, next []byte) {
		var body wire.Body
		if err := d.Scan(next, &body, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			wire.Whole(d.Format, &body, len(body.Items)-1)
		}
	})
}

// BenchmarkReply reads a streamed reply of about a thousand events.
func BenchmarkReply(b *testing.B) {
	for _, d := range dialects() {
		c := wiretest.NewChance(1)
		said := wiretest.Said{Text: pen{c}.prose(3500), Stop: wire.StopEnd, Usage: [4]int{1, 2, 3, 0}}
		stream := d.Corpus.Stream(said, c)
		if stream[0] == '[' {
			stream = d.Corpus.Stream(said, c)
		}
		events := strings.Count(string(stream), "data:")
		b.Run(d.Corpus.Name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				r := d.NewReply(true)
				r.Write(stream)
				if !r.Close().Complete {
					b.Fatal("not complete")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}
