package command_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/evidence/command"
)

// R17: a person's no, a rule's, and a call that was never made are told apart, and what a
// program prints is none of them.
func TestR17_WhyACallWasNotCarriedOut(t *testing.T) {
	for result, want := range map[string]command.Refusal{
		"The user doesn't want to proceed with this tool use. The tool use was rejected": command.Rejected,
		"The user doesn't want to take this action right now. STOP what you are doing":   command.Rejected,
		"exec command rejected by user":                                                     command.Rejected,
		"Error: The user rejected permission to use this specific tool call":                command.Rejected,
		"<tool_use_error>User declined to run it</tool_use_error>":                          command.Rejected,
		"User cancelled the request":                                                        command.Cancelled,
		"Permission to use Bash with command rm has been denied":                            command.Forbidden,
		"This command requires approval":                                                    command.Forbidden,
		"Operation stopped by hook: no":                                                     command.Forbidden,
		"[Request interrupted by user for tool use]":                                        command.Aborted,
		"<tool_use_error>Sibling tool call errored</tool_use_error>":                        command.Aborted,
		"Cancelled: parallel tool call Bash(ls) errored":                                    command.Aborted,
		"Tool execution aborted":                                                            command.Aborted,
		"aborted":                                                                           command.Aborted,
		"Error: ENOENT: no such file":                                                       command.CarriedOut,
		"--- FAIL: TestLogin\n    want: the user rejected the offer":                        command.CarriedOut,
		"main.go:3: the log says that the request was, after a long wait, rejected by user": command.CarriedOut,
		"": command.CarriedOut,
	} {
		if got := command.RefusalOf(result); got != want {
			t.Errorf("%q: %d, want %d", result, got, want)
		}
		if refused := command.WasRefused(result); want != command.CarriedOut && !refused {
			t.Errorf("%q: was not refused", result)
		}
		if got := command.WasForbidden(result); want != command.CarriedOut && got != (want != command.Aborted) {
			t.Errorf("%q: forbidden %v", result, got)
		}
	}
	if long := strings.Repeat("line of output\n", 100) + "[The user rejected it]"; !command.WasForbidden(long) || command.RefusalOf(long) != command.CarriedOut {
		t.Error("words at the end of a long result")
	}
}
