package trimtabtest_test

import (
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/trimtabtest"
)

// A script tells what happens in a session; Play returns it with what came of each
// line, which begins with a bar. In a test, Run compares that with files.
func ExamplePlay() {
	script := `# The mode is told once, before the prompt.
ask mode planning
person: add a login page
call
see
`
	played, err := trimtabtest.Play(script, func([]byte) (*trimtab.Engine, error) { return steer.New(steer.Config{}) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(played)
	// Output:
	// # The mode is told once, before the prompt.
	// ask mode planning
	// | reply: Mode: PLANNING
	// person: add a login page
	// call
	// | + mode/entry before m1: first prompt in PLANNING
	// see
	// | mode     You are in PLANNING MODE. Before writing any code: …
	// | person   add a login page
}
