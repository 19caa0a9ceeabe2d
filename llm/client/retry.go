package client

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/llm"
)

const (
	firstWait = 500 * time.Millisecond
	lastWait  = 16 * time.Second
)

// retryDelay is the backoff after a try that failed, and whether to retry at all: exponential
// with jitter, or what the provider asks for (Retry-After).
func (s *Sender) retryDelay(try int, err error) (time.Duration, bool) {
	if try >= s.opt.Tries {
		return 0, false
	}
	var t *trouble
	switch {
	case errors.As(err, &t):
		if !t.again {
			return 0, false
		}
	case !errors.Is(err, llm.ErrCut): // one that was cut before its first word may come whole
		return 0, false
	}
	own := min(firstWait<<min(try-1, 16), lastWait)
	own = own*3/4 + time.Duration(s.opt.Chance()*float64(own)/2)
	if t == nil || !t.asked {
		return own, true
	}
	if t.after > s.opt.Longest {
		t.Do = fmt.Sprintf("it asks to wait %s; wait, or choose another model", t.after.Round(time.Second))
		return 0, false
	}
	return max(t.after, 0), true
}

// reason is why there is another try, in a few words.
func reason(err error) string {
	var t *trouble
	switch {
	case errors.As(err, &t) && t.Status == http.StatusTooManyRequests:
		return t.Where + " asks us to slow down"
	case errors.As(err, &t) && t.Status != 0:
		return fmt.Sprintf("%s is busy (%d)", t.Where, t.Status)
	case errors.As(err, &t) && errors.Is(t.Err, llm.ErrBusy):
		return t.Where + " is busy"
	case errors.As(err, &t):
		return t.Where + " cannot be reached"
	}
	return "the reply was cut off before its first word"
}

// after reads how long an answer asks to wait: in milliseconds, in seconds, or
// until a date.
func after(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, ok := number(h.Get("Retry-After-Ms")); ok {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := number(value); ok {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// number reads a number of a length of time; more than a year is a year.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return min(n, 365*24*60*60), true
}
