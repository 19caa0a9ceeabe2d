package transport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/transport"
)

// sdk is a client that is steered, and the server it talks to.
type sdk struct {
	t       *testing.T
	service *session.Service
	via     *transport.Transport
	client  *http.Client
	url     string

	mu     sync.Mutex
	bodies [][]byte // as the server got them
	header http.Header
	sent   []byte // the newest reply as it left the server
}

// newSDK talks to a server that checks every request as the providers do.
func newSDK(t *testing.T, opt transport.Options, handler http.Handler) *sdk {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := &sdk{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		s.mu.Lock()
		s.bodies, s.header, s.sent = append(s.bodies, body), r.Header.Clone(), nil
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(&tee{w, s}, r)
	}))
	t.Cleanup(server.Close)
	s.service = session.New(engine, memory.New(), session.Options{})
	opt.Sessions = s.service
	if opt.Base == nil {
		base := &http.Transport{}
		t.Cleanup(base.CloseIdleConnections)
		opt.Base = base
	}
	s.via = transport.New(opt)
	s.client, s.url = &http.Client{Transport: s.via}, server.URL
	return s
}

// tee keeps what a server wrote.
type tee struct {
	http.ResponseWriter
	s *sdk
}

func (w *tee) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	w.s.sent = append(w.s.sent, p...)
	w.s.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

func (w *tee) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// plan puts a session into a mode, whose note is due with the next prompt.
func (s *sdk) plan(id string) {
	s.t.Helper()
	ctx := s.t.Context()
	if _, err := s.service.Begin(ctx, trimtab.Info{ID: id}); err != nil {
		s.t.Fatal(err)
	}
	if _, _, err := s.service.Handle(ctx, id, trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sdk) request(ctx context.Context, path, id, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer sk-test")
	r.Header.Set("X-Api-Key", "sk-test")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set("X-Goog-Api-Key", "sk-test")
	if id != "" {
		r.Header.Set(transport.SessionHeader, id)
	}
	return r
}

func (s *sdk) post(path, id, body string) []byte {
	s.t.Helper()
	reply, err := s.client.Do(s.request(s.t.Context(), path, id, body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	got, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		s.t.Fatalf("%d, %v: %s", reply.StatusCode, err, got)
	}
	return got
}

func (s *sdk) last() (body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.bodies[len(s.bodies)-1])
}

// said is what the session has, one role and text a message.
func (s *sdk) said(id string) (all []string) {
	s.t.Helper()
	if err := s.via.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for m, err := range s.service.Messages(s.t.Context(), id, 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, string(m.Role)+": "+m.Text())
	}
	return all
}

// format is a request in one of the formats, whole and as a stream.
type format struct{ path, stream, ask, askStream string }

var formats = map[string]format{
	"anthropic": {"/v1/messages", "/v1/messages", `{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"hello"}]}`, `{"model":"m","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"hello"}]}`},
	"chat":      {"/v1/chat/completions", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hello"}]}`, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`},
	"responses": {"/v1/responses", "/v1/responses", `{"model":"m","input":[{"type":"message","role":"user","content":"hello"}]}`, `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":"hello"}]}`},
	"gemini":    {"/v1beta/models/g:generateContent", "/v1beta/models/g:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`, `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`},
}

func wellSaid() http.Handler {
	return fakemodel.New(fakemodel.Options{Script: func(fakemodel.Request) fakemodel.Reply { return fakemodel.Reply{Text: "All is well."} }})
}

func TestNotesReachTheModelInEveryFormat(t *testing.T) {
	for name, f := range formats {
		for kind, c := range map[string][2]string{"whole": {f.path, f.ask}, "stream": {f.stream, f.askStream}} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := newSDK(t, transport.Options{}, wellSaid())
				s.plan("s")
				got := s.post(c[0], "s", c[1])
				if !strings.Contains(s.last(), "PLANNING MODE") {
					t.Errorf("the server got no note: %s", s.last())
				}
				if !bytes.Equal(got, s.sent) {
					t.Errorf("%d bytes left the server and other %d reached the client", len(s.sent), len(got))
				}
				if s.header.Get(transport.SessionHeader) != "" || s.header.Get("Authorization") != "Bearer sk-test" {
					t.Errorf("headers at the server: %v", s.header)
				}
				if said := s.said("s"); fmt.Sprint(said) != "[user: hello assistant: All is well.]" {
					t.Errorf("the session has %q", said)
				}
			})
		}
	}
}

func TestTheRequestIsLeftAsItIs(t *testing.T) {
	s := newSDK(t, transport.Options{}, wellSaid())
	s.plan("s")
	f := formats["anthropic"]
	r := s.request(t.Context(), f.path, "s", f.ask)
	header, length := r.Header.Clone(), r.ContentLength
	reply, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if fmt.Sprint(r.Header) != fmt.Sprint(header) || r.ContentLength != length || reply.Request != r {
		t.Errorf("the request was changed: %v, %d", r.Header, r.ContentLength)
	}
}

