package manual

// WriteMan is for tests.
var WriteMan = writeMan
