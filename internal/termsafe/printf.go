package termsafe

import (
	"fmt"
	"io"
)

// Fprintf formats like fmt.Fprintf, with arguments that are strings or errors made
// harmless first. The format itself is the program's own and stays as it is.
func Fprintf(w io.Writer, format string, args ...any) error {
	safe := make([]any, len(args))
	for i, v := range args {
		switch v := v.(type) {
		case string:
			safe[i] = Text(v)
		case error:
			safe[i] = Text(v.Error())
		default:
			safe[i] = v
		}
	}
	_, err := fmt.Fprintf(w, format, safe...)
	return err
}
