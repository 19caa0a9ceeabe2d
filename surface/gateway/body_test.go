package gateway

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"
)

func TestReadBodyReadsUpToItsLimit(t *testing.T) {
	var p bufferPool
	text := bytes.Repeat([]byte("0123456789"), 50_000)
	for _, limit := range []int{1, 16 << 10, len(text) - 1, len(text), len(text) + 1, 1 << 20} {
		for _, promised := range []int64{-1, 0, 10, int64(len(text)), 1 << 40} {
			for name, r := range map[string]io.Reader{"plain": bytes.NewReader(text), "in halves": iotest.HalfReader(bytes.NewReader(text)), "end with data": iotest.DataErrReader(bytes.NewReader(text))} {
				b, err := p.readBody(r, promised, limit)
				if err != nil || !bytes.Equal(b.b, text[:min(limit, len(text))]) {
					t.Errorf("%s, limit %d, promised %d: %d bytes, %v", name, limit, promised, len(b.b), err)
				}
			}
		}
	}
	if _, err := p.readBody(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)), -1, 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err = %v", err)
	}
}

// TestAPromisedBodyCostsNothing until its bytes come: silent connections that
// announce a large request must not fill the memory.
func TestAPromisedBodyCostsNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, _ = new(bufferPool).readBody(iotest.ErrReader(io.ErrUnexpectedEOF), 64<<20, 64<<20)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 100; each > 2*silentRead+4096 { // a pool of its own for each
		t.Errorf("a request that never came took %d bytes", each)
	}
}

// TestABodyCanBeSentAgain: a transport that must repeat a request reads the same
// bytes.
func TestABodyCanBeSentAgain(t *testing.T) {
	o := newOutgoing(nil, []byte("abc"), nil, []byte("def"))
	for range 3 {
		if b, err := io.ReadAll(iotest.OneByteReader(o.reader())); err != nil || string(b) != "abcdef" || o.size != 6 {
			t.Errorf("%q of %d bytes, %v", b, o.size, err)
		}
	}
}

// J4: a reminder of a todo list is only made where the request offers a tool to write one.
func TestJ4_TodoToolsThatAreOffered(t *testing.T) {
	for tools, want := range map[string]bool{
		`[{"name":"Bash"},{"name":"Edit"}]`:                               true,
		`[{"name":"Bash"},{"name":"TodoWrite"}]`:                          false,
		`[{"type":"function","function":{"name":"todowrite"}}]`:           false,
		`[{"functionDeclarations":[{"name":"write_todos"}]}]`:             false,
		`[{"type":"function","name":"update_plan"}]`:                      false,
		`[{"name":"Bash"},{"name":"ToolSearch"}]`:                         false, // it may be among those that are found
		`[{"name":"Bash","description":"never call TodoWrite for this"}]`: true,
		`[]`: false, // nobody knows
		``:   false,
	} {
		if got := offersNoTodos([]byte(tools)); got != want {
			t.Errorf("%s: %v, want %v", tools, got, want)
		}
	}
}
