package decide

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
)

// Remark adds what a person says of an item. The agents that work on it from then on are
// told; it is not sent to the forge.
func Remark(ctx context.Context, q improve.Backlog, id, by, text string, now time.Time) (improve.Item, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return improve.Item{}, fmt.Errorf("%s: a remark needs words", id)
	case len(text) > improve.MaxRemark:
		return improve.Item{}, fmt.Errorf("%s: a remark of %d bytes is over the limit of %d", id, len(text), improve.MaxRemark)
	}
	return change(ctx, q, id, now, func(it *improve.Item) error {
		if len(it.Remarks) >= improve.MaxRemarks {
			return fmt.Errorf("%s has %d remarks, and takes no more", id, improve.MaxRemarks)
		}
		it.Remarks = append(it.Remarks, improve.Remark{By: by, At: now.UTC(), Text: text})
		return nil
	})
}
