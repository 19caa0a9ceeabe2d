package host

// WorkMark begins the first line of every prompt that our own workflow gives to an
// agent. Sessions whose first words are these are our own work: they are not
// reflected on and not kept from stopping.
const WorkMark = "trimtab-improve:"
