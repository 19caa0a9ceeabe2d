package host

// WorkMark begins the first line of every prompt that our own workflow gives to an
// agent. Sessions whose first words are these are our own work: they are not
// reflected on and not kept from stopping.
const WorkMark = "trimtab-improve:"

// HiddenCalls is the kind of an opaque part that stands for tool calls of which a transcript
// tells only that they were made, as an exported screen does. What they did, nobody knows.
const HiddenCalls = "hidden_calls"
