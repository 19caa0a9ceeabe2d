// Package page draws the conversation of the terminal chat: prompts, replies in
// Markdown as they stream in, thoughts, tool calls with their results, notes of
// steering, notices and faults, with scrolling that costs the same in a session
// of ten messages and of ten thousand.
//
// It only turns text into lines. It never reads a key, a clock, a file or the
// environment, starts no goroutine and writes to no terminal; the caller says how
// large the screen is and what it can show. A Page is used by one goroutine.
//
//	p := page.New(page.Dark())
//	p.Resize(80, 24)
//	p.Prompt("What is in this folder?")
//	reply := p.Reply()
//	p.Append(reply, "Two **files**:\n\n- go.mod\n")
//	call := p.Call("list", `{"path":"."}`)
//	p.Result(call, "go.mod\nmain.go", false)
//	p.Close(reply, "")
//	screen := p.View() // 24 lines, each at most 80 cells
//
// What comes from models, tools and files is made harmless first: control
// sequences are written out, and the only escape sequences in a View are the
// colours of the Theme.
//
// Markdown is read line by line by a reader of this package, because a reply must
// not be read again from its beginning for every new word: finished paragraphs,
// code and rows become pieces that are drawn once for each width, when they come
// on the screen, and only the open end is drawn again. Line breaks of the model
// are kept; a link shows its address; a style that the theme does not have leaves
// the mark of Markdown in its place.
package page
