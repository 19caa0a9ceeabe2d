package fakemodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// longText has what breaks careless cutting: letters of several bytes, quotes,
// line ends, and what looks like the end of an event.
const longText = "Grüße, 世界 🚢 \"quoted\" <b>\n\ndata: no event\r\n\\ud83d the end"

var fullReply = fakemodel.Reply{
	Thinking: "first 🤔 then act",
	Text:     longText,
	Calls:    []fakemodel.Call{fakemodel.Run("echo \"hi\" <x>"), {ID: "mine", Name: "other", Input: json.RawMessage(`{"n":12345678901234567890,"s":"ü"}`)}},
	Usage:    fakemodel.Usage{Input: 10, Output: 20, CacheRead: 300, CacheWrite: 40},
}

// shell is what the first call of fullReply becomes in each format.
var shell = map[fakemodel.Format]heardCall{
	fakemodel.Anthropic: {"toolu_fake1_1", "Bash", `{"command":"echo \"hi\" <x>"}`},
	fakemodel.Chat:      {"call_fake1_1", "bash", `{"command":"echo \"hi\" <x>"}`},
	fakemodel.Responses: {"call_fake1_1", "exec_command", `{"cmd":"echo \"hi\" <x>"}`},
	fakemodel.Gemini:    {"fcall1_1", "run_shell_command", `{"command":"echo \"hi\" <x>"}`},
}

var stopWord = map[fakemodel.Format]map[fakemodel.Stop]string{
	fakemodel.Anthropic: {"": "tool_use", fakemodel.StopEnd: "end_turn", fakemodel.StopLength: "max_tokens", fakemodel.StopRefused: "refusal"},
	fakemodel.Chat:      {"": "tool_calls", fakemodel.StopEnd: "stop", fakemodel.StopLength: "length", fakemodel.StopRefused: "content_filter"},
	fakemodel.Responses: {"": "completed", fakemodel.StopEnd: "completed", fakemodel.StopLength: "incomplete", fakemodel.StopRefused: "incomplete"},
	fakemodel.Gemini:    {"": "STOP", fakemodel.StopEnd: "STOP", fakemodel.StopLength: "MAX_TOKENS", fakemodel.StopRefused: "SAFETY"},
}

func wantHeard(f fakemodel.Format, stop fakemodel.Stop) heard {
	h := heard{
		Thinking: fullReply.Thinking, Text: longText, Stop: stopWord[f][stop], Input: 350, Output: 20, Whole: true,
		Calls: []heardCall{shell[f], {"mine", "other", `{"n":12345678901234567890,"s":"ü"}`}},
	}
	if f == fakemodel.Chat { // it has no place for thinking
		h.Thinking = ""
	}
	return h
}

// sameJSON compares inputs by what they mean.
var sameJSON = cmp.Transformer("call", func(c heardCall) [3]string {
	var v any
	dec := json.NewDecoder(strings.NewReader(c.Input))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return [3]string{c.ID, c.Name, c.Input}
	}
	b, _ := json.Marshal(v)
	return [3]string{c.ID, c.Name, string(b)}
})

func compare(t *testing.T, want, got heard) {
	t.Helper()
	if signed := got.Signature != ""; signed != (want.Thinking != "") {
		t.Errorf("signature %q for the thinking %q", got.Signature, want.Thinking)
	}
	got.Signature = ""
	if d := cmp.Diff(want, got, sameJSON); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
}

// A reply comes out as it went in, streamed in pieces of any size or whole, in
// every format.
func TestARepliesMeaningSurvivesEveryFormat(t *testing.T) {
	for _, f := range fakemodel.Formats() {
		for _, stop := range []fakemodel.Stop{"", fakemodel.StopEnd, fakemodel.StopLength, fakemodel.StopRefused} {
			for _, piece := range []int{0, 1, 5, 1000, -1} {
				t.Run(fmt.Sprintf("%s/%s/%d", f, stop, piece), func(t *testing.T) {
					reply := fullReply
					reply.Stop, reply.Piece = stop, piece
					s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(reply)})
					if piece < 0 {
						path, body := hello(f, "false")
						compare(t, wantHeard(f, stop), listenWhole(t, f, string(post(t, s, f, path, body, 200))))
						return
					}
					path, body := hello(f, "true")
					compare(t, wantHeard(f, stop), listen(t, f, string(post(t, s, f, path, body, 200))))
				})
			}
		}
	}
}

