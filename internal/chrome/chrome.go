// Package chrome drives Chromium in tests of pages: it opens them, waits for what they
// show, and keeps what the browser complained of. Tests are skipped where no Chromium is.
//
//	b, err := chrome.Launch()
//	w := b.Window(t, err, base)
//	w.Open("/")
//	w.Until(`document.body.innerText.includes("live")`)
//
// It knows nothing of our pages.
package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Browser is a Chromium with a profile of its own.
type Browser struct {
	ctx context.Context
	end func()
}

// Launch starts one, unless TRIMTABTEST_BROWSER is off.
func Launch() (*Browser, error) {
	if os.Getenv("TRIMTABTEST_BROWSER") == "off" {
		return nil, errors.New("TRIMTABTEST_BROWSER is off")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, exec.ErrNotFound
	}
	dir, err := os.MkdirTemp("", "trimtab-chromium-")
	if err != nil {
		return nil, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir), chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, _ = chromedp.NewContext(ctx)
	b := &Browser{ctx, func() { _ = chromedp.Cancel(ctx); stop(); _ = os.RemoveAll(dir) }}
	if err := chromedp.Run(ctx); err != nil {
		b.end()
		return nil, err
	}
	return b, nil
}

// Close ends it. One that was never started needs no end.
func (b *Browser) Close() {
	if b != nil {
		b.end()
	}
}

// Process is the id of the browser's process.
func (b *Browser) Process() int { return chromedp.FromContext(b.ctx).Browser.Process().Pid }

// Window is a tab.
type Window struct {
	*testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	troubles []string // what the browser complained of
}

// Window opens a tab for the pages at base. Where the browser did not start, the test is
// skipped.
func (b *Browser) Window(t *testing.T, err error, base string) *Window {
	t.Helper()
	if err != nil {
		t.Skipf("no Chromium that works is here: %v", err)
	}
	ctx, end := chromedp.NewContext(b.ctx)
	t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(stop)
	w := &Window{T: t, ctx: ctx, base: base}
	chromedp.ListenTarget(ctx, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			w.troubles = append(w.troubles, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError && !strings.Contains(e.Entry.Text, "status of 4") && !strings.Contains(e.Entry.Text, "favicon") {
				w.troubles = append(w.troubles, e.Entry.Text)
			}
		case *target.EventTargetCrashed:
			w.troubles = append(w.troubles, "it crashed")
		}
	})
	w.Do(log.Enable())
	return w
}

// Do has the browser do something.
func (w *Window) Do(actions ...chromedp.Action) {
	w.Helper()
	if err := chromedp.Run(w.ctx, actions...); err != nil {
		w.Fatal(err)
	}
}

// Open goes to a path and waits until there is content.
func (w *Window) Open(path string) {
	w.Helper()
	w.Do(chromedp.Navigate(w.base+path), chromedp.WaitVisible("#content"))
}

// Eval is the value of an expression.
func Eval[T any](w *Window, expression string) (v T) {
	w.Helper()
	w.Do(chromedp.Evaluate(expression, &v))
	return v
}

// Text is what a person reads on the page.
func (w *Window) Text() string { w.Helper(); return Eval[string](w, "document.body.innerText") }

// Until waits for an expression to be true. Pages may change on the way.
func (w *Window) Until(expression string) {
	w.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		var is bool
		if err := chromedp.Run(w.ctx, chromedp.Evaluate("!!("+expression+")", &is)); err == nil && is {
			return
		}
	}
	text := w.Text()
	w.Fatalf("%s is not so; the page says %s", expression, text[:min(len(text), 1500)])
}

// Says waits until a person reads a text on the page.
func (w *Window) Says(text string) {
	w.Helper()
	w.Until(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// Calm fails where the browser complained of anything.
func (w *Window) Calm() {
	w.Helper()
	for _, t := range w.Troubles() {
		w.Errorf("the browser: %s", t)
	}
}

// Troubles are what the browser complained of since they were asked for last.
func (w *Window) Troubles() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all, w.troubles = w.troubles, nil
	return all
}

// Look sets the size and the colours.
func (w *Window) Look(width int, scheme string) {
	w.Helper()
	w.Do(chromedp.EmulateViewport(int64(width), 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

// Shoot keeps a picture of the whole page.
func (w *Window) Shoot(file string) {
	w.Helper()
	var png []byte
	w.Do(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(file, png, 0o600); err != nil {
		w.Fatal(err)
	}
}
