package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A newcomer approves the waiting improvement of the sample, and it goes through its steps:
// the real worker and the local forge, with the scripted agent.
func TestOpenDemo_ANewcomerApprovesAndWatches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	a := newApp()
	out, in := io.Pipe()
	a.out, a.err = in, io.Discard
	ended := make(chan error, 1)
	go func() {
		c := openCommand(a)
		c.SetArgs([]string{"--demo", "--no-browser"})
		ended <- c.ExecuteContext(ctx)
		_ = in.Close()
	}()
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, <-ended)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	link = strings.TrimSpace(link)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	read := func(reply *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		raw, err := io.ReadAll(reply.Body)
		if err != nil || reply.StatusCode != http.StatusOK {
			t.Fatalf("%d %v %s", reply.StatusCode, err, raw)
		}
		return string(raw)
	}
	base, _, _ := strings.Cut(link, "/open")
	first := read(client.Get(link))
	found := regexp.MustCompile(`An improvement waits for you: <a href="(/improve/[^"]+)"`).FindStringSubmatch(first)
	if found == nil {
		t.Fatalf("no improvement waits: %s", first)
	}
	page := read(client.Get(base + found[1]))
	for _, want := range []string{"What will be sent", "pull request: ", "git push origin main"} {
		if !strings.Contains(page, want) {
			t.Errorf("before it is approved, the page lacks %q", want)
		}
	}
	form := url.Values{}
	for _, f := range regexp.MustCompile(`name="(token|seen)" value="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		form.Set(f[1], f[2])
	}
	page = read(client.PostForm(base+found[1]+"/approve", form))
	for !strings.Contains(page, `<span class="tag done">`) {
		if strings.Contains(page, `<span class="tag failed">`) || strings.Contains(page, `<span class="tag manual_review">`) || t.Context().Err() != nil {
			t.Fatal(page)
		}
		time.Sleep(100 * time.Millisecond)
		page = read(client.Get(base + found[1]))
	}
	for _, want := range []string{"The change", "AGENTS.md", "Never run git push"} {
		if !strings.Contains(page, want) {
			t.Errorf("when it is done, the page lacks %q", want)
		}
	}
	cancel()
	if err := <-ended; err != nil && ctx.Err() == nil {
		t.Error(err)
	}
}
