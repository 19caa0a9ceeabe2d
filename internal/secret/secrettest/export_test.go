package secrettest

// Find is what only tests of the search need to name.
var Find = find
