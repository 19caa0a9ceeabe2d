package manual

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DidYouMean asks for the flag of a command that was probably meant, where err says that
// there is none of the name that was given; it is "" where none is near, and for every
// other error. nearest finds a word among those that are known, or "".
func DidYouMean(c *cobra.Command, err error, nearest func(word string, known []string) string) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 { // a single letter is near to any other
		return ""
	}
	var known []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	}
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	if near := nearest(unknown.GetSpecifiedName(), known); near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}
