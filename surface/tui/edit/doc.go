// Package edit is the text a person is writing: several lines, a cursor that
// moves by what the eye takes for a character, words, undo and one kill buffer,
// and the rows in which it is shown.
//
// It knows no keys, no terminal and no colour, and never changes the text by
// itself but for one thing: what a terminal would obey or hide is written out as
// it comes in (see internal/termsafe), so that a paste is what it looks like.
//
//	var e edit.Text
//	e.Insert("hello\nworld")
//	e.Up()
//	rows, x, y := e.Rows(80, 10) // what to draw, and where the cursor is
//	prompt := e.String()
package edit
