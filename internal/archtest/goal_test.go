package archtest

// goals are the figures that the tree is held to. A limit that is above its goal
// is lowered whenever the figure falls: it never rises.
var goals = struct{ iface int }{iface: 6}