// TestAStreamPassesAsItComes: the server writes an event only when the client has
// read the one before.
func TestAStreamPassesAsItComes(t *testing.T) {
	events := []string{
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"All is well."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`,
		`{"type":"message_stop"}`,
	}
	read, hold := make(chan struct{}), make(chan struct{})
	s := newSDK(t, transport.Options{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
			if err := http.NewResponseController(w).Flush(); err != nil {
				panic(err)
			}
			<-read
		}
		<-hold // the stream stays open behind its last event
	}))
	t.Cleanup(func() { close(hold) })
	reply, err := s.client.Do(s.request(t.Context(), "/v1/messages", "s", formats["anthropic"].askStream))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		want := "data: " + e + "\n\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(reply.Body, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
		read <- struct{}{}
	}
	if err := reply.Body.Close(); err != nil { // as clients do at message_stop
		t.Error(err)
	}
	if said := s.said("s"); fmt.Sprint(said) != "[user: hello assistant: All is well.]" {
		t.Errorf("the session has %q", said)
	}
}

func TestAPackedReplyIsReadToo(t *testing.T) {
	s := newSDK(t, transport.Options{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"All is well."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
		_ = z.Close()
	}))
	r := s.request(t.Context(), "/v1/messages", "s", formats["anthropic"].ask)
	r.Header.Set("Accept-Encoding", "gzip") // the client unpacks it itself
	reply, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if err != nil || !bytes.Equal(got, s.sent) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if said := s.said("s"); fmt.Sprint(said) != "[user: hello assistant: All is well.]" {
		t.Errorf("the session has %q", said)
	}
}

// TestACancelledRequestEnds: before the headers, and in the middle of a stream.
func TestACancelledRequestEnds(t *testing.T) {
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprint("begun ", begun), func(t *testing.T) {
			arrived, gone := make(chan struct{}), make(chan struct{})
			s := newSDK(t, transport.Options{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if begun {
					w.Header().Set("Content-Type", "text/event-stream")
					_ = http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-r.Context().Done()
				close(gone)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			reply, err := s.client.Do(s.request(ctx, "/v1/messages", "s", formats["anthropic"].askStream))
			if err == nil {
				_, err = io.ReadAll(reply.Body)
				_ = reply.Body.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			<-gone
		})
	}
}

// broken is a network that fails.
type broken struct{ err error }

func (b broken) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
	return nil, b.err
}

func TestErrorsOfTheServerPass(t *testing.T) {
	down := errors.New("the network is down")
	s := newSDK(t, transport.Options{Base: broken{down}}, wellSaid())
	if _, err := s.client.Do(s.request(t.Context(), "/v1/messages", "s", formats["anthropic"].ask)); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	s = newSDK(t, transport.Options{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(529)
		fmt.Fprint(w, "overloaded")
	}))
	reply, err := s.client.Do(s.request(t.Context(), "/v1/messages", "s", formats["anthropic"].ask))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if got, err := io.ReadAll(reply.Body); err != nil || reply.StatusCode != 529 || string(got) != "overloaded" {
		t.Errorf("%d %q %v", reply.StatusCode, got, err)
	}
	if said := s.said("s"); fmt.Sprint(said) != "[user: hello]" {
		t.Errorf("the session has %q", said)
	}
}

func TestALargeBodyPassesUntouched(t *testing.T) {
	s := newSDK(t, transport.Options{MaxBody: 1024}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	s.plan("s")
	body := strings.Replace(formats["anthropic"].ask, "hello", strings.Repeat("long ", 100_000), 1)
	s.post("/v1/messages", "s", body)
	if s.last() != body {
		t.Errorf("%d bytes arrived of %d", len(s.last()), len(body))
	}
	r := s.request(t.Context(), "/v1/messages", "s", "")
	r.Body, r.ContentLength, r.GetBody = io.NopCloser(strings.NewReader(body)), -1, nil // its length is not known
	reply, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	if s.last() != body {
		t.Errorf("%d bytes arrived of %d", len(s.last()), len(body))
	}
	at := formats["anthropic"].ask
	at = strings.Replace(at, "hello", strings.Repeat("x", 1024-len(at)+len("hello")), 1)
	if s.post("/v1/messages", "s", at); !strings.Contains(s.last(), "PLANNING MODE") {
		t.Errorf("a body of %d bytes was not steered", len(at))
	}
}

func TestWhatIsNoRequestToAModelPasses(t *testing.T) {
	s := newSDK(t, transport.Options{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, r.URL) }))
	for _, c := range [][3]string{{"GET", "/v1/models", ""}, {"POST", "/v1/embeddings", `{"input":"x"}`}, {"GET", "/v1/messages", ""}, {"POST", "/v1/messages", ""}, {"POST", "/v1/messages", "no JSON"}, {"POST", "/v1/messages/count_tokens", "{}"}} {
		r, err := http.NewRequestWithContext(t.Context(), c[0], s.url+c[1], strings.NewReader(c[2]))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		if err != nil || string(got) != c[0]+c[1] || s.last() != c[2] {
			t.Errorf("%v: %q, %q, %v", c, got, s.last(), err)
		}
	}
}

// TestSessionsAreNamed by the header, else by the function, else by what was said.
func TestSessionsAreNamed(t *testing.T) {
	type key struct{}
	opt := transport.Options{Session: func(r *http.Request) string {
		id, _ := r.Context().Value(key{}).(string)
		return id
	}}
	s := newSDK(t, opt, wellSaid())
	f := formats["anthropic"]
	for _, c := range []struct{ header, context, want string }{{"h", "c", "h"}, {"", "c", "c"}} {
		reply, err := s.client.Do(s.request(context.WithValue(t.Context(), key{}, c.context), f.path, c.header, f.ask))
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		if said := s.said(c.want); len(said) == 0 {
			t.Errorf("%+v: nothing was said in %s", c, c.want)
		}
	}
	s.post(f.path, "", f.ask)
	if _, err := s.service.Session(t.Context(), "h"); err != nil {
		t.Error(err)
	}
}

// TestConversationsAtOnce stay apart, and nothing runs on when they are over.
func TestConversationsAtOnce(t *testing.T) {
	s := newSDK(t, transport.Options{Patience: time.Minute}, fakemodel.New(fakemodel.Options{})) // which echoes
	before := runtime.NumGoroutine()
	const sessions, turns = 16, 5
	var wg sync.WaitGroup
	for n := range sessions {
		wg.Go(func() {
			id, history := fmt.Sprint("s", n), ""
			for i := range turns {
				history += fmt.Sprintf(`{"role":"user","content":"%s says %d"},`, id, i)
				body := fmt.Sprintf(`{"model":"m","max_tokens":100,"stream":%t,"messages":[%s]}`, i%2 == 0, strings.TrimSuffix(history, ","))
				reply, err := s.client.Do(s.request(context.Background(), "/v1/messages", id, body))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, reply.Body)
				if err = errors.Join(err, reply.Body.Close()); err != nil {
					t.Error(err)
				}
				history += fmt.Sprintf(`{"role":"assistant","content":"reply %d to %s"},`, i, id)
			}
		})
	}
	wg.Wait()
	for n := range sessions {
		id, people := fmt.Sprint("s", n), 0
		for _, text := range s.said(id) {
			if other, ok := strings.CutPrefix(text, "user: "); ok {
				if people++; !strings.HasPrefix(other, id+" says") {
					t.Errorf("%s has %q", id, text)
				}
			}
		}
		if people != turns {
			t.Errorf("%s has %d prompts", id, people)
		}
	}
	s.client.CloseIdleConnections()
	for runtime.NumGoroutine() > before { // the test's own limit ends this where some are left
		time.Sleep(time.Millisecond)
	}
}

func TestOptionsThatCannotWorkSaySo(t *testing.T) {
	for want, opt := range map[string]transport.Options{
		"Options.Sessions is missing": {},
		"maxBody":                     {Sessions: session.New(nil, memory.New(), session.Options{}), MaxBody: 1},
	} {
		client := http.Client{Transport: transport.New(opt)}
		if _, err := client.Post("http://127.0.0.1:1/v1/messages", "application/json", strings.NewReader("{}")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, where it should say %s", err, want)
		}
	}
}

// OpenAI's own hosts take developer messages, which a tool's output cannot imitate; of
// others that speak its format that is not known, so they get user text.
func TestOpenAIsOwnHostsGetDeveloperMessages(t *testing.T) {
	for host, role := range map[string]string{"api.openai.com": "developer", "chatgpt.com": "developer", "models.example": "user"} {
		t.Run(host, func(t *testing.T) {
			var server string
			base := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, server)
			}}
			t.Cleanup(base.CloseIdleConnections)
			s := newSDK(t, transport.Options{Base: base}, wellSaid())
			server, s.url = strings.TrimPrefix(s.url, "http://"), "http://"+host
			s.plan("s")
			f := formats["chat"]
			s.post(f.path, "s", f.ask)
			s.post(f.path, "s", `{"model":"m","messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"All is well."},{"role":"user","content":"again"}]}`)
			var sent struct {
				Messages []struct {
					Role    string
					Content any
				}
			}
			if err := json.Unmarshal([]byte(s.last()), &sent); err != nil {
				t.Fatal(err)
			}
			last := sent.Messages[len(sent.Messages)-1]
			if last.Role != role || !strings.Contains(fmt.Sprint(last.Content), "Remember") {
				t.Errorf("the last message is %s: %v", last.Role, last.Content)
			}
		})
	}
}
