package forgetest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is what goes wrong with the next request that it fits.
type Fault struct {
	Method string   // "" fits all
	Ends   []string // how the path may end; none fits all
	Kind   FaultKind
}

// FaultKind is a way for an answer to be lost, or not to come.
type FaultKind string

// The faults. Those that say so do the work all the same.
const (
	Lost       FaultKind = "done, then the connection breaks"
	Cut        FaultKind = "done, half of the answer arrives"
	BadGateway FaultKind = "done, the answer is 502"
	Hang       FaultKind = "done, the answer never comes"
	Reset      FaultKind = "not done, the connection breaks"
	Idle502    FaultKind = "not done, the answer is 502"
	Late       FaultKind = "the connection breaks, done 20 seconds later"
	Limit429   FaultKind = "not done, 429 with Retry-After"
	Primary    FaultKind = "not done, 403 with no requests left"
	Secondary  FaultKind = "not done, 403 that speaks of a secondary rate limit"
	Denied     FaultKind = "not done, 403"
)

// Lateness is how long a request of the kind Late is under way.
const Lateness = 20 * time.Second

// Break has the next requests that they fit go wrong, in this order.
func (h *Hub) Break(faults ...Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, faults...)
}

// Unused returns the faults that no request has met.
func (h *Hub) Unused() []Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults
}

// fault takes the first fault that fits.
func (h *Hub) fault(r *http.Request) (Fault, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, f := range h.faults {
		if (f.Method == "" || f.Method == r.Method) && f.ends(r.URL.Path) {
			h.faults = append(h.faults[:i:i], h.faults[i+1:]...)
			return f, true
		}
	}
	return Fault{}, false
}

func (f Fault) ends(path string) bool {
	return len(f.Ends) == 0 || slices.ContainsFunc(f.Ends, func(end string) bool { return strings.HasSuffix(path, end) })
}

// play does what a fault says.
func (k FaultKind) play(h *Hub, w http.ResponseWriter, r *http.Request, work func(http.ResponseWriter)) {
	done := httptest.NewRecorder()
	switch k {
	case Lost, Cut, BadGateway, Hang:
		work(done)
	case Late:
		h.Clock.After(Lateness, func() { work(httptest.NewRecorder()) })
	}
	switch k {
	case BadGateway, Idle502:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>Bad Gateway</html>"))
	case Cut:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(done.Body.Len()))
		w.WriteHeader(done.Code)
		_, _ = w.Write(done.Body.Bytes()[:done.Body.Len()/2])
		panic(http.ErrAbortHandler)
	case Hang:
		<-r.Context().Done()
	case Limit429:
		w.Header().Set("Retry-After", "7")
		h.fail(w, http.StatusTooManyRequests, "Too Many Requests")
	case Primary:
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(h.Clock.Now().Add(9*time.Second).Unix(), 10))
		h.fail(w, http.StatusForbidden, "API rate limit exceeded for user.")
	case Secondary:
		h.fail(w, http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes.")
	case Denied:
		h.fail(w, http.StatusForbidden, "Resource not accessible")
	default:
		panic(http.ErrAbortHandler)
	}
}