func TestGeminiStreamsAnArrayWithoutAltSSE(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fullReply)})
	_, body := hello(fakemodel.Gemini, "true")
	got := post(t, s, fakemodel.Gemini, strings.TrimSuffix(geminiStream, "?alt=sse"), body, 200)
	var chunks []json.RawMessage
	unmarshal(t, string(got), &chunks)
	var all []string
	for _, c := range chunks {
		all = append(all, string(c))
	}
	compare(t, wantHeard(fakemodel.Gemini, ""), listenGemini(t, all))
}

func TestHiddenThinkingIsSignedAndNotShown(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fullReply, fullReply)})
	path, body := hello(fakemodel.Anthropic, "true")
	h := listen(t, fakemodel.Anthropic, string(post(t, s, fakemodel.Anthropic, path, strings.Replace(body, `"adaptive"`, `"adaptive","display":"omitted"`, 1), 200)))
	if h.Thinking != "" || h.Signature == "" {
		t.Errorf("thinking %q with the signature %q", h.Thinking, h.Signature)
	}
	path, body = hello(fakemodel.Responses, "true")
	h = listen(t, fakemodel.Responses, string(post(t, s, fakemodel.Responses, path, strings.Replace(body, `"summary":"auto"`, `"effort":"low"`, 1), 200)))
	if h.Thinking != "" || h.Signature == "" {
		t.Errorf("reasoning %q with the content %q", h.Thinking, h.Signature)
	}
}

func TestACustomToolGetsTextAndNotJSON(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{Calls: []fakemodel.Call{{Name: "apply", Input: json.RawMessage(`"*** patch\n"`)}}})})
	path, body := hello(fakemodel.Responses, "true")
	stream := string(post(t, s, fakemodel.Responses, path, body, 200))
	has(t, []byte(stream), "response.custom_tool_call_input.delta", `"type":"custom_tool_call"`)
	if h := listen(t, fakemodel.Responses, stream); len(h.Calls) != 1 || h.Calls[0].Input != "*** patch\n" {
		t.Errorf("heard the calls %v", h.Calls)
	}
}

func TestErrorRepliesHaveTheProvidersForm(t *testing.T) {
	for _, c := range []struct {
		f      fakemodel.Format
		status int
		want   []string
	}{
		{fakemodel.Anthropic, 529, []string{`"type":"error"`, `"overloaded_error"`, `"message":"busy"`}},
		{fakemodel.Anthropic, 429, []string{`"rate_limit_error"`}},
		{fakemodel.Anthropic, 500, []string{`"api_error"`}},
		{fakemodel.Chat, 429, []string{`"rate_limit_exceeded"`, `"param":null`}},
		{fakemodel.Chat, 503, []string{`"server_error"`, `"code":null`}},
		{fakemodel.Responses, 500, []string{`"server_error"`}},
		{fakemodel.Gemini, 503, []string{`"code":503`, `"UNAVAILABLE"`}},
		{fakemodel.Gemini, 429, []string{`"RESOURCE_EXHAUSTED"`}},
	} {
		t.Run(fmt.Sprintf("%s %d", c.f, c.status), func(t *testing.T) {
			s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{
				Status: c.status, Text: "busy", Headers: http.Header{"retry-after": {"3"}},
			})})
			path, body := hello(c.f, "true")
			status, header, got := do(t, request(t, s.URL+path, c.f, strings.NewReader(body)))
			if status != c.status || header.Get("Retry-After") != "3" || header.Get("Content-Type") != "application/json" {
				t.Errorf("answered %d with %v", status, header)
			}
			has(t, got, append(c.want, "busy")...)
		})
	}
}

func TestABrokenStreamEndsWithAnErrorAndIsNotWhole(t *testing.T) {
	for _, f := range fakemodel.Formats() {
		t.Run(string(f), func(t *testing.T) {
			reply := fullReply
			reply.Status, reply.Broken, reply.Piece = 500, true, 1
			s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(reply)})
			path, body := hello(f, "true")
			h := listen(t, f, string(post(t, s, f, path, body, 200)))
			if h.Error == "" || h.Whole {
				t.Errorf("heard %+v, want an error and no end", h)
			}
		})
	}
}

