package rest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// maxPages ends a list that has no end. Where there is more, looking for
// something is an error: what was not seen must not count as not there.
const maxPages = 500

// List yields what a list holds, page after page. Of the address of the next page
// only the query is taken: the host and the path stay ours.
func List[T any](ctx context.Context, c *Client, call Call) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		call.Method = http.MethodGet
		for range maxPages {
			var page []T
			call.Out = &page
			header, err := c.do(ctx, call)
			if err != nil {
				yield(none, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
			next := next(header)
			if next == nil {
				return
			}
			query := url.Values{}
			maps.Copy(query, call.Query)
			maps.Copy(query, next)
			call.Query = query
		}
		yield(none, fmt.Errorf("%s: %s: the list has more than %d pages", c.opt.Name, call.Doing, maxPages))
	}
}

// next reads the query of the next page from a Link header.
func next(h http.Header) url.Values {
	for _, line := range h.Values("Link") {
		for line != "" {
			_, rest, ok := strings.Cut(line, "<")
			if !ok {
				break
			}
			address, after, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			end := strings.IndexByte(after, '<')
			if end < 0 {
				end = len(after)
			}
			if strings.Contains(after[:end], `rel="next"`) {
				if u, err := url.Parse(address); err == nil {
					return u.Query()
				}
			}
			line = after[end:]
		}
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
