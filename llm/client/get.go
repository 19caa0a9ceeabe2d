package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// maxList is the largest list of models that is read.
const maxList = 8 << 20

// Get asks for a document and decodes it. It tries once.
func (s *Sender) Get(ctx context.Context, l Letter, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL, http.NoBody)
	if err != nil {
		return s.advise(ctx, l, s.unreached(l, err))
	}
	if l.Header != nil {
		req.Header = l.Header.Clone()
	}
	if l.Seal != nil {
		l.Seal(req.Header)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return s.advise(ctx, l, s.unreached(l, err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return s.advise(ctx, l, s.refused(l, resp))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList+1))
	if err != nil {
		return s.advise(ctx, l, s.unreached(l, err))
	}
	if len(body) > maxList {
		return fmt.Errorf("%s: the answer is %w: more than %d MB", host(l.URL), trimtab.ErrTooLarge, maxList>>20)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &llm.Error{Err: llm.ErrReach, Where: host(l.URL), Status: resp.StatusCode, Said: "the answer is no JSON that we know", Do: "check the base URL"}
	}
	return nil
}