func TestACutBreaksTheConnectionAfterThatManyBytes(t *testing.T) {
	for _, f := range fakemodel.Formats() {
		for _, stream := range []string{"true", "false"} {
			t.Run(string(f)+"/"+stream, func(t *testing.T) {
				reply := fullReply
				s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(reply, cutAt(reply, 117), cutAt(reply, -1))})
				path, body := hello(f, stream)
				whole := post(t, s, f, path, body, 200)

				resp, err := http.DefaultClient.Do(request(t, s.URL+path, f, strings.NewReader(body)))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				got, err := io.ReadAll(resp.Body)
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("the cut reply ended with %v", err)
				}
				// The second reply has other numbers in its ids, not another length.
				if len(got) != 117 || len(whole) < 300 {
					t.Errorf("%d bytes of %d came, want 117", len(got), len(whole))
				}
				if resp, err := http.DefaultClient.Do(request(t, s.URL+path, f, strings.NewReader(body))); err == nil {
					resp.Body.Close()
					t.Errorf("a connection that broke at once gave %d", resp.StatusCode)
				}
			})
		}
	}
}

func cutAt(r fakemodel.Reply, n int) fakemodel.Reply {
	r.CutAfter = n
	return r
}

// The hook holds each event back until the test lets it go: no event runs ahead
// of it, and what was let go has arrived.
func TestTheHookDecidesWhenEachEventLeaves(t *testing.T) {
	gate, asked := make(chan struct{}), make(chan int)
	reply := fakemodel.Reply{Text: "abc", Piece: 1, Before: func(ctx context.Context, n int) {
		select {
		case asked <- n:
			<-gate
		case <-ctx.Done():
		}
	}}
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(reply)})
	path, body := hello(fakemodel.Chat, "true")
	answer := make(chan *http.Response, 1)
	r := request(t, s.URL+path, fakemodel.Chat, strings.NewReader(body))
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
		}
		answer <- resp
	}()
	if n := <-asked; n != 0 {
		t.Fatalf("the first event has the number %d", n)
	}
	select {
	case <-answer:
		t.Fatal("the answer began before the hook let it")
	default:
	}
	gate <- struct{}{}
	resp := <-answer
	defer resp.Body.Close()
	buf := make([]byte, 4096)
	for want := 1; ; want++ {
		n, err := resp.Body.Read(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := len(readSSE(t, string(buf[:n]))); got != 1 {
			t.Fatalf("event %d came with %d others", want-1, got-1)
		}
		if strings.Contains(string(buf[:n]), "[DONE]") {
			break
		}
		if got := <-asked; got != want {
			t.Fatalf("the hook was asked for event %d, want %d", got, want)
		}
		gate <- struct{}{}
	}
}

func TestAClientThatLeavesEndsTheHook(t *testing.T) {
	reached, left := make(chan struct{}), make(chan struct{})
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Replies(fakemodel.Reply{Text: "x", Before: func(ctx context.Context, n int) {
		if n == 2 {
			close(reached)
			<-ctx.Done()
			close(left)
		}
	}})})
	path, body := hello(fakemodel.Anthropic, "true")
	ctx, leave := context.WithCancel(t.Context())
	resp, err := http.DefaultClient.Do(request(t, s.URL+path, fakemodel.Anthropic, strings.NewReader(body)).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	<-reached
	leave()
	<-left
	resp.Body.Close()
}

// A hundred streams at once, each with words of its own: none begins before all
// of them are there.
func TestManyStreamsAtOnceDoNotMix(t *testing.T) {
	var there sync.WaitGroup
	there.Add(100)
	s := fakemodel.Start(t, fakemodel.Options{Script: func(r fakemodel.Request) fakemodel.Reply {
		word := r.Texts("user")[0]
		return fakemodel.Reply{Thinking: "about " + word, Text: strings.Repeat(word+" ", 50), Piece: 3, Before: func(_ context.Context, n int) {
			if n == 0 {
				there.Done()
				there.Wait()
			}
		}}
	}})
	word := func(i int) string { return fmt.Sprintf("word%d", i) }
	format := func(i int) fakemodel.Format { return fakemodel.Formats()[i%4] }
	var wg sync.WaitGroup
	streams, errs := make([]string, 100), make([]error, 100)
	for i := range streams {
		path, body := hello(format(i), "true")
		r := request(t, s.URL+path, format(i), strings.NewReader(strings.Replace(body, "hello", word(i), 1)))
		wg.Go(func() { streams[i], errs[i] = answerTo(r) })
	}
	wg.Wait()
	for i, stream := range streams {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if h := listen(t, format(i), stream); h.Text != strings.Repeat(word(i)+" ", 50) || !h.Whole {
			t.Errorf("stream %d said %q", i, h.Text)
		}
	}
	s.NoneRefused(t)
	if got := len(s.Requests()); got != 100 {
		t.Errorf("%d requests in the log", got)
	}
}
