package evidence

import "github.com/trimtab/trimtab/evidence/command"

// What package command knows of command lines, by the names under which a record tells it.
type (
	// Kind says what a command is good for as evidence.
	Kind = command.Kind
	// Outcome is how a command went.
	Outcome = command.Outcome
	// Line is what a command line comes to.
	Line = command.Line
	// Run is one command of it.
	Run = command.Run
	// Refusal says why a call was not carried out.
	Refusal = command.Refusal
)

// The kinds and the outcomes.
const (
	Check   = command.Check
	Try     = command.Try
	Other   = command.Other
	Passed  = command.Passed
	Failed  = command.Failed
	Empty   = command.Empty
	Unknown = command.Unknown

	CarriedOut = command.CarriedOut
	Rejected   = command.Rejected
	Cancelled  = command.Cancelled
	Forbidden  = command.Forbidden
	Aborted    = command.Aborted
)

// ReadLine takes a command line apart.
func ReadLine(line string) Line { return command.ReadLine(line) }

// RefusalOf reads the first words of a result that failed.
func RefusalOf(result string) Refusal { return command.RefusalOf(result) }

// ReadPatch reads a patch in any of the forms that agents use.
func ReadPatch(patch string) command.Patch { return command.ReadPatch(patch) }

// IsTest reports whether a file is one of tests, by its name.
func IsTest(file string) bool { return command.IsTest(file) }

// IsCode reports whether a change to a file can break something that a check would show.
func IsCode(file string) bool { return command.IsCode(file) }
