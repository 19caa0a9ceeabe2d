package tui

// given is a prompt that the chat, not the person, put into the editor: one that was taken
// back, or that waited when a run was interrupted. Most go on to write in it. Who types a
// slash instead means a command, which would else be appended and sent as a prompt.
type given struct {
	text  string // as it was put there
	aside bool   // a command is being written in its place
}

// give puts a prompt into the editor.
func (c *chat) give(text string) {
	c.text.Set(text)
	c.given = given{text: c.text.String()}
}

// untouched reports whether the editor holds only what the chat put there, or nothing.
func (c *chat) untouched() bool {
	return c.text.Empty() || c.given.text != "" && c.text.String() == c.given.text
}

// setAside takes the prompt out of the way of a command.
func (c *chat) setAside() {
	if c.given.text == "" || c.text.String() != c.given.text {
		return
	}
	c.text.Clear()
	c.given.aside = true
	c.say("the prompt is set aside; it comes back after the command")
}

// bringBack gives the editor what was set aside, once nothing else is in it.
func (c *chat) bringBack() {
	if c.given.aside && c.text.Empty() {
		c.give(c.given.text)
	}
}
